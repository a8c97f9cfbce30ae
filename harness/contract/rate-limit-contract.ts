import assert from 'node:assert/strict'
import fc from 'fast-check'
import { allLanes, type Lane } from '../../src/account/service-user/rate-limit/budget.ts'
import type {
  CountedAttempt,
  RateLimitStore,
} from '../../src/account/service-user/rate-limit/rate-limit-store.ts'
import type { UserStores } from '../../src/account/service-user/user-stores.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { seed } from '../mocha/seed.ts'
import { type Instance, reopen, type Testbed, type Testbeds, waitUntil, withTestbed } from './testbed.ts'

type Stores = Pick<UserStores, 'rateLimits'>

/** A step of a history: what a caller does, what happens to its process, or time that passes, in windows. */
type Step =
  | { what: 'take'; caller: number; lane: Lane }
  | { what: 'end'; caller: number }
  | { what: 'kill'; caller: number }
  | { what: 'pass'; windows: number }

const callers = fc.nat({ max: 3 })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant('take' as const),
      caller: callers,
      lane: fc.constantFrom(...allLanes),
    }),
  },
  { weight: 5, arbitrary: fc.record({ what: fc.constant('end' as const), caller: callers }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('kill' as const), caller: callers }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('pass' as const),
      windows: fc.double({ min: 0, max: 0.7, noNaN: true }),
    }),
  },
)

/** An attempt of the model: it arrives at the service between its start and its end. */
interface Attempt {
  caller: number
  counted: CountedAttempt
  end: number
}

/** Callers in one or several processes, and the model of what the service has seen. */
class History {
  readonly #testbed: Testbed<Stores>
  readonly #cap: number
  readonly #instances: Instance<Stores>[]
  #attempts: Attempt[] = []

  constructor(testbed: Testbed<Stores>, cap: number, instances: Instance<Stores>[]) {
    this.#testbed = testbed
    this.#cap = cap
    this.#instances = instances
  }

  async happen(next: Step): Promise<void> {
    if (next.what === 'pass') await this.#testbed.advance(next.windows * this.#testbed.window)
    else if (next.what === 'take') await this.#take(next.caller, next.lane)
    else if (next.what === 'end') this.#end(next.caller)
    else await this.#kill(next.caller)
  }

