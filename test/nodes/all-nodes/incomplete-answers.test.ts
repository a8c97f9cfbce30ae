import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import {
  incompleteAnswer,
  type Lack,
  type ListOperation,
} from '../../../harness/disturbances/incomplete-answer.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { minute } from '../../../src/duration.ts'
import { latency } from '../../../src/simulator/faults/network-faults.ts'
import { tokenRevoked } from '../../../src/simulator/faults/service-faults.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const incident = { type: 'keyholder-incident' }
const conditions = { type: 'keyholder-conditions' }
const state = { type: 'keyholder-state' }
/** Tells of each poll that it has come. */
const beat = { type: 'keyholder-state', emit: 'poll' }

/** Lets answers lack one entry, or all of them. */
function lack(simulator: Simulator, operation: ListOperation, what: Lack, times?: number): () => void {
  const fault = {
    name: `incomplete ${operation}`,
    answer: (getOriginal: () => never) => incompleteAnswer(getOriginal(), what),
  }
  return simulator.faults.start(fault, { operation, ...(times !== undefined && { times }) })
}

/** Waits until some more answers of an operation were processed. */
async function answers(simulator: Simulator, operation: ListOperation, count: number): Promise<void> {
  const known = requestsTo(simulator, operation)
  // The last one is on its way.
  await until(() => requestsTo(simulator, operation) > known + count)
}

/** Lets so much time pass that a restarted flow reads everything anew. */
const forgetAnswers = () => processTime.pass(minute)

const isFine = (flow: RunningFlow, node: string) => flow.status(node).next(({ fill }) => fill === 'green')
const kinds = ({ payload }: FlowMessage) => payload.map(({ kind }: { kind: string }) => kind)
const isClosed = ({ payload }: FlowMessage) => payload.status === 'closed'

