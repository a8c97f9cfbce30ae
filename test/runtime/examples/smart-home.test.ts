import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import {
  cottage,
  ImportedExamples,
  kitchenOpen,
  kitchenWindow,
} from '../../../harness/node-red/imported-examples.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const homeAssistant = 'Home Assistant'
const homeKit = 'HomeKit'

describe('The examples for Home Assistant and HomeKit, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([homeAssistant, homeKit])
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('show Home Assistant the whole panel, and execute its commands', async () => {
    const from = `${homeAssistant}: to Home Assistant`
    const sent = (topic: string, fits: (payload: string) => boolean = () => true) =>
      examples.harness.messages
        .from(from)
        .first((message) => message.topic === topic && fits(message.payload))
    const { payload, retain, qos } = await sent('homeassistant/device/keyholder_A1B2C3/config')
    assert.deepEqual([retain, qos], [true, 1])
    const { components } = JSON.parse(payload)
    for (const id of [1, 2, 3]) {
      assert.equal(components[`partition_${id}`].unique_id, `keyholder_A1B2C3_${id}`)
      await sent(`keyholder/A1B2C3/partition_${id}/state`, (state) => JSON.parse(state).state === 'disarmed')
    }
    await sent('keyholder/A1B2C3/availability', (state) => state === 'online')
    const isDone = (state: string) => (result: string) => {
      const { event_type, partition, state: done } = JSON.parse(result)
      return event_type === 'done' && partition === 1 && done === state
    }
    await examples.press(homeAssistant, 'try it: arm home')
    await sent('keyholder/A1B2C3/partition_1/state', (state) => JSON.parse(state).state === 'arming')
    await sent('keyholder/A1B2C3/command', isDone('HOME'))
    await examples.press(homeAssistant, 'try it: disarm')
    await sent('keyholder/A1B2C3/command', isDone('DISARM'))
    examples.panel.goOffline()
    await sent('keyholder/A1B2C3/availability', (state) => state === 'offline')
  })

  it('ignore retained commands of a broker, because they are old', async () => {
    const before = requestsTo(examples.harness.simulator, 'set_state')
    const done = () =>
      examples.harness.messages
        .from(`${homeAssistant}: to Home Assistant`)
        .all.filter(({ topic }) => topic === 'keyholder/A1B2C3/command')
        .map(({ payload }) => JSON.parse(payload).state)
    const armings = () => done().filter((state) => state === 'HOME').length
    const since = [done().length, armings()] as const
    const topic = 'keyholder/A1B2C3/partition_1/set'
    // An arming undoes no disarm, so both would be done.
    await examples.press(homeAssistant, 'try it: disarm', { topic, payload: 'DISARM', retain: true })
    await examples.press(homeAssistant, 'try it: arm home', { topic, payload: 'ARM_HOME', retain: false })
    await examples.harness.messages.until(() => armings() > since[1], 'an arming')
    assert.deepEqual(done().slice(since[0]), ['HOME'])
    assert.equal(requestsTo(examples.harness.simulator, 'set_state'), before + 1)
  })

  it('map states and targets for HomeKit, and restore the shown state if a command is refused', async () => {
    const shown = () =>
      examples.harness.messages.from(`${homeKit}: to HomeKit`).all.map(({ payload }) => payload)
    const disarmed = { SecuritySystemCurrentState: 3, SecuritySystemTargetState: 3 }
    const showing = (what: object, since: number) =>
      examples.harness.messages.until(
        () =>
          shown()
            .slice(since)
            .some((payload) => isDeepStrictEqual(payload, what)),
        `${JSON.stringify(what)} for HomeKit`,
      )
    await showing(disarmed, 0)
    examples.panel.open(kitchenWindow)
    const before = shown().length
    await examples.press(homeKit, 'try it: away')
    assert.equal(await examples.waitForNotification(homeKit, /Failed/), `Failed. ${kitchenOpen}`)
    await showing(disarmed, before)
    examples.panel.close(kitchenWindow)
    await examples.press(homeKit, 'try it: stay')
    // While it arms, HomeKit is not told another target than what it has asked for.
    await showing({ SecuritySystemCurrentState: 3 }, before)
    await examples.harness.messages.from(`${homeKit}: done`).first()
    assert.equal(examples.states[0], 'HOME')
    examples.panel.disarm(1)
    examples.panel.arm(1, 'AWAY', { exitDelay: 0 })
    await showing({ SecuritySystemCurrentState: 1, SecuritySystemTargetState: 1 }, before)
    const armed = shown().length
    await examples.press(homeKit, 'try it: off')
    await showing(disarmed, armed)
  })
})

describe('The examples that arm, at a panel without partitions, in a real Node-RED', () => {
  const arm = 'Arm and disarm'
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([arm, homeKit], {}, { serial: cottage })
  })
  after(() => examples?.close())

  it('arm and disarm the whole panel, by a button and from the Home app', async () => {
    const { messages } = examples.harness
    const shown = (current: number) =>
      messages
        .from(`${homeKit}: to HomeKit`)
        .first(({ payload }) => payload.SecuritySystemCurrentState === current)
    await shown(3)
    await examples.press(arm, 'arm, somebody at home')
    const { payload } = await messages.from(`${arm}: done`).first()
    assert.deepEqual([payload.partition, payload.state], [-1, 'HOME'])
    assert.deepEqual(examples.states, ['HOME'])
    await examples.press(homeKit, 'try it: off')
    await messages.from(`${homeKit}: done`).first()
    assert.deepEqual(examples.states, ['DISARM'])
    examples.panel.arm(-1, 'HOME', { exitDelay: 0 })
    await shown(0)
    const errors = messages.all.filter(
      ({ from }) => from.endsWith(': errors') || from.endsWith('notification'),
    )
    assert.deepEqual(errors, [])
  })
})