  /** Takes one more attempt in each lane, however long it takes. */
  async goOn(): Promise<void> {
    for (const lane of allLanes) {
      for (let tries = 0; !(await this.#take(0, lane)); tries += 1) {
        assert.ok(tries < 100, `stuck in the lane ${lane}`)
        for (const caller of [0, 1, 2, 3]) while (this.#end(caller));
        const wait = this.#store(0).wait(lane)
        await this.#testbed.advance(Math.max(1, Math.min(wait, this.#testbed.window)))
      }
    }
  }

  #place(caller: number): number {
    return caller % this.#instances.length
  }

  #store(caller: number): RateLimitStore {
    return (this.#instances[this.#place(caller)] as Instance<Stores>).stores.rateLimits
  }

  async #take(caller: number, lane: Lane): Promise<boolean> {
    const start = this.#testbed.now()
    const counted = await this.#store(caller).take(lane)
    if (counted === undefined) {
      assert.ok(this.#store(caller).wait(lane) > 0, 'no attempt and no wait')
      return false
    }
    this.#attempts.push({ caller, counted, end: Number.POSITIVE_INFINITY })
    const inWindow = this.#attempts.filter(({ end }) => end > start - this.#testbed.window)
    assert.ok(inWindow.length <= this.#cap, `${inWindow.length} of ${this.#cap}`)
    return true
  }

  /** Ends the oldest attempt of a caller; returns false if it has none. */
  #end(caller: number): boolean {
    const running = this.#attempts.find((one) => one.caller === caller && !Number.isFinite(one.end))
    if (running === undefined) return false
    running.end = this.#testbed.now()
    running.counted.end()
    return true
  }

  async #kill(caller: number): Promise<void> {
    const place = this.#place(caller)
    const now = this.#testbed.now()
    for (const one of this.#attempts) if (this.#place(one.caller) === place) one.end = Math.min(one.end, now)
    this.#instances[place] = await openWith(this.#testbed, this.#cap, this.#instances[place])
  }
}

async function openWith(
  testbed: Testbed<Stores>,
  cap: number,
  before?: Instance<Stores>,
): Promise<Instance<Stores>> {
  const opened = before === undefined ? await testbed.open() : await reopen(testbed, before)
  opened.stores.rateLimits.limit = cap
  await opened.stores.rateLimits.recall()
  return opened
}

/**
 * Adds the tests of the promises of a rate-limit store.
 * @param numRuns the number of random histories
 */
export function testRateLimitStore({ start, maxInstances }: Testbeds<Stores>, numRuns: number): void {
  it(`never counts more than the cap in any minute and never gets stuck, in ${numRuns} random histories (SEED=${seed})`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60 }),
        async (cap, inAll, steps) => {
          const testbed = await start()
          try {
            const instances: Instance<Stores>[] = []
            while (instances.length < Math.min(inAll, maxInstances)) {
              instances.push(await openWith(testbed, cap))
            }
            const history = new History(testbed, cap, instances)
            for (const next of steps) await history.happen(next)
            await history.goOn()
          } finally {
            await testbed.close()
          }
        },
      ),
      { numRuns, seed },
    )).timeout(1_800_000)

  withTestbed(start, (testbed) => {
    const blocked = new KeyholderError('LOGIN_BLOCKED', 'The service has blocked the sign-in.')
    const open = (before?: Instance<Stores>) => openWith(testbed(), 30, before)
    const left = ({ stores }: Instance<Stores>) =>
      Math.max(0, (stores.rateLimits.backoff?.until ?? 0) - testbed().now())

    it('keeps a backoff for the next process, and a shorter one does not end it', async () => {
      const { window } = testbed()
      const before = await open()
      await before.stores.rateLimits.startBackoff(window, blocked, true)
      await before.stores.rateLimits.startBackoff(window / 2, blocked, true)
      assert.ok(left(before) > 0.9 * window)
      const after = await open(before)
      assert.ok(left(after) > 0.8 * window && left(after) <= 1.1 * window, `${left(after)}`)
      assert.equal(after.stores.rateLimits.backoff?.error.code, 'LOGIN_BLOCKED')
      assert.ok((after.stores.rateLimits.backoff?.requestedUntil ?? 0) > testbed().now())
    })

    it('counts one attempt at a time after a backoff, until the service has accepted one', async () => {
      const { rateLimits } = (await open()).stores
      await rateLimits.startBackoff(testbed().window / 100, blocked, true)
      await testbed().advance(testbed().window / 50)
      const probe = await rateLimits.take('urgent')
      assert.ok(probe)
      for (const lane of allLanes) {
        assert.equal(await rateLimits.take(lane), undefined)
        assert.ok(rateLimits.wait(lane) > 0)
      }
      probe.end()
      await waitUntil(testbed(), () => rateLimits.wait('urgent') === 0)
      const next = await rateLimits.take('urgent')
      assert.ok(next)
      rateLimits.endBackoff()
      await waitUntil(testbed(), () => rateLimits.wait('urgent') === 0)
      assert.ok(await rateLimits.take('urgent'))
    })

    it('forgets a backoff that the service has shown to be over', async () => {
      const before = await open()
      await before.stores.rateLimits.startBackoff(testbed().window, blocked, true)
      before.stores.rateLimits.endBackoff()
      assert.equal(before.stores.rateLimits.backoff, undefined)
      await testbed().advance(testbed().window / 100)
      assert.equal(left(await open(before)), 0)
    })

    it('makes the next process wait if one was killed between a guard and its end, and only then', async () => {
      const { window } = testbed()
      const first = await open()
      const end = await first.stores.rateLimits.guardKill(window)
      assert.equal(left(first), 0)
      await end()
      const second = await open(first)
      assert.equal(left(second), 0)
      await second.stores.rateLimits.guardKill(window)
      const third = await open(second)
      await waitUntil(testbed(), () => left(third) > 0)
      assert.ok(left(third) <= 1.1 * window)
    })

    it('makes the next process wait if one of several guards is open, whatever has ended meanwhile', async () => {
      const { window } = testbed()
      const before = await open()
      const { rateLimits } = before.stores
      const [end] = [await rateLimits.guardKill(window), await rateLimits.guardKill(window)]
      await end()
      await rateLimits.startBackoff(window / 50, blocked, true)
      await testbed().advance(window / 25)
      rateLimits.endBackoff()
      await testbed().advance(window / 100)
      const after = await open(before)
      await waitUntil(testbed(), () => left(after) > 0.5 * window)
    })

    it('counts the sign-ins', async () => {
      const { rateLimits } = (await open()).stores
      const counts = [await rateLimits.noteSignIn(), await rateLimits.noteSignIn()]
      assert.deepEqual(counts, [1, 2])
    })

    if (maxInstances === 1) return

    it('applies the lowest cap, the attempts and the backoff of all who have it open', async () => {
      const [one, two] = [await open(), await open()]
      one.stores.rateLimits.limit = 2
      await waitUntil(testbed(), () => two.stores.rateLimits.limit === 2)
      assert.ok(await one.stores.rateLimits.take('command'))
      assert.ok(await two.stores.rateLimits.take('command'))
      assert.equal(await one.stores.rateLimits.take('command'), undefined)
      await one.stores.rateLimits.startBackoff(testbed().window, blocked, false)
      await waitUntil(testbed(), () => left(two) > 0)
      assert.ok((two.stores.rateLimits.backoff?.requestedUntil ?? 0) <= testbed().now())
      assert.equal(await two.stores.rateLimits.noteSignIn(), 1)
      assert.equal(await one.stores.rateLimits.noteSignIn(), 2)
    })
  })
}
