import assert from 'node:assert/strict'
import { createPart } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { reset } from '../../../src/simulator/faults/network-faults.ts'

const type = 'keyholder-events'
const ids = (messages: readonly FlowMessage[]) => messages.map(({ payload }) => payload.typeId)
/**
 * Leaves out messages that were possibly in flight when the flow stopped, which are therefore
 * repeated.
 */
const unflagged = (messages: readonly FlowMessage[]) =>
  messages.filter(({ redelivered }) => redelivered !== true)
const isListening = (flow: RunningFlow, name: string) =>
  flow.status(name).next(({ fill }) => fill === 'green')

describe('The node keyholder-events across restarts', () => {
  const harness = useFlowHarness()

  it('delivers missed events as late, oldest first, or skips them, as configured', async () => {
    const { home, flow, part } = await harness.start({
      nodes: { deliver: { type }, skip: { type, missed: 'skip' } },
    })
    await isListening(flow, 'skip')
    home.log({ type_id: 1001 })
    assert.deepEqual(
      ids([await flow.output('deliver').next(), await flow.output('skip').next()]),
      [1001, 1001],
    )
    await harness.stopFlow()
    home.log({ type_id: 2001 })
    home.log({ type_id: 2002 })
    const again = await harness.startParts([part])
    await again.output('deliver').next(({ payload }) => payload.typeId === 2002)
    const missed = unflagged(again.output('deliver').all)
    assert.deepEqual(ids(missed), [2001, 2002])
    assert.ok(missed.every(({ late }) => late === true))
    await isListening(again, 'skip')
    home.log({ type_id: 3001 })
    for (const name of ['deliver', 'skip']) {
      const live = await again.output(name).next(({ payload }) => payload.typeId === 3001)
      assert.deepEqual([live.payload.typeId, 'late' in live, 'redelivered' in live], [3001, false, false])
    }
    assert.deepEqual(ids(unflagged(again.output('deliver').all)), [2001, 2002, 3001])
    assert.deepEqual(ids(unflagged(again.output('skip').all)), [3001])
  })

  it('loses no event across many restarts, and repeats none without marking it', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    const only = createPart(simulator, {
      nodes: { one: { type, first: 'deliver' }, two: { type, first: 'deliver' } },
    })
    const received: Record<string, FlowMessage[]> = { one: [], two: [] }
    let last = 1000
    const log = (count: number) => {
      for (let index = 0; index < count; index += 1) home.log({ type_id: ++last })
    }
    for (let run = 0; run < 5; run += 1) {
      log(3)
      const flow = await harness.startParts([only])
      await flow.output('one').take(3)
      log(2)
      const newest = last
      await flow.output('two').next(({ payload }) => payload.typeId === newest)
      // One more event, which the flow may or may not receive in time.
      log(1)
      await harness.stopFlow()
      for (const name of ['one', 'two']) received[name]?.push(...flow.output(name).all)
    }
    const flow = await harness.startParts([only])
    for (const name of ['one', 'two']) await flow.output(name).next(({ payload }) => payload.typeId === last)
    for (const name of ['one', 'two']) {
      const all = unflagged([...(received[name] ?? []), ...flow.output(name).all])
      assert.deepEqual(
        ids(all),
        Array.from({ length: 30 }, (_, index) => 1001 + index),
      )
      assert.equal(new Set(all.map(({ eventKey }) => eventKey)).size, 30)
    }
  })

  it('loses no event, and repeats none without marking it, when a node is redeployed while its panel continues', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    const setup = (name: string) => ({ nodes: { events: { type, name }, other: { type } } })
    const before = createPart(simulator, setup('before'))
    const flow = await harness.startParts([before])
    await isListening(flow, 'other')
    home.log({ type_id: 1001 })
    await flow.output('events').next()
    const deployed = JSON.parse(JSON.stringify(before.nodes).replace('"before"', '"after"'))
    const deploying = flow.deploy({ ...before, nodes: deployed })
    home.log({ type_id: 1002 })
    await deploying
    home.log({ type_id: 1003 })
    for (const name of ['events', 'other']) {
      await flow.output(name).next(({ payload }) => payload.typeId === 1003)
      assert.deepEqual(ids(unflagged(flow.output(name).all)), [1001, 1002, 1003])
    }
  })

  it('delivers the events of an outage after it, and tells its begin and its end once', async () => {
    const { simulator, home, flow } = await harness.start({ nodes: { events: { type } } })
    await isListening(flow, 'events')
    const end = simulator.faults.start(reset())
    assert.equal((await flow.status('events').next(({ fill }) => fill === 'red')).text, 'no connection')
    home.log({ type_id: 1001 })
    home.log({ type_id: 1002 })
    end()
    assert.deepEqual(ids(await flow.output('events').take(2)), [1001, 1002])
    await isListening(flow, 'events')
    assert.deepEqual(
      flow.caught.all.map(({ error }) => error.code),
      ['NETWORK'],
    )
    const told = flow.logged.map((line) => JSON.stringify(line))
    for (const what of [/cannot be reached/, /everything works again/])
      assert.equal(told.filter((line) => what.test(line)).length, 1, told.join('\n'))
  })
})
