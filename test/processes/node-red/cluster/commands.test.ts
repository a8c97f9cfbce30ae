import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

const nodes = [
  { id: 'arm', type: 'inject', repeat: '', wires: [['arming']] },
  { id: 'arming', type: 'keyholder-command', action: 'set_state', partition: -1, state: 'AWAY' },
]

describeWithRedis('A command in two real Node-REDs of a cluster', (server) => {
  let instances: NodeRedInstances

  beforeEach(async () => {
    await server.restart({})
    instances = await NodeRedInstances.prepare(server)
  })
  afterEach(() => instances.close())

  const commands = () => instances.simulator.requests.filter(({ path }) => path.endsWith('/set_state'))
  it('that both get at once is sent once, and both nodes give the same answer', async () => {
    const { messages } = instances
    const both = [await instances.start('one', nodes), await instances.start('two', nodes)]
    await Promise.all(both.map((nodeRed) => nodeRed.press('arm')))
    await messages.until(() => messages.from('arming').all.length === 2, 'both answers')
    const [first, second] = messages.from('arming').all.map(({ payload, topic }) => ({ payload, topic }))
    assert.deepEqual(first, second)
    assert.equal(first?.payload.ok, true)
    assert.equal(commands().length, 1)
  })
})
