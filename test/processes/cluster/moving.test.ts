import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { ProcessClock } from '../../../harness/clock/process-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import { fullestWindow } from '../../../harness/cluster/limited-instances.ts'
import { redisTestbeds } from '../../../harness/cluster/redis-testbed.ts'
import type { Instance, Testbed } from '../../../harness/contract/testbed.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import { describeWithRedis } from '../../../harness/redis-server.ts'
import { withoutKillGuard } from '../../../harness/without-kill-guard.ts'
import { Rejected } from '../../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../../src/account/service-user/auth/rejected-credentials.ts'
import { maxReservationTime } from '../../../src/account/service-user/rate-limit/attempt-log.ts'
import { allLanes } from '../../../src/account/service-user/rate-limit/budget.ts'
import type {
  CountedAttempt,
  RateLimitStore,
} from '../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import {
  attemptLogOf,
  localUserStores,
  type UserStores,
} from '../../../src/account/service-user/user-stores.ts'
import { type Clock, systemClock } from '../../../src/clock.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { minute, second } from '../../../src/duration.ts'
import { KeyholderError } from '../../../src/service/error.ts'

const user = 'user1'
const cap = 6

/** An account that moves into a cluster and out of it, in one process after the other, and another instance. */
class MovingAccount {
  readonly #testbed: Testbed<Cluster>
  readonly #folder: string
  readonly #time: Clock
  #clock: ProcessClock
  #cluster: Instance<Cluster> | undefined
  #isInCluster = false
  stores!: UserStores

  private constructor(testbed: Testbed<Cluster>, folder: string, time: Clock) {
    this.#testbed = testbed
    this.#folder = folder
    this.#time = time
    this.#clock = clockOfProcess(time)
  }

  static async open(testbed: Testbed<Cluster>, folder: string, time: Clock): Promise<MovingAccount> {
    const opened = new MovingAccount(testbed, folder, time)
    await opened.#open()
    return opened
  }

  get isInCluster(): boolean {
    return this.#isInCluster
  }

  /** Moves within the process, as a deploy does. */
  async move(): Promise<void> {
    this.#isInCluster = !this.#isInCluster
    await this.#open(this.stores.rateLimits)
  }

  /** Gets another connection to the same server, as after a deploy of other settings of the cluster. */
  async reconnect(): Promise<void> {
    const before = this.#cluster
    this.#cluster = undefined
    const { rateLimits } = this.stores
    await before?.stores.close()
    await this.#open(rateLimits)
  }

  /** Ends the process, and starts the next one with the same flow, or with one in which the account moves. */
  async kill(moves: boolean): Promise<void> {
    await this.#cluster?.kill()
    this.#cluster = undefined
    this.#clock.stop()
    this.#clock = clockOfProcess(this.#time)
    if (moves) this.#isInCluster = !this.#isInCluster
    await this.#open()
  }

