import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis('The test of the alarm chain in two real Node-REDs of a cluster', (server) => {
  let instances: NodeRedInstances

  before(async () => {
    instances = await NodeRedInstances.prepare(server)
  })
  after(() => instances.close())

  it('is sent by one of them, and answered at the other one after that one was killed', async () => {
    const { messages } = instances
    const ask = { id: 'ask', type: 'inject', props: [{ p: 'payload' }], wires: [['chain']] }
    const nodes = [{ id: 'chain', type: 'keyholder-chain-test', wires: [[], [], ['wrap chain']] }, ask]
    const status = (fits: RegExp) => messages.from('tab status').next((one) => fits.test(one.status.text))
    const first = await instances.start('first', nodes)
    await status(/^not tested yet/)
    await first.press('ask', { payload: 'test' })
    const sent = await messages.from('chain').next()
    await status(/^waits for an answer/)
    const second = await instances.start('second', nodes)
    await status(/^standby: first/)
    // The one that stands by knows of no test.
    await second.press('ask', { payload: { answer: sent.payload.answer } })
    await status(/^not possible now/)
    await first.kill()
    await status(/^waits for an answer/)
    await second.press('ask', { payload: { answer: sent.payload.answer } })
    const answered = await messages.from('chain').next()
    assert.deepEqual([answered.payload.id, answered.payload.attempt], [sent.payload.id, 1])
    await status(/^answered/)
    assert.equal(messages.from('chain').all.length, 2)
  })
})
