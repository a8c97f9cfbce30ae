import assert from 'node:assert/strict'
import { setTimeout as pass } from 'node:timers/promises'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { createEventLoad } from '../../../../harness/node-red/event-load.ts'
import type { NodeRedProcess } from '../../../../harness/node-red/node-red-process.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { second } from '../../../../src/duration.ts'

/** As many events as the list of the simulator has room for. */
const most = 55

/** The events in flight if the flow needs 25 ms for each of them. */
const portion = 2

describeWithRedis('Three real Node-REDs in a cluster with a slow flow', (server) => {
  let instances: NodeRedInstances
  let processes: Map<string, NodeRedProcess>

  beforeEach(async () => {
    await server.restart({})
    instances = await NodeRedInstances.prepare(server)
    processes = new Map()
    for (const name of ['one', 'two', 'three']) {
      const work = 'const end = Date.now() + 25; while (Date.now() < end)'
      const func = `${work}; return { payload: { from: 'slow', message: { ...msg, by: '${name}' } } }`
      const nodes = [
        { id: 'events', type: 'keyholder-events', first: 'deliver', wires: [['slow']] },
        { id: 'slow', type: 'function', func, outputs: 1, wires: [['post tab']] },
      ]
      processes.set(name, await instances.start(name, nodes))
    }
  })
  afterEach(async () => {
    for (const one of processes.values()) one.resume()
    await instances.close()
  })

  it('send each event once though one stands still or is killed in a long list, and again at most a portion, flagged', async () => {
    const { messages } = instances
    const load = createEventLoad(instances, 'slow')
    const slow = messages.from('slow')
    load.addEvents(1)
    await load.waitForAll()
    /** Disturbs the instance that sends, in the middle of a long list. */
    const disturb = async (how: (sending: NodeRedProcess) => Promise<void>) => {
      const before = slow.all.length
      load.addEvents(most)
      await messages.until(() => slow.all.length > before + 10, 'some of the list')
      await how(processes.get(`${slow.all.at(-1)?.by}`) ?? assert.fail())
      await load.waitForAll()
    }
    for (const seconds of [2, 5, 8])
      await disturb(async (sending) => {
        sending.suspend()
        await pass(seconds * second)
        sending.resume()
      })
    await disturb((sending) => sending.kill())
    await load.finish()
    const unflagged = slow.all.filter(({ redelivered }) => redelivered !== true)
    const senders = slow.all.map(({ by }) => by)
    const changes = senders.filter((by, at) => at > 0 && by !== senders[at - 1]).length
    console.log(
      `      ${load.count} events, ${slow.all.length} messages, ${load.flaggedCount} flagged, ${changes} changes of the sender`,
    )
    assert.deepEqual([load.counts.lost, load.counts.gaps], [0, 0])
    // What was on its way in an instance that stood still comes after what another one has sent again.
    assert.equal(new Set(unflagged.map(({ payload }) => payload.id)).size, unflagged.length)
    assert.ok(slow.all.length - load.count <= portion * changes)
  })
})