describe('One incomplete answer', () => {
  const harness = useFlowHarness()

  /** Starts a flow with an open window that is told. */
  async function withOpenWindow(fields: object = {}) {
    const started = await harness.start({ nodes: { conditions: { ...conditions, ...fields } } })
    await isFine(started.flow, 'conditions')
    await answers(started.simulator, 'devices', 3)
    started.home.open(1)
    const opened = await started.flow.output('conditions').next()
    assert.equal(opened.payload[0].kind, 'open')
    return { ...started, opened }
  }

  /** Starts a flow with a burglary that events and lists have told. */
  async function withBurglary() {
    const started = await harness.start({ nodes: { incident, state, beat } })
    await isFine(started.flow, 'incident')
    started.home.arm(1, 'AWAY', { exitDelay: 0 })
    started.home.open(2)
    const opened = await started.flow.output('incident').next()
    await started.flow.output('state').next(({ payload }) => payload === 'ALARM')
    await answers(started.simulator, 'alarms', 2)
    return { ...started, opened }
  }

  for (const [what, entry] of [
    ['without the open window', 2],
    ['without any device', 'all'],
  ] as const)
    it(`of the devices ${what} ends no condition, and moves no begin`, async () => {
      const { simulator, home, flow, opened } = await withOpenWindow()
      const [frontDoor] = home.devices.flatMap((device, at) =>
        device.device_number === 1 && device.device_type === 'ZONE' ? [at] : [],
      )
      assert.equal(frontDoor, 2)
      lack(simulator, 'devices', entry, 1)
      await answers(simulator, 'devices', 3)
      assert.deepEqual(flow.output('conditions').skip(), [])
      home.open(2)
      const more = await flow.output('conditions').next()
      assert.deepEqual(more.payload[0], opened.payload[0])
      home.close(2)
      home.close(1)
      await flow.output('conditions').next(({ payload }) => payload.length === 0)
    })

  it('of the devices changes nothing in the plan of a condition that is held back, nor in its reminders', async () => {
    // In minutes: 3 seconds, then 6.
    const { simulator, home, flow } = await harness.start({
      nodes: { conditions: { ...conditions, openAfter: '0.05', remindAfter: 0.1 } },
    })
    await isFine(flow, 'conditions')
    home.open(1)
    const since = () => flow.output('conditions').all.at(-1)?.payload[0].since
    await answers(simulator, 'devices', 2)
    lack(simulator, 'devices', 'all', 1)
    const opened = await flow.output('conditions').next()
    const lasted = (message: FlowMessage) => Date.parse(message.fetchedAt) - Date.parse(since())
    assert.ok(lasted(opened) >= 3000 && lasted(opened) < 4500, `${lasted(opened)}`)
    lack(simulator, 'devices', 2, 1)
    const reminder = await flow.output('conditions').next()
    assert.deepEqual([reminder.reminder, reminder.payload], [true, opened.payload])
    assert.ok(lasted(reminder) >= 9000 && lasted(reminder) < 11_000, `${lasted(reminder)}`)
  })

  for (const [what, operation, entry] of [
    ['of the alarms that is empty', 'alarms', 'all'],
    ['of the status without the partition in alarm', 'status', 0],
  ] as const)
    it(`${what} ends no incident and no alarm`, async () => {
      const { simulator, home, flow, opened } = await withBurglary()
      flow.output('beat').skip()
      lack(simulator, operation, entry, 1)
      await answers(simulator, operation, 3)
      assert.deepEqual(flow.output('incident').skip(), [])
      assert.deepEqual(flow.output('state').skip(), [])
      const house = flow
        .output('beat')
        .skip()
        .filter(({ partition }) => partition.id === 1)
      assert.ok(house.length >= 2)
      assert.ok(house.every(({ payload }) => payload === 'ALARM'))
      home.disarm(1)
      const closed = await flow.output('incident').next(isClosed)
      assert.equal(closed.payload.id, opened.payload.id)
    })

  it('right after a sign-in ends no incident, nor does the next one', async () => {
    const { simulator, flow } = await withBurglary()
    simulator.faults.start(tokenRevoked('session'), { operation: 'status', times: 1 })
    lack(simulator, 'alarms', 'all', 2)
    await answers(simulator, 'alarms', 4)
    assert.deepEqual(flow.output('incident').skip(), [])
    assert.deepEqual(flow.output('state').skip(), [])
  })

  it('ends nothing right after a restart, when no other answer is known', async () => {
    const { simulator, home, flow, part } = await harness.start({ nodes: { incident, conditions } })
    await isFine(flow, 'incident')
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const opened = await flow.output('incident').next()
    const before = await flow.output('conditions').next()
    await answers(simulator, 'alarms', 2)
    await harness.stopFlow()
    await forgetAnswers()
    for (const operation of ['alarms', 'devices'] as const) lack(simulator, operation, 'all', 2)
    const again = await harness.startParts([part])
    await answers(simulator, 'alarms', 4)
    await answers(simulator, 'devices', 1)
    assert.deepEqual(again.output('incident').all, [])
    assert.deepEqual(again.output('conditions').all, [])
    home.disarm(1)
    const closed = await again.output('incident').next(isClosed)
    assert.equal(closed.payload.id, opened.payload.id)
    again.input('conditions')
    const { payload } = await again.output('conditions').next()
    assert.deepEqual(payload.at(-1), before.payload.at(-1))
  })

  it('takes no problem, no bypass, no alarm and no entity from Home Assistant', async () => {
    const { simulator, home, flow } = await harness.start({
      nodes: { bridge: { type: 'keyholder-home-assistant' } },
    })
    const out = flow.output('bridge')
    home.tamper(1)
    home.bypass(3, true)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const isTold = ({ topic, payload }: FlowMessage) =>
      topic === 'keyholder/A1B2C3/panel/state' &&
      ['problem', 'bypassed_zones', 'triggered'].every((key) => JSON.parse(payload)[key] === 'ON')
    await out.next(isTold)
    await answers(simulator, 'alarms', 2)
    out.skip()
    for (const operation of ['devices', 'alarms'] as const) lack(simulator, operation, 'all', 1)
    lack(simulator, 'status', 0, 1)
    await answers(simulator, 'devices', 4)
    const others = out.skip().filter(({ topic }) => !topic.endsWith('/diagnostics/state'))
    assert.deepEqual(others, [])
  })

  it('of the devices of an offline panel ends no bypass, also right after a restart', async () => {
    const { simulator, home, flow, part } = await harness.start({ nodes: { conditions } })
    await isFine(flow, 'conditions')
    home.bypass(1, true)
    const bypassed = await flow.output('conditions').next()
    assert.equal(bypassed.payload[0].kind, 'bypassed')
    home.goOffline()
    await flow.output('conditions').next(({ payload }) => payload.length === 2)
    await harness.stopFlow()
    await forgetAnswers()
    // The devices are known before the state.
    simulator.faults.start(latency(2000), { operation: 'alarms', times: 1 })
    const again = await harness.startParts([part])
    await answers(simulator, 'devices', 8)
    assert.deepEqual(again.output('conditions').all, [])
    again.input('conditions')
    const { payload } = await again.output('conditions').next()
    assert.deepEqual(payload.slice(1), bypassed.payload)
  })
})

describe('Two complete answers in a row', () => {
  const harness = useFlowHarness()

  it('that do not show an alarm end it, though nobody has disarmed', async () => {
    const { simulator, home, flow } = await harness.start({ nodes: { incident, state } })
    await isFine(flow, 'incident')
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const opened = await flow.output('incident').next()
    await flow.output('state').next(({ payload }) => payload === 'ALARM')
    await answers(simulator, 'alarms', 2)
    lack(simulator, 'alarms', 'all')
    const closed = await flow.output('incident').next(isClosed)
    assert.deepEqual([closed.payload.id, closed.payload.disarmedBy], [opened.payload.id, null])
    assert.equal((await flow.output('state').next()).payload, 'AWAY')
  })

  it('that lack a device end its conditions, and it is gone', async () => {
    const { simulator, home, flow } = await harness.start({ nodes: { conditions } })
    await isFine(flow, 'conditions')
    await answers(simulator, 'devices', 3)
    home.open(1)
    await flow.output('conditions').next()
    const device = home.removeDevice(home.zone(1).id)
    const gone = await flow.output('conditions').next()
    assert.deepEqual(kinds(gone), ['lost'])
    home.addDevice(device)
    assert.deepEqual(kinds(await flow.output('conditions').next()), ['open'])
  })

  it('without a device that was removed while the flow was stopped end its conditions', async () => {
    const { home, flow, part } = await harness.start({ nodes: { conditions } })
    await isFine(flow, 'conditions')
    home.open(1)
    await flow.output('conditions').next()
    await harness.stopFlow()
    await forgetAnswers()
    home.removeDevice(home.zone(1).id)
    const again = await harness.startParts([part])
    assert.deepEqual(kinds(await again.output('conditions').next()), [])
  })
})
