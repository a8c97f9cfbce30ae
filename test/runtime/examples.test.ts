import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FlowNode } from '../support/flow-with-sink.ts'
import { Laboratory } from '../support/laboratory.ts'
import type { FlowMessage } from '../support/message-sink.ts'
import type { NodeRedProcess } from '../support/node-red-process.ts'

const alarm = 'Alarm to notification'
const armed = 'Armed with a window open'
const digest = 'Battery and trouble digest'
const trend = 'Temperature trend'
const silent = 'Panel silent'
const home = 'Who came home'
const leaving = 'Arm when the last phone leaves'
const closed = 'Arm only when all is closed'
const homeAssistant = 'Home Assistant'
const homeKit = 'HomeKit'
const all = [alarm, armed, digest, trend, silent, home, leaving, closed, homeAssistant, homeKit]

const frontDoor = 1
const kitchenWindow = 2
const bedroomWindow = 3
const livingRoom = 4
const hallway = 5
const kitchenOpen = 'Not ready to be armed: House (partition 1). Open: Kitchen window (zone 2).'
const clock = /, (Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d$/

describe('The examples in a real Node-RED', function () {
  this.timeout(60_000)
  let laboratory: Laboratory
  let nodeRed: NodeRedProcess
  const imported = new Map<string, FlowNode[]>()

  before(async () => {
    laboratory = await Laboratory.open()
    const credentials: Record<string, Record<string, string>> = {}
    for (const example of all) {
      const flows = inLaboratory(example, await read(example), laboratory)
      imported.set(example, flows)
      const { email, password, userCode } = laboratory.simulator
      for (const { id, type } of flows) {
        if (type === 'keyholder-account') credentials[id] = { email, password }
        if (type === 'keyholder-panel') credentials[id] = { userCode }
      }
    }
    await laboratory.furnishWith([...imported.values()].flat(), credentials)
    nodeRed = laboratory.start()
    await nodeRed.url
    await laboratory.sink.first(`${silent}: states`)
    await laboratory.sink.first(`${trend}: every measurement`)
    await laboratory.sink.first(`${digest}: notification`)
  })

  after(() => laboratory.close())

  afterEach('the house is at rest again and no error was caught', () => {
    const panel = homePanel()
    panel.goOnline()
    for (const zone of [frontDoor, kitchenWindow, bedroomWindow]) {
      panel.close(zone)
      panel.bypass(zone, false)
    }
    if (!panel.disarmed) panel.disarm(-1)
    const errors = laboratory.sink.all.filter(({ from }) => from.endsWith(': errors'))
    assert.deepEqual(errors, [])
    assert.doesNotMatch(nodeRed.output, /\[error\]|^\s+at /m)
  })

  it('tell an alarm with its zone, and who cancelled it', async () => {
    const panel = homePanel()
    panel.arm(1, 'AWAY', { exitDelay: 0 })
    panel.open(kitchenWindow)
    const alarmed = await notified(alarm, /Alarm,/)
    assert.match(alarmed, /^Our house: Perimeter Alarm, Kitchen window \(zone 2\), /)
    assert.match(alarmed, clock)
    panel.close(kitchenWindow)
    panel.disarm(1, { user: 'Ben' })
    assert.match(await notified(alarm, /cancelled/), /^Our house: alarm cancelled by Ben, /)
  })

  it('tell an alarm that a person set off with their name, and water, and nothing of a duress', async () => {
    const panel = homePanel()
    panel.log({ type_id: 15, appointment: 'Dmitri', device_type: 'USER', zone: 4, zone_name: 'Dmitri' })
    panel.log({ type_id: 5, appointment: 'Chiara', device_type: 'USER', zone: 3, zone_name: 'Chiara' })
    assert.match(await notified(alarm, /Panic/), /^Our house: Panic, by Chiara, /)
    panel.log({
      type_id: 81,
      appointment: 'Utility room',
      device_type: 'ZONE',
      zone: 7,
      zone_name: 'Utility room',
    })
    assert.match(await notified(alarm, /Flood/), /^Our house: Flood Alert, Utility room \(zone 7\), /)
    assert.equal(notifications(alarm).filter((text) => text.includes('Dmitri')).length, 0)
  })

  it('let a notification be tried without an alarm', async () => {
    await press(alarm, 'try it: an alarm')
    assert.equal(await notified(alarm, /Demo panel/), 'Demo panel: Perimeter Alarm, Kitchen window (zone 2)')
  })

  it('name the windows that stand open in a partition that has been armed', async () => {
    const panel = homePanel()
    panel.open(kitchenWindow)
    panel.open(bedroomWindow)
    panel.bypass(kitchenWindow, true)
    panel.bypass(bedroomWindow, true)
    assert.ok(panel.arm(1, 'HOME', { exitDelay: 0 }))
    assert.equal(
      await notified(armed, /House is armed \(HOME\)/),
      'Our house, House is armed (HOME), but open: Kitchen window, Bedroom window',
    )
    panel.arm(2, 'AWAY', { exitDelay: 0 })
    assert.equal(
      await notified(armed, /Workshop/),
      'Our house, Workshop is armed (AWAY), everything is closed',
    )
    await press(armed, 'what is open now?')
    assert.equal(await notified(armed, /now/), 'Our house: open now: Kitchen window, Bedroom window')
  })

  it('tell which batteries to change and what else is wrong, and nothing that is no trouble', async () => {
    const panel = homePanel()
    const count = panel.devices.length
    const [first] = notifications(digest)
    assert.equal(first, `Our house, ${count} devices\nNo battery to change, no trouble`)
    panel.lowBattery(panel.zone(bedroomWindow).id)
    panel.tamper(livingRoom)
    panel.tamper(hallway)
    panel.restoreTamper(hallway)
    panel.open(frontDoor)
    await press(digest, 'every day at 8:00')
    assert.equal(
      await notified(digest, /Batteries/),
      `Our house, ${count} devices\nBatteries to change: Bedroom window\nTroubles: Living room (tamper)`,
    )
    // Nothing could be armed with these.
    panel.restoreTamper(livingRoom)
    panel.restoreBattery(panel.zone(bedroomWindow).id)
  })

  it('tell a temperature that rises and one that falls, once each', async () => {
    const panel = homePanel()
    const { id } = panel.zone(livingRoom)
    const shown = laboratory.sink.from(`${trend}: every measurement`).map(textOf)
    assert.ok(shown.includes('Living room: 20.5 °C, steady'), shown.join('\n'))
    panel.measure(id, 'temperature', 20.7)
    await measured('Living room: 20.7 °C, steady')
    panel.measure(id, 'temperature', 21.5)
    assert.match(await notified(trend, /rising/), /^Living room: 21\.5 °C, rising \(20\.5 °C .+ ago\)$/)
    panel.measure(id, 'temperature', 22)
    await measured('Living room: 22 °C, rising')
    panel.measure(id, 'temperature', 19.5)
    assert.match(await notified(trend, /falling/), /^Living room: 19\.5 °C, falling \(20\.5 °C .+ ago\)$/)
    assert.equal(notifications(trend).length, 2)
  })

  it('tell who came home, and not who got up in the morning', async () => {
    const panel = homePanel()
    panel.arm(1, 'HOME', { exitDelay: 0, user: 'Dmitri' })
    panel.disarm(1, { user: 'Dmitri' })
    panel.arm(1, 'AWAY', { exitDelay: 0, user: 'Dmitri' })
    panel.disarm(1, { user: 'Chiara' })
    const text = await notified(home, /Chiara/)
    assert.match(text, /^Chiara came home, /)
    assert.match(text, clock)
    assert.equal(notifications(home).filter((text) => text.includes('Dmitri')).length, 0)
  })

  it('arm when the last phone has left, unless it comes back, and never disarm', async () => {
    const commands = () => laboratory.requestsTo('set_state')
    const before = commands()
    // It waits for three seconds here.
    await press(leaving, 'Anna leaves')
    await press(leaving, 'Ben leaves')
    await press(leaving, 'Anna is back')
    await heartbeats(5)
    assert.equal(commands(), before)
    assert.deepEqual(notifications(leaving), [])
    await press(leaving, 'Anna leaves')
    assert.equal(await notified(leaving, /Nobody/), 'Nobody is at home: the panel arms itself')
    await press(leaving, 'Ben is back')
    await heartbeats(2)
    assert.equal(commands(), before + 1)
    assert.deepEqual(states(), ['AWAY', 'AWAY', 'AWAY'])
  })

  it('say why they do not arm when everybody has left', async () => {
    homePanel().open(kitchenWindow)
    await press(leaving, 'Ben leaves')
    assert.equal(
      await notified(leaving, /not armed/),
      `Nobody is at home, but the panel is not armed. ${kitchenOpen}`,
    )
    assert.deepEqual(states(), ['DISARM', 'DISARM', 'DISARM'])
  })

  it('refuse to arm with a window open and say which, and arm when it is left out', async () => {
    homePanel().open(kitchenWindow)
    await press(closed, 'arm, nobody at home')
    assert.equal(await notified(closed, /Not done/), `Not done. ${kitchenOpen}`)
    await press(closed, 'leave the kitchen window out')
    await notified(closed, /^Zone 2 is left out$/)
    await press(closed, 'arm, somebody at home')
    await notified(closed, /^Our house: armed, somebody at home$/)
    await press(closed, 'disarm')
    await notified(closed, /^Our house: disarmed$/)
    await press(closed, 'take it in again')
    await notified(closed, /^Zone 2 is watched again$/)
    assert.equal(notifications(closed).length, 5)
  })

  it('show Home Assistant a panel for each partition, and do what it commands', async () => {
    const from = `${homeAssistant}: to Home Assistant`
    const sent = (topic: string, payload?: string) =>
      laboratory.sink.first(
        from,
        (message) => message.topic === topic && [message.payload, undefined].includes(payload),
      )
    for (const id of [1, 2, 3]) {
      const { payload } = await sent(`homeassistant/alarm_control_panel/keyholder_A1B2C3_${id}/config`)
      assert.equal(payload.unique_id, `keyholder_A1B2C3_${id}`)
      assert.equal(payload.command_topic, `keyholder/home/${id}/set`)
      await sent(payload.state_topic, 'disarmed')
    }
    await sent('keyholder/home/available', 'online')
    await press(homeAssistant, 'try it: arm home')
    await sent('keyholder/home/1/state', 'arming')
    const { payload } = await laboratory.sink.first(`${homeAssistant}: done`)
    assert.deepEqual([payload.partition, payload.state], [1, 'HOME'])
    await press(homeAssistant, 'try it: disarm')
    await laboratory.sink.first(`${homeAssistant}: done`, ({ payload }) => payload.state === 'DISARM')
    homePanel().goOffline()
    await sent('keyholder/home/available', 'offline')
  })

  it('do not do what a broker has kept, since it is from long ago', async () => {
    const before = laboratory.requestsTo('set_state')
    const done = () => laboratory.sink.from(`${homeAssistant}: done`).map(({ payload }) => payload.state)
    const armings = () => done().filter((state) => state === 'HOME').length
    const since = [done().length, armings()] as const
    const topic = 'keyholder/home/1/set'
    // An arming undoes no disarm, so both would be done.
    await press(homeAssistant, 'try it: disarm', { topic, payload: 'DISARM', retain: true })
    await press(homeAssistant, 'try it: arm home', { topic, payload: 'ARM_HOME', retain: false })
    await laboratory.sink.until('an arming', () => armings() > since[1])
    assert.deepEqual(done().slice(since[0]), ['HOME'])
    assert.equal(laboratory.requestsTo('set_state'), before + 1)
  })

  it('show HomeKit its numbers and take its targets, and show it anew what was refused', async () => {
    const shown = () => laboratory.sink.from(`${homeKit}: to HomeKit`).map(({ payload }) => payload)
    const disarmed = { SecuritySystemCurrentState: 3, SecuritySystemTargetState: 3 }
    const showing = (what: object, since: number) =>
      laboratory.sink.until(`${JSON.stringify(what)} for HomeKit`, () =>
        shown()
          .slice(since)
          .some((payload) => isDeepStrictEqual(payload, what)),
      )
    await showing(disarmed, 0)
    homePanel().open(kitchenWindow)
    const before = shown().length
    await press(homeKit, 'try it: away')
    assert.equal(await notified(homeKit, /Not done/), `Not done. ${kitchenOpen}`)
    await showing(disarmed, before)
    homePanel().close(kitchenWindow)
    await press(homeKit, 'try it: stay')
    // While it arms, HomeKit is not told another target than what it has asked for.
    await showing({ SecuritySystemCurrentState: 3 }, before)
    await laboratory.sink.first(`${homeKit}: done`)
    assert.equal(states()[0], 'HOME')
    homePanel().disarm(1)
    homePanel().arm(1, 'AWAY', { exitDelay: 0 })
    await showing({ SecuritySystemCurrentState: 1, SecuritySystemTargetState: 1 }, before)
    const armed = shown().length
    await press(homeKit, 'try it: off')
    await showing(disarmed, armed)
  })

  it('tell that events were lost, since an alarm may be among them', async () => {
    homePanel().clearEvents()
    homePanel().addEvents(3)
    assert.match(await notified(alarm, /forgot/), /^Our house: the service forgot events /)
  })

  it('tell after a restart what was missed, and nothing twice', async () => {
    const panel = homePanel()
    const before = notifications(alarm)
    await nodeRed.stop()
    panel.log({ type_id: 13, appointment: 'Ben', device_type: 'USER', zone: 2, zone_name: 'Ben' })
    nodeRed = laboratory.start()
    assert.match(await notified(alarm, /Missed/), /^Missed: Our house: Panic, by Ben, /)
    assert.equal(notifications(alarm).length, before.length + 1)
  })

  it('warn once of a silent panel, and give one all-clear', async () => {
    // On a slow machine the start alone may take longer than what counts as silence here; by the second one that is over.
    await heartbeats(2)
    const before = notifications(silent).length
    homePanel().goOffline()
    await notified(silent, /offline/)
    await heartbeats(4, 'offline')
    homePanel().goOnline()
    await notified(silent, /again/)
    await heartbeats(2)
    assert.deepEqual(notifications(silent).slice(before), [
      'Our house: nothing heard of the panel for a while (offline).',
      'Our house: the panel is heard again.',
    ])
  })

  function homePanel() {
    return laboratory.simulator.world.panel('A1B2C3')
  }

  /** The service's words for the states of the partitions. */
  function states(): string[] {
    return homePanel().partitions.map(({ state }) => state)
  }

  /** Waits for so many more heartbeats of the panel; there is one in a second. */
  async function heartbeats(count: number, status = 'ok'): Promise<void> {
    const heard = () =>
      laboratory.sink.from(`${silent}: heartbeats`).filter(({ payload }) => payload.status === status).length
    const before = heard()
    await laboratory.sink.until('further heartbeats', () => heard() >= before + count)
  }

  async function notified(example: string, fits: RegExp): Promise<string> {
    const from = `${example}: notification`
    return textOf(await laboratory.sink.first(from, (message) => fits.test(textOf(message))))
  }

  function notifications(example: string): string[] {
    return laboratory.sink.from(`${example}: notification`).map(textOf)
  }

  function measured(beginning: string): Promise<FlowMessage> {
    const from = `${trend}: every measurement`
    return laboratory.sink.first(from, (message) => textOf(message).startsWith(beginning))
  }

  async function press(example: string, name: string, message?: Record<string, unknown>): Promise<void> {
    const inject = imported.get(example)?.find((node) => node.type === 'inject' && node.name === name)
    await nodeRed.press(inject?.id ?? assert.fail(`${name} is not there`), message)
  }
})

async function read(example: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(new URL(`../../examples/${example}.json`, import.meta.url), 'utf8'))
}

