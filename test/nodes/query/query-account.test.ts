import assert from 'node:assert/strict'
import type { FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts'

const type = 'keyholder-query'

describe('The node keyholder-query with an account and no panel', () => {
  const harness = useFlowHarness()

  /** Starts a flow with one query node, whose panel is empty and whose account is the one of the part. */
  const start = async (
    fields: object = {},
    setup: Partial<FlowPartOptions> = {},
    options?: SimulatorOptions,
  ) => {
    const simulator = await harness.startSimulator(options)
    const part = createPart(simulator, { nodes: { query: { type, panel: '', ...fields } }, ...setup })
    const nodes = part.nodes
      .filter(({ type }) => type !== 'keyholder-panel')
      .map((node) => (node.type === type ? { account: part.account, ...node } : node))
    return { simulator, flow: await harness.startParts([{ ...part, nodes }]) }
  }

  // @spec 2.1, 4.3, 4.11
  it('answers what concerns no single panel, without a user code, and opens no panel', async () => {
    const { simulator, flow } = await start({}, { account: { name: 'Ours' } })
    for (const operation of ['panels', 'event_profiles', 'session']) {
      flow.input('query', { operation, count: 7 })
      const { topic, payload, panel, stale, count } = await flow.output('query').next()
      assert.equal(topic, `Ours/query/${operation}`)
      assert.equal(typeof payload, 'object')
      assert.deepEqual([panel, stale, count], [null, false, 7])
    }
    assert.equal(requestsTo(simulator, 'panel/login'), 0)
    assert.equal((await flow.status('query').next(({ fill }) => fill === 'green')).shape, 'dot')
  })

  it('names the host in the topic if the account node has no name', async () => {
    const { simulator, flow } = await start({ operation: 'panels' })
    flow.input('query')
    assert.equal((await flow.output('query').next()).topic, `${new URL(simulator.url).host}/query/panels`)
  })

  // @spec 4.7, 4.9, 4.10, 5.4
  it('answers what the specification lists with the user token alone, if the service does', async () => {
    const account = { api: 'service' }
    const { simulator, flow } = await start({}, { account }, { panels: 1 })
    for (const operation of ['standard_log', 'events', 'rri_results', 'configuration_list']) {
      flow.input('query', { operation })
      assert.equal((await flow.output('query').next()).panel, null)
    }
    assert.equal(requestsTo(simulator, 'panel/login'), 0)
  })

  // @spec 4.7, 4.9, 4.10, which-panel
  it('refuses what is about one panel if the account has several, also while one of them is open', async () => {
    const { simulator, flow } = await start({}, {}, { panels: 2 })
    for (const operation of ['standard_log', 'events', 'rri_results', 'configuration_list']) {
      flow.input('query', { operation })
      const { error } = await flow.caught.next()
      assert.equal(error.code, 'NOT_CONFIGURED')
      assert.match(error.message, /: Panel: the account has 2 panels, .*Choose one in the node/)
    }
    assert.equal(requestsTo(simulator, 'panels'), 1)
  })

  for (const operation of ['panel_info', 'devices', 'status', 'users']) {
    it(`refuses ${operation}, which concerns one panel, before anything is sent`, async () => {
      const { simulator, flow } = await start({ operation })
      flow.input('query')
      const { error } = await flow.caught.next()
      assert.equal(error.code, 'NOT_CONFIGURED')
      assert.match(error.message, /: Panel: .*Choose one in the node/)
      assert.deepEqual(simulator.requests, [])
    })
  }

  it('asks the panel if both are selected', async () => {
    const simulator = await harness.startSimulator()
    const part = createPart(simulator, { nodes: { query: { type, operation: 'panels' } } })
    const nodes = part.nodes.map((node) => (node.type === type ? { ...node, account: part.account } : node))
    const flow = await harness.startParts([{ ...part, nodes }])
    flow.input('query')
    const { topic, panel } = await flow.output('query').next()
    assert.deepEqual([topic, panel.alias], ['Home/query/panels', 'Home'])
  })

  it('shows and reports once that the account cannot be used, and each input that fails for it', async () => {
    const { flow } = await start({ operation: 'panels' }, { account: { url: 'gopher://here' } })
    assert.equal((await flow.caught.next()).error.code, 'BAD_SETTING')
    assert.equal((await flow.status('query').next(({ fill }) => fill === 'red')).shape, 'ring')
    flow.input('query')
    flow.input('query')
    assert.equal((await flow.caught.take(2)).length, 2)
    assert.equal(flow.caught.all.length, 3)
  })

  for (const [what, account] of [
    ['neither', ''],
    ['an account that does not exist', 'gone'],
  ] as const) {
    it(`is NOT_CONFIGURED with ${what}`, async () => {
      const { flow } = await start({ account })
      assert.equal((await flow.status('query').next(({ fill }) => fill === 'grey')).text, 'not configured')
      flow.input('query')
      const { error } = await flow.caught.next()
      assert.equal(error.code, 'NOT_CONFIGURED')
      assert.match(error.message, /: (Panel|Account) is not selected/)
    })
  }
})
