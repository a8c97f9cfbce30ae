import assert from 'node:assert/strict'
import { nodeNames } from '../../../harness/fixtures/node-names.ts'
import type { NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'

describe('The palette in a real Node-RED', () => {
  let harness: NodeRedHarness
  let nodeRed: NodeRedProcess

  before(async () => {
    harness = await startNodeRedHarness({}, { hasEditor: true })
    const nodes = [
      { id: 'state', type: 'keyholder-state' },
      { id: 'readings', type: 'keyholder-readings' },
      { id: 'events', type: 'keyholder-events', first: 'deliver' },
      { id: 'health', type: 'keyholder-health', account: 'account', every: 1 },
    ]
    // A message is stale after three polls, and a busy machine may need a while for it.
    await harness.writeFlows(nodes, { every: 3 })
    harness.simulator.world.panels[0]?.addEvents(3)
    nodeRed = harness.startNodeRed()
  })

  after(() => harness.close())

  it('loads all node types without errors', async () => {
    const own = (await nodeRed.nodeSets()).filter(
      ({ module }) => module === '@keyholder/node-red-alarm-panel',
    )
    assert.deepEqual(
      own.filter(({ err, enabled }) => err !== undefined || !enabled),
      [],
    )
    assert.deepEqual(
      own.flatMap(({ types }) => types),
      nodeNames.map((name) => `keyholder-${name}`),
    )
  })

  it('sends the state to a flow', async () => {
    const message = await harness.messages.from('state').first()
    assert.equal(message.topic, 'House/partition/1')
    assert.equal(message.payload, 'DISARM')
    assert.equal(message.stale, false)
    assert.deepEqual(message.panel.serial, harness.simulator.serials[0])
  })

  it('sends the readings to a flow', async () => {
    const message = await harness.messages
      .from('readings')
      .first(({ reading }) => reading.kind === 'temperature')
    assert.match(message.topic, /^House\/device\/.+\/temperature$/)
    assert.equal(typeof message.payload, 'number')
  })

  it('sends each event to a flow in its own message', async () => {
    const { messages } = harness
    await messages.until(() => messages.from('events').all.length >= 3, 'three events')
    assert.equal(new Set(messages.from('events').all.map(({ eventKey }) => eventKey)).size, 3)
    for (const { topic } of messages.from('events').all) assert.match(topic, /^House\/event\/\w+$/)
  })

  it('sends the health to a flow', async () => {
    const message = await harness.messages
      .from('health')
      .first(({ payload }) => payload.panel.state === 'fine')
    assert.equal(message.topic, 'House/health')
    assert.deepEqual([message.payload.status, message.payload.lastError], ['ok', null])
    assert.match(message.payload.versions.nodeRed, /^4\.1\./)
  })

  it('sends changes to a flow', async () => {
    harness.simulator.world.panels[0]?.arm(-1, 'HOME')
    const { state } = await harness.messages.from('state').first(({ payload }) => payload === 'ARMING')
    assert.equal(state.previous, 'DISARM')
  })

  it('stops in time and prints no stack trace', async () => {
    assert.equal(await nodeRed.stop(), 0)
    assert.doesNotMatch(nodeRed.output, /^\s+at /m)
  })
})