function textOf({ payload }: FlowMessage): string {
  return String(payload)
}

/** The example as somebody imports it who has an account and little time; what its debug nodes show goes to the sink. */
function inLaboratory(example: string, flows: readonly FlowNode[], laboratory: Laboratory): FlowNode[] {
  const { simulator, sink } = laboratory
  // Ten panel nodes are polled, and all within one allowance.
  const often = { stateEvery: 0.5, eventsEvery: 0.5, devicesEvery: 0.5 }
  const ofType: Record<string, object> = {
    'keyholder-account': { source: 'service', url: simulator.url, requestsPerMinute: 6000 },
    'keyholder-panel': { name: 'Our house', serial: simulator.serials[0], ...often },
    'keyholder-health': { every: 0.3 },
    trigger: { duration: '3', units: 's' },
  }
  const [tab = ''] = flows.flatMap(({ type, id }) => (type === 'tab' ? [id] : []))
  const post = `post ${tab}`
  const request = { method: 'POST', ret: 'txt', paytoqs: 'ignore', url: sink.url, headers: [] }
  const shown = (node: FlowNode): FlowNode => {
    const from = JSON.stringify(`${example}: ${node.name}`)
    const func = `return { payload: { from: ${from}, message: msg } }`
    return { id: node.id, type: 'function', z: tab, func, outputs: 1, wires: [[post]] }
  }
  // What would go to a broker is seen as well.
  const isShown = ({ type }: FlowNode) => type === 'debug' || type === 'mqtt out'
  return [
    ...flows.map((node) => (isShown(node) ? shown(node) : { ...node, ...ofType[node.type] })),
    { id: post, type: 'http request', z: tab, ...request, wires: [[]] },
  ]
}
