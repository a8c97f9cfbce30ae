import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import {
  type ClusterInstance,
  ClusterInstances,
  shortTimes,
} from '../../../harness/cluster/cluster-instances.ts'
import { connectScripts } from '../../../harness/cluster/connected-scripts.ts'
import { TcpProxy } from '../../../harness/cluster/tcp-proxy.ts'
import { describeWithRedis } from '../../../harness/redis-server.ts'
import type {
  CountedAttempt,
  RateLimitStore,
} from '../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import { RateLimiter } from '../../../src/account/service-user/rate-limit/rate-limiter.ts'
import { systemClock } from '../../../src/clock.ts'

const cap = 6

/** Times with sessions that lapse once a server is away, and not while a busy machine does something else. */
const times = { ...shortTimes, membership: { heartbeat: 50, lease: 3000, validity: 2500 } }

describeWithRedis('Instances whose shared state does not answer', (server) => {
  let instances: ClusterInstances
  let proxy: TcpProxy
  /** This one reaches the server by the proxy. */
  let one: ClusterInstance
  let other: ClusterInstance
  /** The times at which both hold the lease of the panel. */
  let overlaps: number

  beforeEach(async () => {
    await server.empty()
    proxy = await TcpProxy.start(server.port)
    instances = new ClusterInstances(server, times)
    one = await instances.add('one', systemClock, { address: proxy.address })
    other = await instances.add('other')
    overlaps = 0
    for (const { cluster } of [one, other]) {
      const lease = cluster.panels.leases.lease('panel')
      lease.onChange(() => {
        if (isHeldBy(one) && isHeldBy(other)) overlaps += 1
      })
      limitsOf(cluster).limit = cap
      await limitsOf(cluster).recall()
    }
    one.cluster.panels.leases.lease('panel').want()
    await until(() => isHeldBy(one))
    other.cluster.panels.leases.lease('panel').want()
  })
  afterEach(async () => {
    proxy.mend()
    await instances.close()
    await proxy.close()
  })

  const isHeldBy = ({ cluster }: ClusterInstance) => cluster.panels.leases.lease('panel').isHeld
  const limitsOf = (cluster: ClusterInstance['cluster']): RateLimitStore =>
    cluster.userStores('user').rateLimits
  const isAway = { code: 'SHARED_STATE_AWAY' }

  async function takeAll({ cluster }: ClusterInstance): Promise<CountedAttempt[]> {
    const taken: CountedAttempt[] = []
    for (;;) {
      const one = await limitsOf(cluster).take('command')
      if (one === undefined) return taken
      taken.push(one)
    }
  }

  it('give up and send nothing if they are cut off, while the other one takes over; what was asked meanwhile counts and is not sent', async () => {
    ;(await limitsOf(one.cluster).take('command'))?.end()
    proxy.cut()
    const asked = limitsOf(one.cluster).take('command')
    await until(() => isHeldBy(other))
    assert.equal(isHeldBy(one), false)
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', 0), Number.POSITIVE_INFINITY)
    await assert.rejects(asked, isAway)
    await until(() => one.cluster.status.state === 'away')
    assert.equal(one.cluster.panels.leases.lease('panel').failure?.code, isAway.code)
    const refused = assert.rejects(limitsOf(one.cluster).take('command'), isAway)
    const outcome = await Promise.race([refused, new Promise((resolve) => setImmediate(resolve, 'waits'))])
    assert.notEqual(outcome, 'waits', 'refused at once, without waiting for an answer')
    for (let count = 0; count < 3; count += 1) assert.ok(await limitsOf(other.cluster).take('command'))
    proxy.mend()
    await until(() => one.cluster.status.state === 'connected' && one.cluster.status.instances.length === 2)
    // One before the cut, three of the other one, and the one that was asked for in vain.
    assert.equal((await takeAll(one)).length, cap - 5)
    assert.deepEqual([isHeldBy(one), isHeldBy(other), overlaps], [false, true, 0])
  })

  it('count what is allowed late once, and lose no lease, if the server pauses its answers', async () => {
    const { connection, close } = await connectScripts(server)
    await connection.send('CLIENT', ['PAUSE', 1500, 'ALL'])
    close()
    assert.ok(await limitsOf(one.cluster).take('command'))
    assert.equal((await takeAll(one)).length, cap - 1)
    await until(() => isHeldBy(one) || isHeldBy(other))
    assert.deepEqual([one.cluster.status.state, overlaps], ['connected', 0])
  })

  it('go on by themselves after the server has hung for longer than they wait', async () => {
    server.pause()
    await until(() => one.cluster.status.state === 'away' && other.cluster.status.state === 'away')
    assert.deepEqual([isHeldBy(one), isHeldBy(other)], [false, false])
    await assert.rejects(limitsOf(one.cluster).take('command'), isAway)
    server.resume()
    await until(() => isHeldBy(one) || isHeldBy(other))
    await until(
      () => one.cluster.status.instances.length === 2 && other.cluster.status.instances.length === 2,
    )
    assert.equal(overlaps, 0)
    assert.equal((await takeAll(one)).length, cap)
    assert.deepEqual(await takeAll(other), [])
  })

  it('fail what waits for room at once, instead of letting it wait', async () => {
    await takeAll(one)
    const limiter = new RateLimiter(limitsOf(one.cluster), systemClock)
    const { signal } = new AbortController()
    const waiting = ['command', 'urgent', 'poll'].map((lane) =>
      limiter.run(
        { lane: lane as 'poll', signal },
        () => {},
        async () => {},
      ),
    )
    const outcome = Promise.all(waiting.map((one) => assert.rejects(one, isAway)))
    await until(() => limiter.figures.waiting === 3)
    await server.kill()
    await outcome
  })
})
