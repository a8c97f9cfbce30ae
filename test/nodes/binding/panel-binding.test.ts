import assert from 'node:assert/strict'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { type AttachedDef, type Behavior, bindToPanel } from '../../../nodes/binding/panel-binding.ts'
import { configNode } from '../../../nodes/config/config-nodes.ts'
import { whenFlowsStarted } from '../../../nodes/shared/node-lifecycle.ts'

/** A node type `witness` of the test, which runs this function in its constructor. */
function witness(construct: (RED: NodeAPI, node: Node, def: AttachedDef) => void) {
  return (RED: NodeAPI) =>
    RED.nodes.registerType('witness', function (this: Node, def: AttachedDef) {
      RED.nodes.createNode(this, def)
      construct(RED, this, def)
    })
}

describe('A node of a panel', () => {
  const harness = useFlowHarness()

  /** Starts a flow with one or more `witness` nodes. */
  const run = async (
    construct: Parameters<typeof witness>[0],
    nodes: Record<string, Partial<NodeDef>> = { witness: {} },
  ) => {
    const simulator = await harness.startSimulator()
    const typed = Object.entries(nodes).map(([name, fields]) => [name, { ...fields, type: 'witness' }])
    const only = createPart(simulator, { nodes: Object.fromEntries(typed) })
    return { only, flow: await harness.startParts([only], { types: [witness(construct)] }) }
  }

  it('subscribes once, at the first input that succeeds, if it could not subscribe at the start', async () => {
    let isThere = false
    const subscriptions: string[] = []
    const behavior: Behavior = {
      subscribe: () => {
        subscriptions.push('listens')
        return () => subscriptions.push('ends')
      },
      onInput: async (_panel, message, send) => send([message]),
    }
    const { flow } = await run((RED, node, def) =>
      bindToPanel(RED, node, def, async () => {
        if (!isThere) throw new TypeError('out of luck')
        return { behavior: () => behavior }
      }),
    )
    await flow.caught.next()
    assert.deepEqual(subscriptions, [])
    isThere = true
    for (let input = 0; input < 2; input += 1) {
      flow.input('witness')
      await flow.output('witness').next()
    }
    assert.deepEqual(subscriptions, ['listens'])
    await harness.stopFlow()
    assert.deepEqual(subscriptions, ['listens', 'ends'])
  })

  it('shows the end of the pause, not an error, after an input that fails during a pause', async () => {
    const { simulator, flow } = await harness.start({
      panel: { stateEvery: 600_000 },
      nodes: { state: { type: 'keyholder-state' } },
    })
    await flow.status('state').next(({ fill }) => fill === 'green')
    simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '3600' } })
    flow.input('state')
    assert.equal((await flow.caught.next()).error.code, 'RATE_LIMITED')
    const { fill, text } = await flow.status('state').next(({ fill }) => fill !== 'blue')
    assert.equal(fill, 'yellow')
    assert.match(text, /^paused until \d\d:\d\d$/)
  })

  it('reports its notices when the flows have started, unless it is closed by then', async () => {
    const reported: string[] = []
    const { flow } = await run(
      (RED, node) => {
        const whenStarted = whenFlowsStarted(RED, node)
        if (node.name === 'closes') void node.close(false)
        whenStarted(() => reported.push(node.name ?? ''))
        assert.deepEqual(reported, [])
      },
      { first: { name: 'closes' }, second: { name: 'stays' } },
    )
    await until(() => reported.includes('stays'))
    assert.deepEqual(reported, ['stays'])
    assert.deepEqual(flow.errors, [])
  })

  it('finds its panel by a text id, and by no other value', async () => {
    let api: NodeAPI | undefined
    const { only } = await run((RED) => {
      api = RED
    })
    const { account, panel } = only
    const find = (id: unknown) => api && configNode(api, 'keyholder-panel', id)?.id
    assert.deepEqual([panel, [panel], account, '', undefined, null, {}, 7].map(find), [
      panel,
      ...Array.from({ length: 7 }, () => undefined),
    ])
  })
})
