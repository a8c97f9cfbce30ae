import assert from 'node:assert/strict'
import type { Redis } from 'ioredis'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import { ClusterInstances, shortTimes } from '../../../harness/cluster/cluster-instances.ts'
import { connectScripts } from '../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis, withRedis } from '../../../harness/redis-server.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { forgetUnusedKeys } from '../../../src/cluster/unused-keys.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import { columnsOf } from '../../../src/panel/events/event-history.ts'

const columns = columnsOf({ hashes: [1], occurrences: [0], sequences: [1] }, 2)
const memory = { ...columns, next: 2, order: 'oldest first', newest: null, moved: null } as const
const state = { serial: 'A1', memory, positions: { node: 1 } }

describeWithRedis('What gone nodes and instances have left on the server', (server) => {
  let clock: FakeClock
  let instances: ClusterInstances
  let cluster: Cluster

  beforeEach(async () => {
    await server.restart({})
    clock = new FakeClock()
    instances = new ClusterInstances(server, { quiet: shortTimes.quiet })
    cluster = (await instances.add('one', clock)).cluster
  })
  afterEach(() => instances.close())

  const onServer = <T>(work: (client: Redis) => Promise<T>) => withRedis(server, work)
  const key = (name: string) => `keyholder:{test}:${name}`

  /** Has a node save its cursor. Returns a function that ends the node. */
  async function saveCursor(node: string): Promise<() => void> {
    const lease = cluster.panels.leases.lease('panel', 'events', node)
    const giveUp = lease.want()
    await until(() => {
      clock.advance(100)
      return lease.isHeld
    })
    const cursor = cluster.panels.cursor('panel', 'events', node)
    await cursor.load('A1')
    await cursor.save(state)
    return giveUp
  }

  async function cursorsLeft(): Promise<string[]> {
    const keys = await onServer((client) => client.keys('*:cursor'))
    return keys.map((name) => name.split(' ').at(-1)?.split(':')[0] ?? '').sort()
  }

  /** The time of the shared clock. */
  const sharedTime = () =>
    onServer(async (client) => Number((await client.get(key('clock')))?.split(' ')[0] ?? assert.fail()))

  async function age(node: string, ms: number): Promise<void> {
    const at = (await sharedTime()) - ms
    await onServer((client) => client.zadd(key('changed cursors'), at, `panel events ${node}`))
  }

  /** Looks through it, as an instance does once a day. */
  async function lookThrough(isNextDay = true): Promise<void> {
    const { scripts, command, close } = await connectScripts(server)
    if (isNextDay) await command('HDEL', 'server', 'cleaned')
    // On a busy machine, its session could be over by now.
    await command('ZADD', 'members', 9e15, cluster.session)
    await forgetUnusedKeys(scripts)
    close()
  }

  it('is deleted if it is a cursor that nobody has used for 90 days, and not earlier', async () => {
    await saveCursor('used')
    for (const node of ['off', 'gone']) (await saveCursor(node))()
    await age('used', 400 * day)
    await age('off', 89 * day)
    await age('gone', 91 * day)
    await lookThrough()
    assert.deepEqual(await cursorsLeft(), ['off', 'used'])
    const score = await onServer((client) => client.zscore(key('changed cursors'), 'panel events used'))
    assert.ok((await sharedTime()) - Number(score) < hour, 'its use is noted')
  })

  it('is looked through once a day by all instances together', async () => {
    await lookThrough()
    ;(await saveCursor('gone'))()
    await age('gone', 91 * day)
    await lookThrough(false)
    assert.deepEqual(await cursorsLeft(), ['gone'])
    await lookThrough()
    assert.deepEqual(await cursorsLeft(), [])
  })

  it('is looked through by an instance an hour after its start', async () => {
    // So long a jump ends the connection, which is made again in what is left of the hour.
    clock.advance(hour - minute)
    assert.equal(await onServer((client) => client.hexists(key('server'), 'cleaned')), 0)
    await onServer(async (client) => {
      while ((await client.hexists(key('server'), 'cleaned')) === 0) clock.advance(100)
    })
  })

  it('is known again if an instance has put it back on a server that had lost it', async () => {
    await saveCursor('node')
    const before = cluster.panels.leases.lease('panel', 'events', 'node').fence
    await server.restart({})
    await until(() => {
      clock.advance(500)
      const { fence } = cluster.panels.leases.lease('panel', 'events', 'node')
      return fence !== undefined && fence !== before
    })
    assert.deepEqual(await cursorsLeft(), ['node'])
    const known = await onServer((client) => client.zrangebyscore(key('changed cursors'), '-inf', '+inf'))
    assert.deepEqual(known, ['panel events node'])
  })

  it('is deleted if it is the lease of a dead instance, or a work that was begun 90 days ago', async () => {
    await saveCursor('node')
    const held = await onServer((client) => client.hgetall(key('leases')))
    await onServer(async (client) => {
      const many = Object.fromEntries(
        Array.from({ length: 1000 }, (_, index) => [`gone${index}`, `1 ${index}`]),
      )
      await client.hset(key('leases'), many)
      const time = await sharedTime()
      const [recent, old] = [time - 89 * day, time - 91 * day]
      await client.hset(key('begun'), { 'panel events': `${recent} 1 0`, 'gone events': `${old} 1 1` })
    })
    await lookThrough()
    assert.deepEqual(await onServer((client) => client.hkeys(key('begun'))), ['panel events'])
    assert.deepEqual(await onServer((client) => client.hgetall(key('leases'))), held)
  })
})
