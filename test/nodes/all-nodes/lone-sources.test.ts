import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { day, hour, minute, second } from '../../../src/duration.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'

const nodes = {
  state: { type: 'keyholder-state', partitions: [1] },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions', conditions: ['alarm', 'offline'], remindAfter: '' },
}
const panel = { stateEvery: 15, eventsEvery: 60, devicesEvery: 600 }

/** The intervals of a test in which days pass. */
const slow = { stateEvery: 1200, eventsEvery: 1200, devicesEvery: 3600 }

/** The list of events lacks each disarm and each cancellation, as if the service had types of its own for them. */
const withoutDisarms: Fault = {
  name: 'no disarm in the events',
  answer: (getOriginal, { operation }) => {
    const response = getOriginal()
    const isOther = ({ type_id }: { type_id: number }) => ![15, 31, 41, 89, 173].includes(type_id)
    if (operation !== 'events' || !Array.isArray(response.body)) return response
    return { ...response, body: response.body.filter(isOther) }
  },
}

const burglary = { type_id: 2, device_type: 'ZONE', zone: 2, zone_name: 'Kitchen window', partitions: [1] }
const medical = { type_id: 39, device_type: 'KEYFOB', zone: 4, zone_name: 'Pendant', partitions: [1] }
const kinds = ({ payload }: FlowMessage) => payload.map(({ kind }: { kind: string }) => kind)

