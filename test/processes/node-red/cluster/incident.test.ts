import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis('An incident in two real Node-REDs of a cluster', (server) => {
  let instances: NodeRedInstances

  before(async () => {
    instances = await NodeRedInstances.prepare(server)
  })
  after(() => instances.close())

  it('is told by one of them, and goes on in the other one when that one is killed', async () => {
    const { simulator, messages } = instances
    const home = simulator.world.panel('A1B2C3')
    const ask = { id: 'ask', type: 'inject', props: [], wires: [['story']] }
    const nodes = [{ id: 'story', type: 'keyholder-incident' }, ask]
    const first = await instances.start('first', nodes)
    home.arm(1, 'AWAY', { exitDelay: 0, user: 'Alex' })
    home.open(2)
    const story = messages.from('story')
    const opened = await story.next()
    const second = await instances.start('second', nodes)
    await messages.from('tab status').next(({ status }) => status.text === 'standby: first')
    // An instance that stands by answers with what the other one has noted.
    await second.press('ask', { asked: true })
    const answer = await story.next(({ asked }) => asked === true)
    assert.deepEqual([answer.payload.id, answer.payload.status], [opened.payload.id, 'open'])
    await first.kill()
    home.open(3)
    home.disarm(1, { user: 'Robin' })
    const closed = await story.next(
      ({ payload }) => payload.status === 'closed' && payload.disarmedBy !== null,
    )
    assert.equal(closed.payload.id, opened.payload.id)
    assert.deepEqual(
      closed.payload.zones.map(({ zone }: { zone: number }) => zone),
      [2, 3],
    )
    assert.deepEqual([closed.payload.armedBy.name, closed.payload.disarmedBy.name], ['Alex', 'Robin'])
    const unflagged = story.all.filter(({ redelivered, asked }) => !redelivered && !asked)
    const texts = unflagged.map(({ payload }) => JSON.stringify(payload))
    assert.equal(new Set(texts).size, texts.length)
  })
})
