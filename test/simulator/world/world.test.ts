import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'
import type { Device } from '../../../src/simulator/world/device.ts'

const frontDoor = 1
const window = 2
const livingRoom = 4
const hallway = 5
const smoke = 6
const water = 7

describe('the simulated world', () => {
  const at = useSimulatorHarness(signedIn)

  const seconds = (count: number) => at.clock.advance(count * 1000)
  const partition = async (index = 0) => (await at.caller.get('status')).body.partitions[index]
  const stateNow = async (index = 0) => {
    const { state, status } = await partition(index)
    return `${state} ${status}`.trim()
  }
  const alarms = async () =>
    (await at.caller.get('alarms')).body.map((one: { alarm_type: string; zone: number }) => [
      one.alarm_type,
      one.zone,
    ])
  const types = () => at.panel.events.map((event) => event.type_id)
  const warnings = async (zone: number) => {
    const devices: { device_number: number; device_type: string; warnings: { type: string }[] | null }[] = (
      await at.caller.get('devices')
    ).body
    return devices
      .find((one) => one.device_type === 'ZONE' && one.device_number === zone)
      ?.warnings?.map(({ type }) => type)
  }

  it('shows the target state already during the exit delay', async () => {
    assert.equal(at.panel.arm(1, 'AWAY', { user: 'Ben' }), true)
    assert.equal(await stateNow(), 'AWAY EXIT')
    assert.equal(await stateNow(1), 'DISARM')
    seconds(19.9)
    assert.equal(await stateNow(), 'AWAY EXIT')
    seconds(0.1)
    assert.equal(await stateNow(), 'AWAY')
    at.panel.disarm(1, { user: 'Ben' })
    assert.equal(await stateNow(), 'DISARM')
    const [armed, disarmed] = (await at.caller.get('events')).body
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

  it('arms all partitions with -1, and a panel without partitions only with -1', async () => {
    at.panel.arm(-1, 'HOME')
    for (const index of [0, 1, 2]) assert.equal(await stateNow(index), 'HOME EXIT')
    assert.deepEqual(at.panel.events[0]?.partitions, [1, 2, 3])
    const cottage = at.simulator.world.panel('012345')
    cottage.arm(-1, 'HOME')
    assert.deepEqual(cottage.events[0]?.partitions, [1])
    assert.throws(() => cottage.arm(1, 'HOME'), /no partition 1/)
    at.panel.disarm(-1)
    cottage.disarm(-1)
  })

  it('shows the test mode of a zone, and neither lists nor arms a device that was removed', async () => {
    const device = async (id: number) => {
      const devices: Device[] = (await at.caller.get('devices')).body
      return devices.find((one) => one.id === id)
    }
    const { id } = at.panel.zone(window)
    at.panel.soak(window, true)
    assert.equal((await device(id))?.traits.soak?.enabled, true)
    at.panel.open(window)
    const removed = at.panel.removeDevice(id)
    assert.equal(await device(id), undefined)
    assert.equal(at.panel.arm(1, 'AWAY'), true)
    at.panel.addDevice(removed)
    assert.equal((await device(id))?.id, id)
  })

  it('refuses to arm while a zone is open, unless the zone is bypassed', async () => {
    at.panel.open(window)
    assert.equal((await partition()).ready, false)
    assert.equal((await partition(1)).ready, true)
    assert.equal(at.panel.arm(1, 'AWAY'), false)
    assert.deepEqual(types(), [98])
    at.panel.bypass(window, true)
    assert.equal((await partition()).ready, true)
    assert.equal(at.panel.arm(1, 'AWAY'), true)
    assert.deepEqual(types(), [98, 97, 86])
    at.panel.disarm(1)
  })

  it('allows only the transitions of the current state', () => {
    assert.equal(at.panel.arm(1, 'AWAY'), true)
    assert.equal(at.panel.arm(1, 'AWAY'), false)
    assert.equal(at.panel.arm(1, 'HOME'), true)
    at.panel.openInstallerMenu()
    assert.equal(at.panel.arm(1, 'AWAY'), false)
    at.panel.disarm(-1)
  })

  it('shows an open contact as a warning, but never a motion', async () => {
    at.panel.open(frontDoor)
    at.panel.open(livingRoom)
    assert.deepEqual(await warnings(frontDoor), ['OPENED'])
    assert.equal(await warnings(livingRoom), undefined)
    at.panel.close(frontDoor)
    assert.equal(await warnings(frontDoor), undefined)
    assert.deepEqual(types(), [])
  })

  // @spec 3-rule-4, entry-delay
  it('starts the entry delay at the front door and raises no alarm if a user disarms in time', async () => {
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    at.panel.open(frontDoor)
    assert.equal(await stateNow(), 'ENTRY_DELAY')
    at.panel.open(hallway)
    seconds(19)
    at.panel.close(frontDoor)
    at.panel.disarm(1, { user: 'Chiara' })
    seconds(60)
    assert.equal(await stateNow(), 'DISARM')
    assert.deepEqual(await alarms(), [])
    assert.deepEqual(types(), [86, 89])
  })

  it('raises a delay alarm when the entry delay runs out', async () => {
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    at.panel.open(frontDoor)
    seconds(20)
    assert.equal(await stateNow(), 'AWAY')
    assert.deepEqual(await alarms(), [['BURGLER', frontDoor]])
    const alarm = at.panel.events[1]
    assert.equal(alarm?.type_id, 3)
    assert.equal(alarm?.label, 'BURGLER')
    assert.equal(alarm?.zone, frontDoor)
    assert.equal(alarm?.zone_name, 'Front door')
    assert.equal(alarm?.datetime, '2026-11-20 12:00:20')
    const [entry] = (await at.caller.get('alarms')).body
    assert.equal(entry.evt_id, alarm?.event)
    assert.deepEqual(entry.partitions, [1])
    assert.equal(entry.zone_type, 'DELAY_1')
    at.panel.close(frontDoor)
    at.panel.disarm(1)
  })

  // @spec alarm-memory
  it('raises a perimeter alarm at once, restores it, and keeps it in memory until the next arming', async () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(window)
    assert.deepEqual(await alarms(), [['BURGLER', window]])
    at.panel.close(window)
    assert.deepEqual(await alarms(), [['BURGLER', window]])
    at.panel.disarm(1)
    assert.deepEqual(await alarms(), [['ALARM_IN_MEMORY', window]])
    assert.deepEqual(await warnings(window), ['ALARM_IN_MEMORY'])
    assert.deepEqual(types(), [85, 2, 20, 31, 173])
    at.panel.arm(1, 'HOME')
    assert.deepEqual(await alarms(), [])
    assert.equal(await warnings(window), undefined)
    at.panel.disarm(1)
  })

  it('restores a zone that is open at disarming only when it closes', () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(window)
    at.panel.disarm(1)
    assert.ok(!types().includes(20))
    at.panel.close(window)
    assert.equal(types().filter((type) => type === 20).length, 1)
  })

  it('monitors interior zones only when armed away', () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(livingRoom)
    assert.deepEqual(types(), [85])
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    at.panel.open(livingRoom)
    assert.deepEqual(types(), [85, 86, 1])
    at.panel.disarm(1)
  })

  it('does not monitor zones during the exit delay', async () => {
    at.panel.arm(1, 'AWAY')
    at.panel.open(frontDoor)
    at.panel.open(livingRoom)
    at.panel.close(frontDoor)
    assert.equal(await stateNow(), 'AWAY EXIT')
    assert.deepEqual(types(), [86])
    at.panel.disarm(1)
  })

  it('has no entry delay when armed instantly', async () => {
    at.panel.arm(1, 'AWAY', { exitDelay: 0, instant: true })
    assert.deepEqual((await partition()).options, ['NOENTRY'])
    at.panel.open(frontDoor)
    assert.deepEqual(await alarms(), [['BURGLER', frontDoor]])
    assert.deepEqual(types(), [96, 3])
    at.panel.disarm(1)
  })

  it('raises a fire alarm while disarmed, and a flood as an alert', async () => {
    at.panel.open(smoke)
    at.panel.open(water)
    assert.deepEqual(await alarms(), [['FIRE', smoke]])
    const alerts = (await at.caller.get('alerts')).body
    assert.equal(alerts[0].alert_type, 'FLOOD_ALERT')
    at.panel.close(smoke)
    at.panel.close(water)
    assert.deepEqual(await alarms(), [['ALARM_IN_MEMORY', smoke]])
    assert.deepEqual(types(), [36, 81, 37, 82])
  })

  it('gives a tamper and its restore the same label, and lists the trouble in between', async () => {
    at.panel.tamper(livingRoom)
    assert.deepEqual(await warnings(livingRoom), ['TAMPER'])
    const [trouble] = (await at.caller.get('troubles')).body
    assert.equal(trouble.trouble_type, 'TAMPER')
    assert.equal(trouble.zone, livingRoom)
    at.panel.restoreTamper(livingRoom)
    assert.deepEqual(
      at.panel.events.map((event) => [event.type_id, event.label]),
      [
        [8, 'BURGLER'],
        [26, 'BURGLER'],
      ],
    )
    const { warnings: left } = at.panel.zone(livingRoom)
    assert.deepEqual(left, [{ type: 'TAMPER_MEMORY', severity: 'TROUBLE', in_memory: true }])
  })

  it('shows a low battery until it is replaced', async () => {
    const { id } = at.panel.zone(window)
    at.panel.lowBattery(id)
    assert.deepEqual(await warnings(window), ['LOW_BATTERY'])
    at.panel.restoreBattery(id)
    assert.equal(await warnings(window), undefined)
    assert.deepEqual(types(), [45, 46])
  })

  it('serves the last state of an offline panel, without traits', async () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.goOffline()
    at.panel.open(window)
    const { body } = await at.caller.get('status')
    assert.equal(body.connected, false)
    assert.deepEqual(body.connected_status.bba, { is_connected: false, state: 'offline' })
    assert.equal(body.partitions[0].state, 'HOME')
    assert.equal(body.partitions[0].ready, true)
    for (const device of (await at.caller.get('devices')).body) assert.deepEqual(device.traits, {})
    assert.deepEqual(await alarms(), [])
    const last = at.panel.events.at(-1)
    assert.equal(last?.type_id, 998)
    assert.equal(last?.device_type, 'IPMP')
    assert.equal(last?.zone, null)
    at.panel.goOnline()
    at.panel.disarm(1)
  })

  it('reports offline events later, with their original times and higher ids', async () => {
    at.panel.goOffline()
    seconds(10)
    at.panel.tamper(window)
    seconds(50)
    at.panel.goOnline()
    const events = (await at.caller.get('events')).body
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

  it('reports "connected" as false while it flaps, although the transport is online', async () => {
    at.panel.flap(90)
    const { body } = await at.caller.get('status')
    assert.equal(body.connected, false)
    assert.equal(body.connected_status.bba.state, 'online')
    assert.ok(Object.keys((await at.caller.get('devices')).body[3].traits).length > 0)
    seconds(90)
    assert.equal((await at.caller.get('status')).body.connected, true)
  })

  it('dates a measurement with the time of the simulated world', async () => {
    seconds(61)
    at.panel.measure(at.panel.zone(livingRoom).id, 'brightness', 8)
    const { traits } = at.panel.zone(livingRoom)
    assert.deepEqual(traits.meteo_info, {
      temperature: { date: '2026-11-20T11:00:00', value: 20.5 },
      brightness: { date: '2026-11-20T12:01:01', value: 8 },
    })
  })

  it('keeps the newest 60 events, with ids that rise with gaps across all panels', async () => {
    at.panel.addEvents(50)
    at.simulator.world.panel('012345').addEvents(1)
    at.panel.addEvents(20)
    const events: { event: number; datetime: string }[] = (await at.caller.get('events')).body
    assert.equal(events.length, 60)
    const ids = events.map(({ event }) => event)
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    assert.ok((ids.at(-1) ?? 0) - (ids[0] ?? 0) > 100)
    assert.equal(new Set(events.map(({ datetime }) => datetime)).size, 1)
    assert.ok(!ids.includes(at.simulator.world.panel('012345').events[0]?.event ?? 0))
  })

  it('logs the fields that a test sets, even for an unknown type', () => {
    at.panel.log({ type_id: 4711, event: 0, datetime: '2026-01-01 00:00:00', video: true })
    const [event] = at.panel.events
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

  it('keeps its time when the wall clock steps', () => {
    at.clock.stepWall(-86_400_000)
    seconds(1)
    at.panel.addEvents(1)
    assert.equal(at.panel.events[0]?.datetime, '2026-11-20 12:00:01')
  })
})

describe('the simulated world at another speed', () => {
  it('runs its time and its delays faster', async () => {
    const clock = new FakeClock()
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
