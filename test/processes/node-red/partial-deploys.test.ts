import assert from 'node:assert/strict'
import type { DeployKind } from '../../../harness/node-red/node-red-process.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, panelId, startNodeRedHarness } from '../../../harness/node-red.ts'

/** Posts the messages of a node of a subflow, and of its errors and statuses, as from this name. */
const posting = (from: string, url: string): FlowNode[] => [
  {
    id: `wrap ${from}`,
    type: 'function',
    z: 'tab',
    func: `return { payload: { from: ${JSON.stringify(from)}, message: msg } }`,
    outputs: 1,
    wires: [[`post ${from}`]],
  },
  {
    ...{ id: `post ${from}`, type: 'http request', z: 'tab', method: 'POST', ret: 'txt', url },
    ...{ paytoqs: 'ignore', headers: [], wires: [[]] },
  },
]

const place = { x: 100, y: 100 }

/** A subflow whose nodes get their config node from a property of the subflow. */
function subflow(
  property: { name: string; type: string; value: string },
  inner: readonly FlowNode[],
  url: string,
): FlowNode[] {
  const { name, type, value } = property
  const ui = { type: 'conf-types' }
  const ports = inner.filter(({ wires }) => wires !== undefined).map(({ id }) => [{ id, port: 0 }])
  return [
    {
      id: 'subflow',
      type: 'subflow',
      name: 'Subflow',
      info: '',
      in: [],
      out: [
        ...ports.map((wires) => ({ x: 0, y: 0, wires })),
        { x: 0, y: 0, wires: [{ id: 'inner status', port: 0 }] },
      ],
      env: [{ name, type, value: '', ui }],
    },
    // Only nodes with a position are part of a subflow's flow.
    ...inner.map((node) => ({ ...node, ...(node.wires && place), z: 'subflow' })),
    { id: 'inner status', type: 'status', ...place, z: 'subflow', scope: null, wires: [[]] },
    {
      ...{
        id: 'instance',
        type: 'subflow:subflow',
        ...place,
        z: 'tab',
        env: [{ name, type: 'conf-type', value }],
      },
      wires: [...ports.map(([port]) => [`wrap ${port?.id}`]), ['wrap inner status']],
    },
    ...ports.flatMap(([port]) => posting(port?.id ?? '', url)),
    ...posting('inner status', url),
  ]
}

const variable = (name: string) => `\${${name}}`

const state = { type: 'keyholder-state', emit: 'poll', partitions: [1] }

describe('After a deploy of what was changed, in a real Node-RED', () => {
  let harness: NodeRedHarness
  beforeEach(async () => {
    harness = await startNodeRedHarness()
  })
  afterEach(() => harness.close())

  /** Returns the flows with other values for some fields of a node. */
  const changed = (flows: readonly FlowNode[], id: string, fields: object): FlowNode[] =>
    flows.map((node) => (node.id === id ? { ...node, ...fields } : node))

  /** Writes down a state node on a tab and the given subflow, and starts Node-RED. */
  async function start(parts: readonly FlowNode[]) {
    const flows = [...(await harness.writeFlows([{ id: 'outer', ...state }])), ...parts]
    const { email, password, userCode } = harness.simulator
    const codes = { [panelId]: { userCode }, inside: { userCode } }
    await harness.writeFlowFile(flows, { account: { email, password }, ...codes })
    return { flows, nodeRed: harness.startNodeRed() }
  }

  const told = (node: string, topic: string) =>
    harness.messages.from(node).first((message) => message.topic === topic)
  const statuses = () => harness.messages.from('inner status').all.map(({ status }) => status.fill)

  for (const kind of ['nodes', 'flows', 'full'] satisfies DeployKind[]) {
    it(`the nodes in a subflow use the new panel, which is a property of the subflow (${kind})`, async () => {
      const { url } = harness.messages
      const inner = [
        { id: 'inner', ...state, panel: variable('PANEL'), wires: [[]] },
        { id: 'events', type: 'keyholder-events', panel: variable('PANEL'), wires: [[]] },
        {
          id: 'health',
          type: 'keyholder-health',
          account: 'account',
          panel: variable('PANEL'),
          every: 1,
          wires: [[]],
        },
      ]
      const property = { name: 'PANEL', type: 'keyholder-panel', value: panelId }
      const { flows, nodeRed } = await start(subflow(property, inner, url))
      await told('inner', 'House/partition/1')
      await told('health', 'House/health')
      for (const name of ['Villa', 'Cottage']) {
        await nodeRed.deploy(changed(flows, panelId, { name }), kind)
        await Promise.all(['outer', 'inner'].map((node) => told(node, `${name}/partition/1`)))
        const health = await told('health', `${name}/health`)
        assert.equal(health.payload.status, 'ok')
        harness.simulator.world.panel(harness.simulator.serials[0] ?? '').log({ type_id: 1, partitions: [1] })
        await harness.messages.from('events').first(({ topic }) => topic.startsWith(`${name}/event/`))
      }
      const last = harness.messages.from('inner').all.slice(-1)[0]
      assert.equal(last?.topic, 'Cottage/partition/1')
    })
  }

  for (const kind of ['nodes', 'flows'] satisfies DeployKind[]) {
    it(`a panel in a subflow uses the new account, which is a property of the subflow (${kind})`, async () => {
      const { url } = harness.messages
      const [serial = ''] = harness.simulator.serials
      const every = { stateEvery: 0.4, eventsEvery: 0.4, devicesEvery: 0.4 }
      const inner = [
        {
          id: 'inside',
          type: 'keyholder-panel',
          name: 'Inside',
          account: variable('ACCOUNT'),
          serial,
          ...every,
        },
        { id: 'inner', ...state, panel: 'inside', wires: [[]] },
      ]
      const property = { name: 'ACCOUNT', type: 'keyholder-account', value: 'account' }
      const { flows, nodeRed } = await start(subflow(property, inner, url))
      await told('inner', 'Inside/partition/1')
      const closed = harness.simulator.url
      const moved = changed(flows, 'account', { url: 'https://127.0.0.1:1', timeout: 0.2 })
      await nodeRed.deploy(moved, kind)
      await harness.messages.until(() => statuses().at(-1) !== 'green', 'no green status')
      await nodeRed.deploy(changed(moved, 'account', { url: closed, timeout: 5 }), kind)
      const before = harness.messages.from('inner').all.length
      await harness.messages.until(
        () => harness.messages.from('inner').all.length > before + 2,
        'further messages',
      )
    })
  }

  it('a node whose panel is gone is not green any more', async () => {
    const inner = [{ id: 'inner', ...state, panel: variable('PANEL'), wires: [[]] }]
    const property = { name: 'PANEL', type: 'keyholder-panel', value: panelId }
    const { flows, nodeRed } = await start(subflow(property, inner, harness.messages.url))
    await told('inner', 'House/partition/1')
    await harness.messages.until(() => statuses().at(-1) === 'green', 'a green status')
    const without = flows.filter(({ id }) => id !== panelId)
    await nodeRed.deploy(without, 'nodes')
    await harness.messages.until(() => statuses().at(-1) === 'grey', 'a grey status')
    await nodeRed.deploy(flows, 'nodes')
  })
})
