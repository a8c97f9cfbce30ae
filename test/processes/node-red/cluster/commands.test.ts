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
    const answers = () => messages.from('arming').all
    const pressBoth = async () => {
      const [sent, answered] = [commands().length, answers().length]
      await Promise.all(both.map((nodeRed) => nodeRed.press('arm')))
      await messages.until(() => answers().length === answered + 2, 'both answers')
      const isArmed = answers()
        .slice(answered)
        .some(({ payload }) => payload.already)
      return isArmed ? 'already armed' : commands().length - sent
    }
    // On a busy machine, they may get it more than two seconds apart: these are two commands.
    let sent = await pressBoth()
    for (let tries = 1; sent !== 1 && tries < 20; tries += 1) {
      instances.simulator.world.panels[0]?.disarm(-1)
      sent = await pressBoth()
    }
    assert.equal(sent, 1)
    const [first, second] = answers()
      .slice(-2)
      .map(({ payload, topic }) => ({ payload, topic }))
    assert.deepEqual(first, second)
    assert.equal(first?.payload.ok, true)
  })
})
