import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { minute } from '../../../src/duration.ts'
import type { Fault, FaultScope } from '../../../src/simulator/faults/active-faults.ts'

const type = 'keyholder-state'
const nodes = {
  workshop: { type, name: 'Workshop', partitions: [1, 2] },
  events: { type: 'keyholder-events', name: 'Alarms', partitions: [2] },
  house: { type, partitions: [1] },
  any: { type, partitions: [-1, 1] },
}

/** Changes the partitions of the status and of the setup, as somebody does at the panel. */
function repartition(change: (partitions: { id: number }[]) => object[]): Fault {
  return {
    name: 'partitions changed at the panel',
    answer: (getOriginal, { operation }) => {
      const reply = structuredClone(getOriginal())
      if (operation !== 'status' && operation !== 'panel_info') return reply
      const body = reply.body as { partitions: { id: number }[] }
      return { ...reply, body: { ...body, partitions: change(body.partitions) } }
    },
  }
}

const withoutSecond = repartition((all) => all.filter(({ id }) => id !== 2))
const withUnusedSecond = repartition((all) => all.map((one) => ({ ...one, active: one.id !== 2 })))
const undivided = repartition(([first]) => [{ ...first, id: -1, name: '' }])

describe('A selected partition that the panel no longer has', () => {
  const harness = useFlowHarness()

  async function start(fault?: Fault, scope: FaultScope = {}) {
    const simulator = await harness.startSimulator()
    if (fault) simulator.faults.start(fault, scope)
    const part = createPart(simulator, { nodes })
    const health = {
      ...{ id: 'health', type: 'keyholder-health', z: 'tab', wires: [['out health']] },
      ...{ account: part.account, panel: part.panel },
    }
    const recorder = { id: 'out health', type: 'recorder', z: 'tab', wires: [] }
    const flow = await harness.startParts([{ ...part, nodes: [...part.nodes, health, recorder] }])
    return { simulator, home: simulator.world.panel('A1B2C3'), flow }
  }

  const shows = (flow: RunningFlow, name: string, line: string) =>
    flow.status(name).next(({ fill, shape, text }) => `${fill} ${shape} ${text}` === line)
  const health = (flow: RunningFlow, status: string) =>
    flow.output('health').next(({ payload }: FlowMessage) => payload.status === status)
  const logged = (flow: RunningFlow) =>
    flow.logged.map((line) => `${(line as { msg: unknown }).msg}`).filter((line) => /partition 2/.test(line))

  it('is told once, to Catch and in the log, by the statuses of the nodes and by health, and again when it is back', async () => {
    const { simulator, flow } = await start()
    await flow.output('workshop').take(2)
    const end = simulator.faults.start(withoutSecond)
    const { error } = await flow.caught.next()
    assert.equal(error.code, 'NOT_FOUND')
    const sentence =
      'The panel does not have partition 2, or does not use it, but it is selected in: Workshop, Alarms. Change "Partitions" there.'
    assert.equal(error.message, `KeyholderError: ${sentence}`)
    for (const name of ['workshop', 'events']) await shows(flow, name, 'red ring partition missing: 2')
    const { payload } = await health(flow, 'degraded')
    assert.equal(payload.lastError.code, 'NOT_FOUND')
    await shows(flow, 'health', 'red ring degraded: partition missing')
    await processTime.pass(minute)
    assert.deepEqual([flow.caught.all.length, logged(flow)], [1, [sentence]])
    for (const name of ['house', 'any']) assert.equal(flow.status(name).all.at(-1)?.text, 'disarmed, ready')
    end()
    for (const name of ['workshop', 'events']) await flow.status(name).next(({ fill }) => fill === 'green')
    await health(flow, 'ok')
    assert.deepEqual(
      [flow.caught.all.length, logged(flow).slice(1)],
      [1, ['The panel has partition 2 again.']],
    )
  })

  it('is told, too, if the panel does not use it', async () => {
    const { flow } = await start(withUnusedSecond)
    assert.match((await flow.caught.next()).error.message, /does not have partition 2, or does not use it/)
    await shows(flow, 'workshop', 'red ring partition missing: 2')
  })

  it('is told of a panel that is no longer divided, but not where the whole panel is selected beside it', async () => {
    const { flow } = await start(undivided)
    assert.match(
      (await flow.caught.next()).error.message,
      /partition 1, partition 2.* in: Workshop, Alarms, keyholder-state\./,
    )
    await shows(flow, 'house', 'red ring partition missing: 1')
    assert.equal((await flow.output('any').next()).partition.id, -1)
  })

  it('hides no alarm', async () => {
    const { home, flow } = await start(withoutSecond)
    await shows(flow, 'workshop', 'red ring partition missing: 2')
    home.panic(home.devices.find(({ subtype }) => /KEYFOB/.test(subtype))?.id ?? assert.fail())
    for (const name of ['workshop', 'events'])
      await flow.status(name).next(({ fill, shape }) => fill === 'red' && shape === 'dot')
  })

  it('is not told for one answer that lacks it, nor while the panel is offline', async () => {
    const once = { times: 1, operation: 'status' }
    const { simulator, home, flow } = await start(withoutSecond, once)
    await flow.output('workshop').take(2)
    simulator.faults.start(withoutSecond, once)
    await processTime.pass(minute)
    home.goOffline()
    simulator.faults.start(withoutSecond)
    await processTime.pass(minute)
    assert.deepEqual(logged(flow), [])
  })
})
