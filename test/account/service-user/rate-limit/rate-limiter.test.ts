import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import type { Lane } from '../../../../src/account/service-user/rate-limit/budget.ts'
import { LocalRateLimitStore } from '../../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import type { CountedAttempt } from '../../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import {
  forAllCallers,
  type QueuePosition,
  RateLimiter,
} from '../../../../src/account/service-user/rate-limit/rate-limiter.ts'
import { hour, minute } from '../../../../src/duration.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

/** Runs everything that is already decided: promises need several turns of the event loop, but no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

describe('The rate limiter', () => {
  let clock: FakeClock
  let rateLimiter: RateLimiter
  let starts: { name: string; at: number }[]
  const life = () => new AbortController().signal
  const alwaysAllowed = () => {}

  /** The log of a first start, without attempts of an earlier process. */
  const emptyAttemptLog = {
    open: async () => {},
    recall: async () => [],
    recallBackoff: async () => 0,
    recallToday: async () => 0,
    joined: async () => undefined,
    noteStarts: async () => {},
    noteEnds: async () => {},
    noteBackoff: async () => {},
    ...withoutKillGuard,
    noteLeft: async () => {},
  }

  function createRateLimiter(attemptLog = emptyAttemptLog): RateLimiter {
    const created = new RateLimiter(new LocalRateLimitStore(attemptLog, clock), clock)
    created.limit = 30
    return created
  }

  beforeEach(() => {
    clock = new FakeClock()
    starts = []
    rateLimiter = createRateLimiter()
  })

  async function attempt(name: string, place: Partial<QueuePosition> = {}): Promise<void> {
    await rateLimiter.run({ lane: 'poll', signal: life(), ...place }, alwaysAllowed, async () => {
      starts.push({ name, at: clock.monotonic() })
    })
  }

  /** Begins an attempt that has no answer; resolves with the function that ends it. */
  function begin(lane: Lane): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const unanswered = () => new Promise<void>((end) => resolve(end))
      rateLimiter.run({ lane, signal: life() }, alwaysAllowed, unanswered).catch(reject)
    })
  }

  async function advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500)
      await settled()
    }
  }

  it('never makes more attempts than the cap in any sliding minute, whatever the wall clock does', async () => {
    const all = Array.from({ length: 70 }, (_, index) => attempt(`${index}`))
    clock.stepWall(-hour)
    await advance(100_000)
    clock.stepWall(2 * hour)
    await advance(120_000)
    await Promise.all(all)
    assert.equal(starts.length, 70)
    for (const { at } of starts) {
      assert.ok(starts.filter((other) => other.at >= at && other.at < at + 60_000).length <= 30)
    }
  })

  it('needs the same time for a backlog when the wall clock is changed', async () => {
    const backlog = Array.from({ length: 40 }, (_, index) => attempt(`${index}`))
    await advance(10_000)
    clock.stepWall(-hour)
    await advance(170_000)
    await Promise.all(backlog)
    const stepped = starts.at(-1)?.at
    clock = new FakeClock()
    starts = []
    rateLimiter = createRateLimiter()
    const again = Array.from({ length: 40 }, (_, index) => attempt(`${index}`))
    await advance(180_000)
    await Promise.all(again)
    assert.equal(stepped, starts.at(-1)?.at)
  })

  it('serves an urgent request before a hundred queued polls', async () => {
    const polls = Array.from({ length: 100 }, (_, index) => attempt(`poll ${index}`))
    await advance(30_000)
    const before = starts.length
    await attempt('command', { lane: 'urgent' })
    assert.deepEqual(starts.slice(before), [{ name: 'command', at: clock.monotonic() }])
    await advance(600_000)
    await Promise.all(polls)
  })

  it('serves an urgent request while an earlier one has no answer yet', async () => {
    const end = await begin('urgent')
    await attempt('disarm', { lane: 'urgent' })
    end()
  })

  it('starts a command at once, behind a hundred manual reads and four unanswered commands', async () => {
    const unanswered = await Promise.all(Array.from({ length: 4 }, () => begin('command')))
    const reads = Array.from({ length: 100 }, (_, index) => attempt(`read ${index}`, { lane: 'urgent' }))
    await advance(50_000)
    const before = starts.length
    await attempt('disarm', { lane: 'command' })
    assert.deepEqual(starts.slice(before), [{ name: 'disarm', at: clock.monotonic() }])
    for (const end of unanswered) end()
    await advance(900_000)
    await Promise.all(reads)
  })

  it('moves a sign-in to the lane of commands when a command waits for it, but not the sign-ins of other panels', async () => {
    const reads = Array.from({ length: 60 }, (_, index) => attempt(`read ${index}`, { lane: 'urgent' }))
    await settled()
    const signIns = ['', 'A', 'B'].map((panel) =>
      attempt(`sign-in ${panel}`, forAllCallers(panel === '' ? undefined : panel)),
    )
    await settled()
    const before = starts.length
    const stop = rateLimiter.hurry('A')
    await settled()
    assert.deepEqual(
      starts.slice(before).map(({ name }) => name),
      ['sign-in ', 'sign-in A'],
    )
    await attempt('later', forAllCallers('A'))
    stop()
    const late = attempt('no command waits any more', forAllCallers('A'))
    await settled()
    assert.equal(starts.at(-1)?.name, 'later')
    await advance(600_000)
    await Promise.all([...reads, ...signIns, late])
    assert.equal(new Set(starts.map(({ name }) => name)).size, starts.length)
  })

  it('alternates between the panels of an account', async () => {
    const busy = Array.from({ length: 20 }, (_, index) => attempt(`A${index}`, { panel: 'A' }))
    const other = attempt('B', { panel: 'B' })
    await advance(120_000)
    await Promise.all([...busy, other])
    assert.ok(starts.findIndex(({ name }) => name === 'B') <= 2)
  })

  it('removes a queued attempt when its signal is aborted, and stops its timer when the queue is empty', async () => {
    const life = new AbortController()
    const waiting = Array.from({ length: 30 }, () => {
      return attempt('poll', { signal: AbortSignal.any([life.signal]) })
    })
    const results = Promise.allSettled(waiting)
    await settled()
    life.abort()
    const rejected = (await results).filter(({ status }) => status === 'rejected')
    assert.ok(rejected.length > 20)
    for (const result of rejected) assert.equal((result as PromiseRejectedResult).reason.code, 'CLOSED')
    assert.equal(rateLimiter.figures.waiting, 0)
    await advance(120_500)
    assert.equal(clock.pending, 0)
  })

  it('does not count an attempt that is refused before it starts', async () => {
    const held = () => {
      throw new Error('held')
    }
    await assert.rejects(
      rateLimiter.run({ lane: 'poll', signal: life() }, held, async () => {}),
      { message: 'held' },
    )
    assert.equal(rateLimiter.figures.usedLastMinute, 0)
  })

  it('alternates between the lanes if the cap is too low to reserve a share for each', async () => {
    rateLimiter.limit = 1
    const all = Array.from({ length: 4 }, (_, index) => [
      attempt(`urgent ${index}`, { lane: 'urgent' }),
      attempt(`poll ${index}`),
    ])
    await advance(600_000)
    await Promise.all(all.flat())
    const lanes = starts.map(({ name }) => name.split(' ')[0])
    for (const [place, lane] of lanes.entries()) assert.notEqual(lane, lanes[place - 1])
  })

  it('applies a changed cap to queued attempts: a higher one starts them sooner, a lower one delays them', async () => {
    rateLimiter.limit = 1
    const waiting = [attempt('1'), attempt('2'), attempt('3')]
    await settled()
    assert.equal(starts.length, 1)
    rateLimiter.limit = 60
    await advance(50_000)
    assert.equal(starts.length, 3)
    await Promise.all(waiting)

    const end = await begin('poll')
    const next = attempt('next')
    await settled()
    rateLimiter.limit = 1
    end()
    await settled()
    assert.equal(starts.length, 3)
    void next.catch(() => {})
  })

  it('keeps the order of a lane if another lane takes the room because a timer was late', async () => {
    rateLimiter.limit = 1
    await attempt('first')
    void attempt('poll')
    await settled()
    clock.stall(2 * minute)
    for (const name of ['one', 'two', 'three']) void attempt(name, { lane: 'urgent' })
    await settled()
    await advance(4 * minute)
    const urgent = starts.map(({ name }) => name).filter((name) => !['first', 'poll'].includes(name))
    assert.deepEqual(urgent, ['one', 'two', 'three'])
  })

  it('gives the place of a caller that leaves while its attempt is being logged to the next one', async () => {
    const leaving = new AbortController()
    rateLimiter = createRateLimiter({ ...emptyAttemptLog, noteStarts: async () => leaving.abort() })
    await assert.rejects(attempt('left', { signal: leaving.signal }), { code: 'CLOSED' })
    await attempt('next')
    assert.deepEqual(
      starts.map(({ name }) => name),
      ['next'],
    )
  })

  describe('whose polls want more than the limits give', () => {
    let told: string[]
    let isOver: boolean
    let isFixed: boolean
    let polls: Promise<void>[]

    beforeEach(() => {
      told = []
      isOver = false
      isFixed = false
      polls = []
      rateLimiter.onHeldBack = (sentence) => told.push(sentence)
    })

    /** Polls resources with a target, as often as they want or the limits permit. */
    function poll(resources: number, targetMs: number): void {
      for (let index = 0; index < resources; index += 1) polls.push(pollOne(`${index} ${targetMs}`, targetMs))
    }

    async function pollOne(panel: string, targetMs: number): Promise<void> {
      while (!isOver) {
        const since = clock.monotonic()
        const factor = isFixed ? 1 : rateLimiter.paceFactor
        await new Promise<void>((resolve) => clock.after(targetMs * factor, resolve))
        const age = (now: number) => (now - since) / (targetMs * factor)
        const due = { weight: 1, targetMs: targetMs * factor, age, factor }
        await attempt(panel, { panel, resource: 'status', due })
      }
    }

    async function stop(): Promise<void> {
      isOver = true
      await advance(5 * minute)
      await Promise.all(polls)
    }

    it('tells what they want, and once that they are held back, until that is over for an hour', async () => {
      poll(25, 30_000)
      await advance(9 * minute)
      assert.equal(rateLimiter.figures.wanted, 50)
      assert.deepEqual(told, [])
      await advance(30 * minute)
      assert.equal(told.length, 1)
      assert.match(
        told[0] ?? '',
        /want 50 requests a minute, and 2\d are possible.*"Request limit".*fewer panels.*longer/,
      )
      rateLimiter.limit = 60
      await advance(30 * minute)
      rateLimiter.limit = 30
      await advance(30 * minute)
      assert.equal(told.length, 1)
      rateLimiter.limit = 60
      await advance(65 * minute)
      rateLimiter.limit = 30
      await advance(30 * minute)
      assert.equal(told.length, 2)
      await stop()
      await advance(5 * minute)
      assert.equal(rateLimiter.figures.wanted, 0)
    }).timeout(120_000)

    it('tells nothing while they are held back by less than a third', async () => {
      poll(19, 30_000)
      await advance(40 * minute)
      assert.ok(rateLimiter.figures.usedLastMinute >= 25)
      assert.deepEqual(told, [])
      await stop()
    }).timeout(120_000)

    it('starts a command from the reserve at once, and gives it each further place before any poll', async () => {
      poll(40, 15_000)
      await advance(10 * minute)
      assert.ok(rateLimiter.figures.usedLastMinute >= 26)
      const before = starts.length
      const requests = Array.from({ length: 7 }, (_, index) => attempt(`order ${index}`, { lane: 'command' }))
      await settled()
      assert.deepEqual(
        starts.slice(before).map(({ name, at }) => [name, at]),
        [0, 1, 2].map((index) => [`order ${index}`, clock.monotonic()]),
      )
      await advance(10_000)
      await Promise.all(requests)
      assert.deepEqual(
        starts.slice(before, before + 7).map(({ name }) => name),
        Array.from({ length: 7 }, (_, index) => `order ${index}`),
      )
      await stop()
    }).timeout(120_000)

    it('starts a manual read with the next place', async () => {
      poll(40, 15_000)
      await advance(10 * minute)
      const read = attempt('read', { lane: 'urgent' })
      await advance(2500)
      await read
      await stop()
    }).timeout(120_000)

    it('grows the targets if the requests of the day are used too fast, tells it, and never delays a command', async () => {
      rateLimiter.requestsPerDay = 1440
      poll(1, 6000)
      await advance(2 * hour)
      const factor = rateLimiter.paceFactor
      assert.ok(factor > 3 && factor < 10.1, `${factor}`)
      assert.equal(told.length, 1)
      assert.match(told[0] ?? '', /"Requests per day"/)
      const before = starts.length
      await attempt('disarm', { lane: 'command' })
      assert.deepEqual(starts.slice(before), [{ name: 'disarm', at: clock.monotonic() }])
      assert.equal(rateLimiter.figures.usedToday, starts.length)
      assert.ok(rateLimiter.figures.wanted > 9.9, `${rateLimiter.figures.wanted}`)
      await stop()
    }).timeout(120_000)

    it('tells nothing about the requests of the day if all intervals are fixed, since they stay as they are', async () => {
      rateLimiter.requestsPerDay = 1440
      isFixed = true
      poll(1, 6000)
      await advance(2 * hour)
      assert.ok(rateLimiter.figures.usedLastMinute >= 9)
      assert.ok(rateLimiter.paceFactor > 3)
      assert.deepEqual(told, [])
      await stop()
    }).timeout(120_000)
  })

  describe('whose store is shared with other processes', () => {
    /** The number of times that the others are faster, by lane, and the time without room after it. */
    let faster: Partial<Record<Lane, number>>
    let isAway: boolean
    let roomAt: Partial<Record<Lane, number>>
    let tell: () => void

    /** A store whose knowledge of the others is as old as its latest question. */
    class SharedStore extends LocalRateLimitStore {
      override wait(lane: Lane): number {
        return Math.max(super.wait(lane), (roomAt[lane] ?? 0) - clock.monotonic())
      }

      override onChange(listener: () => void): () => void {
        tell = listener
        return () => {}
      }

      override async take(lane: Lane): Promise<CountedAttempt | undefined> {
        if (isAway) throw new KeyholderError('NETWORK', 'The store does not answer.')
        await Promise.resolve()
        const times = faster[lane] ?? 0
        if (times === 0) return super.take(lane)
        faster[lane] = times - 1
        roomAt[lane] = clock.monotonic() + 2000
        return undefined
      }
    }

    beforeEach(() => {
      faster = {}
      roomAt = {}
      isAway = false
      rateLimiter = new RateLimiter(new SharedStore(emptyAttemptLog, clock), clock)
      rateLimiter.limit = 30
    })

    it('tries again as soon as there is room, in the order of the queue', async () => {
      faster = { poll: 3 }
      const all = [attempt('first'), attempt('second')]
      await settled()
      await advance(5500)
      assert.deepEqual(starts, [])
      await advance(500)
      await Promise.all(all)
      const at = clock.monotonic()
      assert.deepEqual(starts, [
        { name: 'first', at },
        { name: 'second', at },
      ])
    })

    it('tries again when it hears that another process has given room back', async () => {
      faster = { poll: 1 }
      const made = attempt('poll')
      await settled()
      roomAt = {}
      tell()
      await made
      assert.equal(clock.monotonic(), starts[0]?.at)
    })

    it('does not try again for a caller that has left', async () => {
      faster = { poll: 1 }
      const leaving = new AbortController()
      const left = attempt('left', { signal: leaving.signal })
      const next = attempt('next')
      await settled()
      leaving.abort()
      await assert.rejects(left, { code: 'CLOSED' })
      await advance(2500)
      await next
      assert.deepEqual(
        starts.map(({ name }) => name),
        ['next'],
      )
    })

    it('asks again if the attempt may start', async () => {
      faster = { poll: 1 }
      let isHeld = false
      const mayStart = () => {
        if (isHeld) throw new Error('held')
      }
      const made = rateLimiter.run({ lane: 'poll', signal: life() }, mayStart, async () => {})
      const outcome = assert.rejects(made, { message: 'held' })
      await settled()
      isHeld = true
      await advance(2500)
      await outcome
    })

    it('lets a sign-in go in the lane of commands once a command waits for it', async () => {
      faster = { urgent: 100 }
      const signIn = attempt('sign-in', forAllCallers())
      await advance(1000)
      const { length } = starts
      const end = rateLimiter.hurry(undefined)
      await settled()
      await signIn
      end()
      assert.equal(length, 0)
      assert.deepEqual(starts, [{ name: 'sign-in', at: clock.monotonic() }])
    })

    it('sends nothing while the store cannot be reached, and goes on afterwards', async () => {
      isAway = true
      await assert.rejects(attempt('away'), { code: 'NETWORK' })
      isAway = false
      await attempt('back')
      assert.deepEqual(
        starts.map(({ name }) => name),
        ['back'],
      )
    })
  })
})
