import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import {
  type ClusterInstance,
  ClusterInstances,
  shortTimes,
} from '../../../../harness/cluster/cluster-instances.ts'
import {
  fullestWindow,
  type LimitedInstance,
  LimitedInstances,
} from '../../../../harness/cluster/limited-instances.ts'
import { TcpProxy } from '../../../../harness/cluster/tcp-proxy.ts'
import { seed } from '../../../../harness/mocha/seed.ts'
import { describeWithRedis, withRedis } from '../../../../harness/redis-server.ts'
import { AttemptLog } from '../../../../src/account/service-user/rate-limit/attempt-log.ts'
import type {
  CountedAttempt,
  RateLimitStore,
} from '../../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import { allLanes } from '../../../../src/account/service-user/rate-limit/sliding-window.ts'
import { userFiles } from '../../../../src/account/service-user/user-stores.ts'
import { systemClock } from '../../../../src/clock.ts'
import { Reserve } from '../../../../src/cluster/membership/reserve.ts'
import { hour, minute, second } from '../../../../src/duration.ts'

const cap = 10

describe('The reserve of an instance', () => {
  let clock: FakeClock
  let reserve: Reserve

  beforeEach(() => {
    clock = new FakeClock()
    reserve = new Reserve('one', 3, clock)
  })

  it('may be used from the first answer that has it until shortly before the others take it, a day later', () => {
    assert.equal(reserve.left, 0)
    reserve.note(0, 'other', [])
    assert.equal(reserve.left, 0)
    reserve.note(minute, 'mine', [])
    assert.equal(reserve.left, 24 * hour - 11 * minute)
    clock.advance(23 * hour)
    assert.ok(reserve.left > 0)
    clock.advance(hour - 11 * minute)
    assert.equal(reserve.left, 0)
  })

  it('ends while the machine sleeps, though the monotonic clock stands still', () => {
    let wall = 0
    reserve = new Reserve('one', 3, { ...clock, monotonic: () => 0, wall: () => wall, after: () => () => {} })
    reserve.note(0, 'mine', [])
    wall = 25 * hour
    assert.equal(reserve.left, 0)
  })

  it('must not be used after the server may have lost it', () => {
    reserve.note(0, 'mine', [])
    const { registration } = reserve
    reserve.forget()
    assert.deepEqual([reserve.left, reserve.registration], [0, undefined])
    reserve.note(0, 'mine', [])
    assert.notEqual(reserve.registration, registration)
  })
})

describeWithRedis('The limit of instances with a reserve', (server) => {
  it(`is never exceeded, whoever is cut off and whenever (SEED=${seed})`, async () => {
    const step = fc.record({
      do: fc.oneof(
        { weight: 8, arbitrary: fc.constant('take' as const) },
        { weight: 4, arbitrary: fc.constant('end' as const) },
        { weight: 3, arbitrary: fc.constantFrom('cut or mend' as const, 'pass' as const) },
        { weight: 1, arbitrary: fc.constant('join' as const) },
      ),
      who: fc.nat(3),
      lane: fc.constantFrom(...allLanes),
      seconds: fc.integer({ min: 1, max: 50 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 100 }), async (steps) => {
        await server.restart()
        const at = new LimitedInstances(server)
        const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
        const members: (LimitedInstance & { running: CountedAttempt[] })[] = []
        const enter = async () => {
          const reserve = 1 + members.length
          const reserveLog = new AttemptLog(join(folder, `${reserve}.log`), at.clock)
          const added = await at.add(cap, undefined, undefined, { reserve, reserveLog })
          members.push(Object.assign(added, { running: [] }))
        }
        const arrivals: number[] = []
        await enter()
        for (const { do: what, who, lane, seconds } of steps) {
          const member = members[who % members.length]
          assert.ok(member)
          if (what === 'join' && members.length < 3) await enter()
          if (what === 'pass') await at.advance(seconds * second)
          if (what === 'end') member.running.shift()?.end()
          if (what === 'cut or mend') {
            member.isAlone = !member.isAlone
            member.store.noteLoss()
          }
          // Without its reserve, the connection would be missing.
          if (what === 'take' && (!member.isAlone || member.store.isCovered)) {
            const taken = await member.store.take(lane)
            if (taken !== undefined) {
              arrivals.push(at.clock.monotonic())
              member.running.push(taken)
            }
          }
          await at.settle()
        }
        at.close()
        await rm(folder, { recursive: true, force: true, maxRetries: 10 })
        const most = fullestWindow(arrivals)
        assert.ok(most <= cap, `${most} of ${cap}: ${arrivals}`)
      }),
      { numRuns: 25, seed },
    )
  }).timeout(120_000)
})