describe('No source takes the others with it:', () => {
  const harness = useFlowHarness()

  /** Starts a flow in which nothing is old any more. */
  async function start(missingOperations: string[] = [], intervals: Partial<typeof panel> = {}) {
    const started = await harness.start({ panel: { ...panel, ...intervals }, nodes }, { missingOperations })
    const { flow } = started
    await flow.output('state').next()
    await processTime.pass(3 * minute)
    return {
      ...started,
      told: () => ({
        state: flow.output('state').all.map(({ payload }) => payload),
        incident: flow.output('incident').all.map(({ payload }) => payload.status),
        conditions: flow.output('conditions').all.map(kinds),
      }),
      dot: () => flow.status('state').all.at(-1),
    }
  }

  for (const [service, missing, states] of [
    ['a service with a list of alarms', [], ['DISARM', 'AWAY', 'DISARM']],
    ['a service without a list of alarms', ['alarms'], ['DISARM', 'AWAY', 'ALARM', 'DISARM']],
  ] as const)
    it(`an alarm ends with a disarm whose event nobody knows, on ${service}`, async () => {
      const { home, simulator, told, dot } = await start([...missing])
      simulator.faults.start(withoutDisarms)
      home.arm(1, 'AWAY', { exitDelay: 0 })
      await processTime.pass(2 * minute)
      // The list of alarms shows nothing of it: it was over before.
      home.log(burglary)
      await processTime.pass(90 * second)
      const during = told()
      assert.deepEqual([during.incident, during.conditions], [['open'], [['alarm']]])
      home.disarm(1)
      await processTime.pass(2 * minute)
      assert.deepEqual(told(), {
        state: states,
        incident: ['open', 'closed'],
        conditions: [['alarm'], []],
      })
      assert.equal(dot()?.fill, 'green')
    })

  it('an alarm after such a disarm lasts, on a service without a list of alarms', async () => {
    const { home, simulator, told } = await start(['alarms'])
    simulator.faults.start(withoutDisarms)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    await processTime.pass(2 * minute)
    home.disarm(1)
    await processTime.pass(minute)
    home.log(medical)
    await processTime.pass(hour)
    const { state, incident, conditions } = told()
    assert.deepEqual([state.at(-1), incident, conditions], ['ALARM', ['open'], [['alarm']]])
  })

  it('a medical alarm in a house that is never armed ends with the lists of some minutes later', async () => {
    const { home, told } = await start()
    home.log(medical)
    await processTime.pass(4 * minute)
    assert.deepEqual([told().incident, told().conditions], [['open'], [['alarm']]])
    await processTime.pass(4 * minute)
    assert.deepEqual(told(), { state: ['DISARM'], incident: ['open', 'closed'], conditions: [['alarm'], []] })
  })

  it('an alarm that the lists have ended is not told again after a restart', async () => {
    const { home, flow, part } = await start()
    home.log(medical)
    await processTime.pass(15 * minute)
    assert.deepEqual(flow.output('conditions').all.map(kinds), [['alarm'], []])
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await again.output('state').next()
    await processTime.pass(15 * minute)
    assert.deepEqual([again.output('incident').all, again.output('conditions').all], [[], []])
    const dots = again.status('state').all.map(({ fill, shape }) => `${fill} ${shape}`)
    assert.ok(!dots.includes('red dot'), dots.join())
  })

  it('a medical alarm in a house that is never armed ends after a day, on a service without a list of alarms', async () => {
    const { home, told } = await start(['alarms'], slow)
    home.log(medical)
    await processTime.pass(day - hour)
    assert.deepEqual(told(), { state: ['DISARM', 'ALARM'], incident: ['open'], conditions: [['alarm']] })
    await processTime.pass(2 * hour)
    assert.deepEqual(told(), {
      state: ['DISARM', 'ALARM', 'DISARM'],
      incident: ['open', 'closed'],
      conditions: [['alarm'], []],
    })
  })

  it('time ends no alarm of a panel that is out of reach', async () => {
    const { home, told } = await start(['alarms'], slow)
    home.log(medical)
    await processTime.pass(hour)
    home.goOffline()
    await processTime.pass(2 * day)
    const { state, incident, conditions } = told()
    assert.deepEqual(state, ['DISARM', 'ALARM'])
    assert.ok(incident.length > 0 && !incident.includes('closed'))
    assert.deepEqual(conditions, [['alarm'], ['alarm', 'offline']])
  })

  for (const code of [500, 403])
    it(`the state is told while the list of alarms answers ${code}, with the alarms of the events and the error`, async () => {
      const { home, simulator, told, dot, flow } = await start()
      const end = simulator.faults.start(status(code), { operation: 'alarms' })
      home.arm(1, 'AWAY', { exitDelay: 0 })
      await processTime.pass(2 * minute)
      assert.deepEqual(told().state, ['DISARM', 'AWAY'])
      assert.deepEqual([dot()?.fill, dot()?.shape], ['red', 'ring'])
      home.open(2)
      await processTime.pass(90 * second)
      const alarm = flow.output('state').all.at(-1)
      assert.deepEqual([alarm?.payload, alarm?.state.alarms.length], ['ALARM', 1])
      assert.match(dot()?.text ?? '', /^ALARM: .*: Kitchen window$/)
      assert.deepEqual([told().incident, told().conditions], [['open'], [['alarm']]])
      home.close(2)
      home.disarm(1)
      await processTime.pass(2 * minute)
      assert.deepEqual(told().state, ['DISARM', 'AWAY', 'ALARM', 'DISARM'])
      end()
      await processTime.pass(3 * minute)
      // The list adds an alarm in memory.
      assert.deepEqual(told().state.slice(3), ['DISARM', 'DISARM'])
      assert.deepEqual([told().incident.at(-1), told().conditions.at(-1)], ['closed', []])
      assert.deepEqual([dot()?.fill, dot()?.shape], ['green', 'dot'])
      const errors = flow.caught.all.map(({ error }) => error.code)
      assert.deepEqual(errors, [code === 500 ? 'SERVER_ERROR' : 'NOT_ALLOWED'], 'told once')
    })

  it('a list of alarms that fails is asked for no more often than one that answers', async () => {
    const paced = { stateEvery: '', eventsEvery: '', devicesEvery: '' }
    const { simulator, flow } = await harness.start({ panel: paced, nodes })
    await flow.output('state').next()
    await processTime.pass(3 * minute)
    const count = () => requestsTo(simulator, 'status') + requestsTo(simulator, 'alarms')
    const begin = count()
    await processTime.pass(10 * minute)
    const usual = count() - begin
    simulator.faults.start(status(500), { operation: 'alarms' })
    await processTime.pass(10 * minute)
    const failing = count() - begin - usual
    assert.ok(failing <= 1.25 * usual, `${failing} requests instead of ${usual}`)
  })

  it('an alarm that the list has shown lasts while the list fails, and ends with a disarm', async () => {
    const { home, simulator, told } = await start()
    simulator.faults.start(withoutDisarms)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    home.close(2)
    await processTime.pass(10 * minute)
    const before = told()
    assert.equal(before.state.at(-1), 'ALARM')
    simulator.faults.start(status(500), { operation: 'alarms' })
    await processTime.pass(30 * minute)
    assert.deepEqual([told().state, told().conditions], [before.state, before.conditions])
    assert.notEqual(told().incident.at(-1), 'closed')
    home.disarm(1)
    await processTime.pass(2 * minute)
    const { state, incident, conditions } = told()
    assert.deepEqual([state.at(-1), incident.at(-1), conditions.at(-1)], ['DISARM', 'closed', []])
  })

  it('one list that fails in an alarm is no change', async () => {
    const { home, simulator, told } = await start()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    await processTime.pass(90 * second)
    const before = told()
    assert.equal(before.state.at(-1), 'ALARM')
    simulator.faults.start(status(404), { operation: 'alarms', times: 1 })
    await processTime.pass(2 * minute)
    assert.deepEqual(told(), before)
  })

  it('an alarm that the list has ended does not come back because the list fails', async () => {
    const { home, simulator, told } = await start()
    home.log(medical)
    await processTime.pass(15 * minute)
    const before = told()
    assert.equal(before.incident.at(-1), 'closed')
    simulator.faults.start(status(500), { operation: 'alarms' })
    await processTime.pass(10 * minute)
    assert.deepEqual(told(), before)
  })

  it('the state is told while the events fail, on a service without a list of alarms', async () => {
    const { home, simulator, told, dot } = await start(['alarms'])
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    await processTime.pass(2 * minute)
    assert.equal(told().state.at(-1), 'ALARM')
    const { conditions } = told()
    simulator.faults.start(status(500), { operation: 'events' })
    await processTime.pass(10 * minute)
    assert.deepEqual([told().state.at(-1), told().conditions], ['ALARM', conditions])
    home.close(2)
    home.disarm(1)
    await processTime.pass(2 * minute)
    assert.equal(told().state.at(-1), 'DISARM')
    assert.equal(dot()?.shape, 'ring')
    home.arm(1, 'HOME', { exitDelay: 0 })
    await processTime.pass(minute)
    assert.equal(told().state.at(-1), 'HOME')
  })

  it('an alarm is told by incident, conditions and the status of the state while the status cannot be read, which is told once', async () => {
    const { home, simulator, flow, told, dot } = await start()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    await processTime.pass(minute)
    const { state } = told()
    simulator.faults.start(status(500), { operation: 'status' })
    home.open(2)
    await processTime.pass(10 * minute)
    assert.deepEqual([told().incident, told().conditions.at(-1)], [['open'], ['alarm']])
    assert.equal(dot()?.text, 'ALARM: service error: Kitchen window')
    assert.deepEqual(
      told().state,
      state,
      'a state of before, with an alarm of now, would be untrue after the disarm',
    )
    assert.deepEqual(
      flow.caught.all.map(({ error }) => error.code),
      ['SERVER_ERROR'],
    )
  })
})
