import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis('The conditions in two real Node-REDs of a cluster', (server) => {
  let instances: NodeRedInstances

  before(async () => {
    instances = await NodeRedInstances.prepare(server)
  })
  after(() => instances.close())

  it('are told by one of them, and go on in the other one when that one is killed', async () => {
    const { simulator, messages } = instances
    const home = simulator.world.panel('A1B2C3')
    const ask = { id: 'ask', type: 'inject', props: [], wires: [['list']] }
    const nodes = [{ id: 'list', type: 'keyholder-conditions' }, ask]
    const first = await instances.start('first', nodes)
    home.open(2)
    const list = messages.from('list')
    const opened = await list.next()
    const second = await instances.start('second', nodes)
    await messages.from('tab status').next(({ status }) => status.text === 'standby: first')
    // An instance that stands by answers too, with what is there now.
    await second.press('ask', { asked: true })
    const answer = await list.next(({ asked }) => asked === true)
    assert.deepEqual(
      answer.payload.map(({ kind, zone }: { kind: string; zone: number }) => [kind, zone]),
      [['open', 2]],
    )
    await first.kill()
    home.lowBattery(home.zone(3).id)
    const both = await list.next(({ payload }) => payload.length === 2)
    assert.deepEqual(
      both.payload.map(({ kind, zone }: { kind: string; zone: number }) => [kind, zone]),
      [
        ['battery', 3],
        ['open', 2],
      ],
    )
    assert.equal(both.payload[1].since, opened.payload[0].since)
    const unflagged = list.all.filter(({ redelivered, asked }) => !redelivered && !asked)
    const texts = unflagged.map(({ payload }) => JSON.stringify(payload))
    assert.equal(new Set(texts).size, texts.length)
  })
})