describeWithRedis('Instances with a reserve', (server) => {
  let instances: ClusterInstances
  /** Those that may be cut off: their sessions lapse soon. */
  let lapsing: ClusterInstances
  let folder: string
  let proxies: TcpProxy[]

  beforeEach(async () => {
    await server.restart()
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    proxies = []
    instances = new ClusterInstances(server)
    lapsing = new ClusterInstances(server, shortTimes)
  })
  afterEach(async () => {
    for (const proxy of proxies) proxy.mend()
    await instances.close()
    await lapsing.close()
    for (const proxy of proxies) await proxy.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  interface Member extends ClusterInstance {
    name: string
    limits: RateLimitStore
    proxy: TcpProxy
  }

  async function add(name: string, reserve: number, of = instances): Promise<Member> {
    const proxy = await TcpProxy.start(server.port)
    proxies.push(proxy)
    const own = { address: proxy.address, reserve }
    const instance = await of.add(name, systemClock, own, name)
    const limits = instance.cluster.userStores('user', userFiles(folder, name, systemClock)).rateLimits
    limits.limit = cap
    return { ...instance, name, limits, proxy }
  }

  async function takeAll({ limits }: Pick<Member, 'limits'>): Promise<number> {
    let count = 0
    for (;;) {
      const taken = await limits.take('command')
      if (taken === undefined) return count
      taken.end()
      count += 1
    }
  }

  const isAlone = ({ cluster }: Member) => cluster.status.state === 'alone'
  const isConnected = ({ cluster }: Member) => cluster.status.state === 'connected'
  /** Waits until the others leave these requests a minute to this instance and them. */
  const untilLimit = (of: Member, limit: number) => until(() => of.limits.limit === limit)

  it('leave it off the limit of all, and each goes on with its own when it is cut off', async () => {
    const [one, two] = [await add('one', 3, lapsing), await add('two', 2, lapsing)]
    const lease = one.cluster.lease('panel')
    lease.want()
    await until(() => lease.isHeld)
    const other = two.cluster.lease('panel')
    other.want()
    await untilLimit(one, cap - 5)
    await untilLimit(two, cap - 5)
    one.proxy.cut()
    await until(() => isAlone(one) && other.isHeld)
    assert.deepEqual(
      [lease.isHeld, lease.isAlone, lease.failure, lease.fence],
      [true, true, undefined, undefined],
    )
    assert.equal(await lease.begin('state', 1000), true)
    lease.end('state')
    assert.equal(one.limits.limit, 3)
    assert.deepEqual([await takeAll(one), await takeAll(two)], [3, cap - 5])
    two.proxy.cut()
    await until(() => isAlone(two))
    assert.deepEqual([await takeAll(one), await takeAll(two)], [0, 2])
    const changes: boolean[] = []
    lease.onChange(() => changes.push(lease.isHeld))
    for (const { proxy } of [one, two]) proxy.mend()
    await until(() => isConnected(one) && isConnected(two))
    assert.equal(changes[0], false, 'it looks again what the others have done')
    assert.deepEqual([await takeAll(one), await takeAll(two)], [0, 0])
    await until(() => lease.isHeld !== other.isHeld)
  }).timeout(30_000)

  it('keep that of a dead one, which its next process gets, and not that of one that has left', async () => {
    const one = await add('one', 3)
    const two = await add('two', 2)
    await untilLimit(one, cap - 5)
    await two.cluster.close()
    await untilLimit(one, cap - 3)
    const three = await add('three', 4)
    await untilLimit(one, cap - 7)
    await instances.killAndExpire(three)
    one.limits.limit = cap - 1
    await untilLimit(one, cap - 1 - 7)
    await untilLimit(await add('three', 4), cap - 1 - 7)
  })

  it('get none as new ones while those of dead ones leave less than half of the limit', async () => {
    const one = await add('one', 2)
    for (const [name, left] of [
      ['two', cap - 4],
      ['three', cap - 5],
    ] as const) {
      const killed = await add(name, name === 'two' ? 2 : 1)
      await untilLimit(one, left)
      await instances.killAndExpire(killed)
    }
    const four = await add('four', 2)
    await until(() => four.cluster.status.isReserveWaiting)
    assert.equal(one.cluster.status.isReserveWaiting, false)
    await untilLimit(one, cap - 5)
    assert.equal(await takeAll(one), cap - 5)
    await withRedis(server, (client) => client.hdel('keyholder:{test}:reserves', 'two'))
    await until(() => !four.cluster.status.isReserveWaiting)
    await untilLimit(one, cap - 5)
  }).timeout(30_000)

  it('do not go on alone while they wait for theirs', async () => {
    const one = await add('one', 2)
    const killed = await add('two', cap / 2)
    await untilLimit(one, cap / 2 - 2)
    await instances.killAndExpire(killed)
    const three = await add('three', 2, lapsing)
    await until(() => three.cluster.status.isReserveWaiting)
    const lease = three.cluster.lease('panel')
    lease.want()
    await until(() => lease.isHeld)
    three.proxy.cut()
    await until(() => !lease.isHeld && !isConnected(three))
    assert.equal(three.cluster.status.state, 'away')
    await assert.rejects(takeAll(three), { code: 'SHARED_STATE_AWAY' })
  }).timeout(30_000)

  it('count all that may have been sent for a user who leaves the cluster while its instance is alone', async () => {
    const [one, two] = [await add('one', 3, lapsing), await add('two', 2)]
    await one.limits.recall()
    await untilLimit(one, cap - 5)
    await untilLimit(two, cap - 5)
    one.proxy.cut()
    await until(() => isAlone(one))
    assert.equal(await takeAll(one), 3)
    const { ages } = await one.limits.handOver()
    assert.equal(ages.length, cap)
  }).timeout(30_000)

  it('count what they have sent alone also after that', async () => {
    const one = await add('one', 3, lapsing)
    await one.limits.recall()
    await untilLimit(one, cap - 3)
    one.proxy.cut()
    await until(() => isAlone(one))
    assert.equal(await takeAll(one), 3)
    one.proxy.mend()
    await until(() => isConnected(one))
    assert.equal((await one.limits.handOver()).ages.length, 3)
  }).timeout(30_000)

  it('go on alone for nobody who was not asked to', async () => {
    const one = await add('one', 0, lapsing)
    one.proxy.cut()
    await until(() => one.cluster.status.state === 'away')
    await assert.rejects(one.limits.take('command'), { code: 'SHARED_STATE_AWAY' })
    assert.equal(one.cluster.isAlone, false)
  }).timeout(30_000)

  it('do not use it while the requests of the others leave no room for it', async () => {
    const one = await add('one', 0)
    assert.equal(await takeAll(one), cap)
    const two = await add('two', 4, lapsing)
    await untilLimit(one, cap - 4)
    two.proxy.cut()
    await until(() => isAlone(two))
    await assert.rejects(two.limits.take('command'), { code: 'SHARED_STATE_AWAY' })
  }).timeout(30_000)

  it('say so if their reserves leave nothing of the limit', async () => {
    const [one] = [await add('one', 6), await add('two', 4)]
    await untilLimit(one, 0)
    await assert.rejects(one.limits.take('command'), {
      code: 'BAD_SETTING',
      message:
        /^Reserve of the cluster: .* reserve 10 .* Lower it in the cluster node, or raise the request limit\. .* instances that do not come back\.$/,
    })
  })

  it('put the reserve of one that is cut off back on a server that has lost its data', async () => {
    // The second one knows the reserve of the first from its handshake on.
    const [two, one] = [await add('two', 2, lapsing), await add('one', 3)]
    await untilLimit(one, cap - 5)
    two.proxy.cut()
    await server.restart()
    // It may be connected again by now.
    await until(() => one.cluster.status.latestFailure !== undefined)
    await until(() => isConnected(one) && isAlone(two))
    await untilLimit(one, cap - 5)
    assert.equal(await takeAll(one), cap - 5)
    assert.equal(await takeAll(two), 2)
  }).timeout(30_000)
})
