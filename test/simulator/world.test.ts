import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import type { Panel } from '../../src/simulator/world/panel.ts'
import { DrivenClock } from '../support/driven-clock.ts'
import { type Caller, signedIn } from './caller.ts'

const frontDoor = 1
const window = 2
const livingRoom = 4
const hallway = 5
const smoke = 6
const water = 7

describe('the world of the simulator', () => {
  let clock: DrivenClock
  let simulator: Simulator
  let panel: Panel
  let caller: Caller

  beforeEach(async () => {
    clock = new DrivenClock()
    simulator = await startSimulator({ clock })
    panel = simulator.world.panel('A1B2C3')
    caller = await signedIn(simulator)
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
    assert.equal(clock.pending, 0)
  })

  const seconds = (count: number) => clock.advance(count * 1000)
  const partition = async (index = 0) => (await caller.get('status')).body.partitions[index]
  const stateNow = async (index = 0) => {
    const { state, status } = await partition(index)
    return `${state} ${status}`.trim()
  }
  const alarms = async () =>
    (await caller.get('alarms')).body.map((one: { alarm_type: string; zone: number }) => [
      one.alarm_type,
      one.zone,
    ])
  const types = () => panel.events.map((event) => event.type_id)
  const warnings = async (zone: number) => {
    const devices: { device_number: number; device_type: string; warnings: { type: string }[] | null }[] = (
      await caller.get('devices')
    ).body
    return devices
      .find((one) => one.device_type === 'ZONE' && one.device_number === zone)
      ?.warnings?.map(({ type }) => type)
  }

  it('arms with an exit delay, in which the state is the target already', async () => {
    assert.equal(panel.arm(1, 'AWAY', { user: 'Ben' }), true)
    assert.equal(await stateNow(), 'AWAY EXIT')
    assert.equal(await stateNow(1), 'DISARM')
    seconds(19.9)
    assert.equal(await stateNow(), 'AWAY EXIT')
    seconds(0.1)
    assert.equal(await stateNow(), 'AWAY')
    panel.disarm(1, { user: 'Ben' })
    assert.equal(await stateNow(), 'DISARM')
    const [armed, disarmed] = (await caller.get('events')).body
    assert.equal(armed.type_id, 86)
    assert.equal(armed.label, 'ARM')
    assert.equal(armed.appointment, 'Ben')
    assert.equal(armed.device_type, 'USER')
    assert.equal(armed.zone, 2)
    assert.deepEqual(armed.partitions, [1])
    assert.equal(armed.datetime, '2026-11-20 12:00:00')
    assert.equal(disarmed.type_id, 89)
    assert.equal(disarmed.datetime, '2026-11-20 12:00:20')
  })

  it('arms all partitions at once with -1, and a panel without partitions by -1 only', async () => {
    panel.arm(-1, 'HOME')
    for (const index of [0, 1, 2]) assert.equal(await stateNow(index), 'HOME EXIT')
    assert.deepEqual(panel.events[0]?.partitions, [1, 2, 3])
    const cottage = simulator.world.panel('012345')
    cottage.arm(-1, 'HOME')
    assert.deepEqual(cottage.events[0]?.partitions, [1])
    assert.throws(() => cottage.arm(1, 'HOME'), /no partition 1/)
    panel.disarm(-1)
    cottage.disarm(-1)
  })

  it('refuses to arm while a zone stands open, unless that zone is bypassed', async () => {
    panel.open(window)
    assert.equal((await partition()).ready, false)
    assert.equal((await partition(1)).ready, true)
    assert.equal(panel.arm(1, 'AWAY'), false)
    assert.deepEqual(types(), [98])
    panel.bypass(window, true)
    assert.equal((await partition()).ready, true)
    assert.equal(panel.arm(1, 'AWAY'), true)
    assert.deepEqual(types(), [98, 97, 86])
    panel.disarm(1)
  })

  it('takes only the transitions of the state it is in', () => {
    assert.equal(panel.arm(1, 'AWAY'), true)
    assert.equal(panel.arm(1, 'AWAY'), false)
    assert.equal(panel.arm(1, 'HOME'), true)
    panel.program()
    assert.equal(panel.arm(1, 'AWAY'), false)
    panel.disarm(-1)
  })

  it('shows an open contact as a warning, and never shows a motion', async () => {
    panel.open(frontDoor)
    panel.open(livingRoom)
    assert.deepEqual(await warnings(frontDoor), ['OPENED'])
    assert.equal(await warnings(livingRoom), undefined)
    panel.close(frontDoor)
    assert.equal(await warnings(frontDoor), undefined)
    assert.deepEqual(types(), [])
  })

  it('starts the entry delay at the front door, and forgives whoever disarms in time', async () => {
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(frontDoor)
    assert.equal(await stateNow(), 'ENTRY_DELAY')
    panel.open(hallway)
    seconds(19)
    panel.close(frontDoor)
    panel.disarm(1, { user: 'Chiara' })
    seconds(60)
    assert.equal(await stateNow(), 'DISARM')
    assert.deepEqual(await alarms(), [])
    assert.deepEqual(types(), [86, 89])
  })

  it('raises a delay alarm when the entry delay runs out', async () => {
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(frontDoor)
    seconds(20)
    assert.equal(await stateNow(), 'AWAY')
    assert.deepEqual(await alarms(), [['BURGLER', frontDoor]])
    const alarm = panel.events[1]
    assert.equal(alarm?.type_id, 3)
    assert.equal(alarm?.label, 'BURGLER')
    assert.equal(alarm?.zone, frontDoor)
    assert.equal(alarm?.zone_name, 'Front door')
    assert.equal(alarm?.datetime, '2026-11-20 12:00:20')
    const [entry] = (await caller.get('alarms')).body
    assert.equal(entry.evt_id, alarm?.event)
    assert.deepEqual(entry.partitions, [1])
    assert.equal(entry.zone_type, 'DELAY_1')
    panel.close(frontDoor)
    panel.disarm(1)
  })

  it('raises a perimeter alarm at once, restores it, and remembers it until the next arming', async () => {
    panel.arm(1, 'HOME', { exitDelay: 0 })
    panel.open(window)
    assert.deepEqual(await alarms(), [['BURGLER', window]])
    panel.close(window)
    assert.deepEqual(await alarms(), [['BURGLER', window]])
    panel.disarm(1)
    assert.deepEqual(await alarms(), [['ALARM_IN_MEMORY', window]])
    assert.deepEqual(await warnings(window), ['ALARM_IN_MEMORY'])
    assert.deepEqual(types(), [85, 2, 20, 31, 173])
    panel.arm(1, 'HOME')
    assert.deepEqual(await alarms(), [])
    assert.equal(await warnings(window), undefined)
    panel.disarm(1)
  })

  it('restores a zone that is still open at disarming only when it closes', () => {
    panel.arm(1, 'HOME', { exitDelay: 0 })
    panel.open(window)
    panel.disarm(1)
    assert.ok(!types().includes(20))
    panel.close(window)
    assert.equal(types().filter((type) => type === 20).length, 1)
  })

  it('does not repeat the alarm of a zone that opens again', () => {
    panel.arm(1, 'HOME', { exitDelay: 0 })
    for (let round = 0; round < 3; round += 1) {
      panel.open(window)
      panel.close(window)
    }
    assert.deepEqual(types(), [85, 2, 20])
  })

  it('watches interior zones only when everybody is away', () => {
    panel.arm(1, 'HOME', { exitDelay: 0 })
    panel.open(livingRoom)
    assert.deepEqual(types(), [85])
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(livingRoom)
    assert.deepEqual(types(), [85, 86, 1])
    panel.disarm(1)
  })

  it('does not watch while people may still leave', async () => {
    panel.arm(1, 'AWAY')
    panel.open(frontDoor)
    panel.open(livingRoom)
    panel.close(frontDoor)
    assert.equal(await stateNow(), 'AWAY EXIT')
    assert.deepEqual(types(), [86])
    panel.disarm(1)
  })

  it('leaves out the entry delay when armed instantly', async () => {
    panel.arm(1, 'AWAY', { exitDelay: 0, instant: true })
    assert.deepEqual((await partition()).options, ['NOENTRY'])
    panel.open(frontDoor)
    assert.deepEqual(await alarms(), [['BURGLER', frontDoor]])
    assert.deepEqual(types(), [96, 3])
    panel.disarm(1)
  })

  it('raises fire although disarmed, and a flood as an alert', async () => {
    panel.open(smoke)
    panel.open(water)
    assert.deepEqual(await alarms(), [['FIRE', smoke]])
    const alerts = (await caller.get('alerts')).body
    assert.equal(alerts[0].alert_type, 'FLOOD_ALERT')
    panel.close(smoke)
    panel.close(water)
    assert.deepEqual(await alarms(), [['ALARM_IN_MEMORY', smoke]])
    assert.deepEqual(types(), [36, 81, 37, 82])
  })

  it('labels tamper and its restore alike, and lists the trouble meanwhile', async () => {
    panel.tamper(livingRoom)
    assert.deepEqual(await warnings(livingRoom), ['TAMPER'])
    const [trouble] = (await caller.get('troubles')).body
    assert.equal(trouble.trouble_type, 'TAMPER')
    assert.equal(trouble.zone, livingRoom)
    panel.restoreTamper(livingRoom)
    assert.deepEqual(
      panel.events.map((event) => [event.type_id, event.label]),
      [
        [8, 'BURGLER'],
        [26, 'BURGLER'],
      ],
    )
    const { warnings: left } = panel.zone(livingRoom)
    assert.deepEqual(left, [{ type: 'TAMPER_MEMORY', severity: 'TROUBLE', in_memory: true }])
  })

  it('warns of a low battery until it is replaced', async () => {
    const { id } = panel.zone(window)
    panel.lowBattery(id)
    assert.deepEqual(await warnings(window), ['LOW_BATTERY'])
    panel.restoreBattery(id)
    assert.equal(await warnings(window), undefined)
    assert.deepEqual(types(), [45, 46])
  })

  it('serves the last state of a panel that is offline, without traits', async () => {
    panel.arm(1, 'HOME', { exitDelay: 0 })
    panel.goOffline()
    panel.open(window)
    const { body } = await caller.get('status')
    assert.equal(body.connected, false)
    assert.deepEqual(body.connected_status.bba, { is_connected: false, state: 'offline' })
    assert.equal(body.partitions[0].state, 'HOME')
    assert.equal(body.partitions[0].ready, true)
    for (const device of (await caller.get('devices')).body) assert.deepEqual(device.traits, {})
    assert.deepEqual(await alarms(), [])
    const last = panel.events.at(-1)
    assert.equal(last?.type_id, 998)
    assert.equal(last?.device_type, 'IPMP')
    assert.equal(last?.zone, null)
    panel.goOnline()
    panel.disarm(1)
  })

  it('reports what happened offline late, with its own time and a higher id', async () => {
    panel.goOffline()
    seconds(10)
    panel.tamper(window)
    seconds(50)
    panel.goOnline()
    const events = (await caller.get('events')).body
    assert.deepEqual(
      events.map((event: { type_id: number; datetime: string }) => [event.type_id, event.datetime]),
      [
        [998, '2026-11-20 12:00:00'],
        [999, '2026-11-20 12:01:00'],
        [8, '2026-11-20 12:00:10'],
      ],
    )
    assert.ok(events[2].event > events[1].event)
    assert.deepEqual(await warnings(window), ['TAMPER'])
  })

  it('flaps: connected says false while the transport is online', async () => {
    panel.flap(90)
    const { body } = await caller.get('status')
    assert.equal(body.connected, false)
    assert.equal(body.connected_status.bba.state, 'online')
    assert.ok(Object.keys((await caller.get('devices')).body[3].traits).length > 0)
    seconds(90)
    assert.equal((await caller.get('status')).body.connected, true)
  })

  it('dates a measurement with the time of the world', async () => {
    seconds(61)
    panel.measure(panel.zone(livingRoom).id, 'brightness', 8)
    const { traits } = panel.zone(livingRoom)
    assert.deepEqual(traits.meteo_info, {
      temperature: { date: '2026-11-20T11:00:00', value: 20.5 },
      brightness: { date: '2026-11-20T12:01:01', value: 8 },
    })
  })

  it('keeps the newest 60 events, under ids that rise with gaps over all panels', async () => {
    panel.addEvents(50)
    simulator.world.panel('012345').addEvents(1)
    panel.addEvents(20)
    const events: { event: number; datetime: string }[] = (await caller.get('events')).body
    assert.equal(events.length, 60)
    const ids = events.map(({ event }) => event)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    assert.ok((ids.at(-1) ?? 0) - (ids[0] ?? 0) > 100)
    assert.equal(new Set(events.map(({ datetime }) => datetime)).size, 1)
    assert.ok(!ids.includes(simulator.world.panel('012345').events[0]?.event ?? 0))
  })

  it('takes events as a test words them, of an unknown type too', () => {
    panel.log({ type_id: 4711, event: 0, datetime: '2026-01-01 00:00:00', video: true })
    const [event] = panel.events
    assert.deepEqual(event, {
      event: 0,
      type_id: 4711,
      label: 'NONE',
      description: 'Event 4711',
      appointment: 'Control Panel',
      datetime: '2026-01-01 00:00:00',
      video: true,
      device_type: 'CONTROL_PANEL',
      zone: 0,
      zone_name: '',
      partitions: [1, 2, 3],
    })
  })

  it('keeps its own time through a step of the wall clock', () => {
    clock.stepWall(-86_400_000)
    seconds(1)
    panel.addEvents(1)
    assert.equal(panel.events[0]?.datetime, '2026-11-20 12:00:01')
  })
})

describe('a simulated world at another speed', () => {
  it('lets its own time and its delays run faster', async () => {
    const clock = new DrivenClock()
    const simulator = await startSimulator({ clock, speed: 10 })
    const [panel] = simulator.world.panels
    panel?.arm(1, 'AWAY')
    clock.advance(1999)
    assert.equal(panel?.partitions[0]?.status, 'EXIT')
    clock.advance(1)
    assert.equal(panel?.partitions[0]?.status, '')
    panel?.disarm(1)
    assert.equal(panel?.events[1]?.datetime, '2026-11-20 12:00:20')
    await simulator.close()
  })
})