  async #open(before?: RateLimitStore): Promise<void> {
    if (this.#isInCluster) this.#cluster ??= await this.#testbed.open()
    const openLocal = localUserStores(this.#folder, this.#clock)
    this.stores = this.#isInCluster
      ? (this.#cluster as Instance<Cluster>).stores.userStores(
          user,
          attemptLogOf(user, this.#folder, this.#clock),
        )
      : openLocal(user)
    this.stores.rateLimits.limit = cap
    const { rateLimits } = this.stores
    await rateLimits.recall(before?.close())
  }
}

/** Returns the clock of a process on the machine, which runs since one start. */
function clockOfProcess(time: Clock): ProcessClock {
  return Object.assign(new ProcessClock(time), { boot: 'same' })
}

describeWithRedis('An account that moves into a cluster and out of it', (server) => {
  let folder: string
  let testbed: Testbed<Cluster>
  let clock: FakeClock

  beforeEach(async () => {
    await server.empty()
    await start()
  })
  afterEach(() => end())

  async function start() {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    testbed = await redisTestbeds(server, (cluster) => cluster).start()
    clock = new FakeClock()
  }

  async function end() {
    await testbed.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** Lets time pass for the cluster, and for the account outside it. */
  async function advance(ms: number) {
    await testbed.advance(ms)
    clock.advance(ms)
  }

  /** Takes attempts until there is no room; they end at once. */
  async function takeAll({ rateLimits }: Pick<UserStores, 'rateLimits'>): Promise<number> {
    let count = 0
    const isPausing = () => (rateLimits.backoff?.requestedUntil ?? 0) > testbed.now()
    for (;;) {
      const taken = isPausing() ? undefined : await rateLimits.take('command')
      if (taken === undefined) return count
      taken.end()
      count += 1
    }
  }

  /** Asserts that nothing is sent for a minute from now on, and then as much as the limit allows. */
  async function assertPause({ stores }: MovingAccount): Promise<void> {
    assert.equal(stores.rateLimits.backoff?.error.code, 'RATE_LIMITED')
    assert.equal(await takeAll(stores), 0)
    await advance(minute - second)
    assert.equal(await takeAll(stores), 0)
    await advance(3 * second)
    assert.equal(await takeAll(stores), cap)
  }

  for (const moves of ['a deploy', 'a restart'] as const) {
    const moveWith = (account: MovingAccount) => (moves === 'a deploy' ? account.move() : account.kill(true))

    it(`pauses for a minute after ${moves} with which it moves in, as the instances there do: they do not know what it has sent`, async () => {
      const account = await MovingAccount.open(testbed, folder, clock)
      const other = (await testbed.open()).stores.userStores(user)
      other.rateLimits.limit = cap
      ;(await account.stores.rateLimits.take('poll'))?.end()
      await moveWith(account)
      assert.equal(await other.rateLimits.take('command'), undefined)
      assert.match(
        other.rateLimits.backoff?.error.message ?? '',
        /that instance has just moved into the cluster/,
      )
      await assertPause(account)
    })

    it(`does not pause after ${moves} with which it moves in, if it has sent nothing for two minutes`, async () => {
      const account = await MovingAccount.open(testbed, folder, clock)
      ;(await account.stores.rateLimits.take('poll'))?.end()
      await advance(maxReservationTime + second)
      await until(() => readFileSync(join(folder, `user-${user}.log`), 'utf8').includes('end '))
      await moveWith(account)
      assert.equal(await takeAll(account.stores), cap)
    })

    it(`pauses for a minute after ${moves} with which it moves out, once: what the others have sent is not known`, async () => {
      const account = await MovingAccount.open(testbed, folder, clock)
      await account.move()
      await moveWith(account)
      await assertPause(account)
      account.stores.rateLimits.endBackoff()
      await account.kill(false)
      assert.equal(account.stores.rateLimits.backoff, undefined)
      assert.equal(account.stores.rateLimits.used, cap)
    })
  }

  it('begins the pause when the last request of the time before has ended', async () => {
    const account = await MovingAccount.open(testbed, folder, clock)
    const running = await account.stores.rateLimits.take('poll')
    const moved = account.move()
    await advance(30 * second)
    running?.end()
    await moved
    await assertPause(account)
  })

  it('goes on without a pause when only the settings of its cluster change, or it restarts there', async () => {
    const account = await MovingAccount.open(testbed, folder, clock)
    await account.move()
    ;(await account.stores.rateLimits.take('poll'))?.end()
    await account.reconnect()
    assert.equal(account.stores.rateLimits.used, 1)
    await account.kill(false)
    assert.equal(await takeAll(account.stores), cap - 1)
  })

  describe('with wrong secrets', () => {
    const wrong = new KeyholderError('BAD_CREDENTIALS', 'Wrong password.')
    let tried: string[]

    /** Signs in as the process does that has these stores; all passwords are wrong. */
    async function signIn({ stores }: MovingAccount, password: string): Promise<void> {
      const rejected = new RejectedCredentials(stores.rejections, systemClock, withoutKillGuard)
      const attempt = rejected.attemptUnlessRejected(
        { subject: 'sign-in', secrets: [password] },
        async () => {
          tried.push(password)
          throw new Rejected(wrong)
        },
      )
      await assert.rejects(
        attempt,
        (thrown) => thrown instanceof Rejected && thrown.error.code === wrong.code,
      )
    }

    beforeEach(() => {
      tried = []
    })

    it('sends again in the cluster nothing that was rejected there, whatever happened meanwhile', async () => {
      const account = await MovingAccount.open(testbed, folder, clock)
      await account.move()
      await signIn(account, 'wrong')
      for (const _ of ['a restart', 'a second one']) {
        await account.kill(false)
        await signIn(account, 'wrong')
      }
      assert.deepEqual(tried, ['wrong'])
      const other = await MovingAccount.open(testbed, folder, clock)
      await other.move()
      await signIn(other, 'wrong')
      assert.deepEqual(tried, ['wrong'])
    })

    it('sends once more what was rejected on the other side, and not again when it comes back', async () => {
      const account = await MovingAccount.open(testbed, folder, clock)
      await signIn(account, 'wrong')
      await account.move()
      for (const _ of ['at once', 'and later']) await signIn(account, 'wrong')
      assert.deepEqual(tried, ['wrong', 'wrong'])
      for (const moves of ['a deploy', 'a restart', 'a deploy']) {
        await (moves === 'a deploy' ? account.move() : account.kill(true))
        await signIn(account, 'wrong')
      }
      assert.deepEqual(tried, ['wrong', 'wrong'])
    })
  })

  it(`never exceeds the limit, though it moves and is killed at any time (SEED=${seed})`, async () => {
    const step = fc.record({
      do: fc.oneof(
        { weight: 6, arbitrary: fc.constant('take' as const) },
        { weight: 3, arbitrary: fc.constantFrom('end' as const, 'take of another' as const) },
        { weight: 2, arbitrary: fc.constantFrom('move' as const, 'pass' as const) },
        { weight: 1, arbitrary: fc.constantFrom('kill' as const, 'kill and move' as const) },
      ),
      lane: fc.constantFrom(...allLanes),
      seconds: fc.integer({ min: 1, max: 50 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        await end()
        await start()
        const account = await MovingAccount.open(testbed, folder, clock)
        const other = (await testbed.open()).stores.userStores(user).rateLimits
        other.limit = cap
        await other.recall()
        const arrivals: number[] = []
        let running: CountedAttempt[] = []
        const take = async (store: RateLimitStore, lane: (typeof allLanes)[number]) => {
          if ((store.backoff?.requestedUntil ?? 0) > testbed.now()) return
          const taken = await store.take(lane)
          if (taken === undefined) return
          arrivals.push(testbed.now())
          return taken
        }
        for (const { do: what, lane, seconds } of steps) {
          if (what === 'take') {
            const taken = await take(account.stores.rateLimits, lane)
            if (taken !== undefined) running.push(taken)
          } else if (what === 'end') running.shift()?.end()
          else if (what === 'pass') await advance(seconds * second)
          else if (what === 'take of another') {
            // After the account has moved out, each of them has a limit of its own.
            if (account.isInCluster) (await take(other, lane))?.end()
          } else if (what === 'move') {
            const ends = running
            running = []
            const moved = account.move()
            for (const { end } of ends) end()
            await moved
          } else {
            running = []
            await account.kill(what === 'kill and move')
          }
        }
        const most = fullestWindow(arrivals)
        assert.ok(most <= cap, `${most} of ${cap}: ${arrivals}`)
      }),
      { numRuns: 15, seed },
    )
  })
})
