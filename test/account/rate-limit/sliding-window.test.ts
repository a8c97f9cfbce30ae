import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Lane, SlidingWindow } from '../../../src/account/rate-limit/sliding-window.ts'
import { minute } from '../../../src/duration.ts'

/** A call that arrives `after` milliseconds behind the one before it and takes `lasts` to be answered. */
interface Call {
  lane: Lane
  after: number
  lasts: number
}

const calls = fc.array(
  fc.record({
    lane: fc.constantFrom<Lane>('urgent', 'poll'),
    after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 90_000 })),
    lasts: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9000 })),
  }),
  { maxLength: 120 },
)

/** Makes the calls as a single lane would: each as soon as the allowance lets it, one after the other. */
function attempts(limit: number, schedule: readonly Call[]): { lane: Lane; start: number; end: number }[] {
  const slidingWindow = new SlidingWindow(limit)
  let now = 0
  let arrival = 0
  return schedule.map(({ lane, after, lasts }) => {
    arrival += after
    now = Math.max(now, arrival)
    for (let wait = slidingWindow.wait(lane, now); wait > 0; wait = slidingWindow.wait(lane, now)) now += wait
    slidingWindow.start(lane, now)
    const start = now
    now += lasts
    slidingWindow.end(lane, now)
    return { lane, start, end: now }
  })
}

/** The most times that lie in any half-open minute. */
function mostInAMinute(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((time) => time >= from && time < from + minute).length),
  )
}

describe('the allowance', () => {
  // @spec 8.4, rate-limits
  it('lets no sliding minute hold more attempts than the cap, wherever between start and end they arrive', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        calls,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (limit, schedule, places) => {
          const made = attempts(limit, schedule)
          const arrivals = made.map(({ start, end }) => start + (end - start) * (places.next().value ?? 0))
          assert.ok(mostInAMinute(arrivals) <= limit)
          assert.ok(mostInAMinute(made.map(({ start }) => start)) <= limit)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('starves nobody: every call is made, and the last within the time its share of the cap needs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 100 }), (limit, count) => {
        const backlog = Array.from({ length: count }, () => ({ lane: 'poll', after: 0, lasts: 0 }) as const)
        const last = attempts(limit, backlog).at(-1)
        // At least two thirds of the cap is the polls' own, once their burst is used up.
        assert.ok((last?.start ?? 0) <= ((count + 1) / Math.max(1, (limit * 2) / 3 - 1)) * minute + minute)
      }),
    )
  })

  it('spreads polls evenly once a start has had its burst', () => {
    const backlog = Array.from({ length: 60 }, () => ({ lane: 'poll', after: 0, lasts: 0 }) as const)
    const starts = attempts(30, backlog).map(({ start }) => start)
    const gaps = starts.slice(7).map((start, index) => start - (starts[index + 6] ?? 0))
    assert.ok(starts.filter((start) => start === 0).length <= 7)
    assert.ok(
      gaps.every((gap) => gap > 2500 && gap < 3500),
      `${gaps}`,
    )
  })

  it('keeps a tenth for whoever cannot wait, under polls that take all they can get', () => {
    const slidingWindow = new SlidingWindow(30)
    let now = 0
    for (let poll = 0; poll < 200; poll += 1) {
      now += slidingWindow.wait('poll', now)
      slidingWindow.start('poll', now)
      slidingWindow.end('poll', now)
      assert.equal(slidingWindow.wait('urgent', now), 0)
    }
  })

  it('keeps as much for polls, under somebody who asks without end', () => {
    const slidingWindow = new SlidingWindow(30)
    let now = 0
    let polls = 0
    while (now < 30 * minute) {
      const lane = slidingWindow.wait('poll', now) === 0 ? 'poll' : 'urgent'
      const wait = slidingWindow.wait(lane, now)
      now += wait
      slidingWindow.start(lane, now)
      slidingWindow.end(lane, now)
      if (lane === 'poll') polls += 1
      now += 100
    }
    assert.ok(polls >= 3 * 29, `${polls} polls in half an hour`)
  })

  it('holds a lower cap for what starts after it was lowered', () => {
    const slidingWindow = new SlidingWindow(30)
    for (let call = 0; call < 10; call += 1) {
      slidingWindow.start('urgent', 0)
      slidingWindow.end('urgent', 0)
    }
    slidingWindow.limit = 5
    assert.ok(slidingWindow.wait('urgent', 1000) > 58_000)
  })

  it('lets nothing start beside a probe, in either lane, whatever room there is', () => {
    const slidingWindow = new SlidingWindow(30)
    slidingWindow.isProbing = true
    assert.equal(slidingWindow.wait('urgent', 0), 0)
    slidingWindow.start('poll', 0)
    assert.equal(slidingWindow.wait('urgent', 0), Number.POSITIVE_INFINITY)
    assert.equal(slidingWindow.wait('poll', 0), Number.POSITIVE_INFINITY)
    slidingWindow.end('poll', 1000)
    assert.equal(slidingWindow.wait('urgent', 1000), 0)
    slidingWindow.isProbing = false
    slidingWindow.start('urgent', 1000)
    assert.equal(slidingWindow.wait('poll', 1000), 0)
  })

  it('counts what an earlier process has used', () => {
    const slidingWindow = new SlidingWindow(3)
    slidingWindow.recall([10_000, 50_000, 20_000], 0)
    assert.equal(slidingWindow.used(0), 3)
    const wait = slidingWindow.wait('urgent', 0)
    assert.ok(wait > 10_000 && wait < 10_100)
    assert.deepEqual(
      [15_000, 45_000, 55_000].map((now) => slidingWindow.used(now)),
      [2, 1, 0],
    )
  })
})
