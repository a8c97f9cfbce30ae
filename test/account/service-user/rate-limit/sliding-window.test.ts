import assert from 'node:assert/strict'
import fc from 'fast-check'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { type Lane, SlidingWindow } from '../../../../src/account/service-user/rate-limit/budget.ts'
import { minute } from '../../../../src/duration.ts'

/** A call that arrives `after` milliseconds after the previous one and takes `lasts` milliseconds. */
interface Call {
  lane: Lane
  after: number
  lasts: number
}

const calls = fc.array(
  fc.record({
    lane: fc.constantFrom<Lane>('command', 'urgent', 'poll'),
    after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 90_000 })),
    lasts: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9000 })),
  }),
  { maxLength: 120 },
)

/** Makes the calls one after the other, each as soon as the window permits it. */
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

/** Returns the maximum number of times within any half-open minute. */
function mostInAMinute(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((time) => time >= from && time < from + minute).length),
  )
}

describe('The sliding window', () => {
  // @spec 8.4, rate-limits
  it('permits no more attempts than the cap in any sliding minute, wherever between start and end they arrive', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        calls,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (limit, schedule, places) => {
          const madeAttempts = attempts(limit, schedule)
          const arrivals = madeAttempts.map(
            ({ start, end }) => start + (end - start) * (places.next().value ?? 0),
          )
          assert.ok(mostInAMinute(arrivals) <= limit)
          assert.ok(mostInAMinute(madeAttempts.map(({ start }) => start)) <= limit)
        },
      ),
      { numRuns: repetitions(500, 170) },
    )
  })

  it('permits every call, the last one within the time that the share of its lane requires', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 100 }), (limit, count) => {
        const backlog = Array.from({ length: count }, () => ({ lane: 'poll', after: 0, lasts: 0 }) as const)
        const last = attempts(limit, backlog).at(-1)
        // All but the tenth for commands belongs to the polls.
        const share = limit - Math.max(1, Math.floor(limit / 10))
        assert.ok((last?.start ?? 0) <= (count / share) * (minute + 6) + 6)
      }),
    )
  })

  it('spreads polls evenly after an initial burst', () => {
    const backlog = Array.from({ length: 60 }, () => ({ lane: 'poll', after: 0, lasts: 0 }) as const)
    const starts = attempts(30, backlog).map(({ start }) => start)
    const gaps = starts.slice(7).map((start, index) => start - (starts[index + 6] ?? 0))
    assert.equal(starts.filter((start) => start === 0).length, 6)
    assert.ok(Math.max(...gaps) < 3000, `${gaps}`)
  })

  it('permits polls all but the reserve in each minute, for ever, with answers that take a while', () => {
    const backlog = Array.from({ length: 270 }, () => ({ lane: 'poll', after: 0, lasts: 300 }) as const)
    const starts = attempts(30, backlog).map(({ start }) => start)
    assert.ok((starts.at(-1) ?? 0) < 10 * (minute + 306), `${starts.at(-1)}`)
    const late = starts.slice(-60)
    const gaps = late.slice(1).map((start, index) => start - (late[index] ?? 0))
    assert.ok(Math.max(...gaps) < 2600, `${gaps}`)
    assert.ok(Math.min(...gaps) > 2000, `${gaps}`)
  })

  for (const [limit, perMinute] of [
    [30, 3],
    [10, 1],
  ] as const)
    it(`has polls leave the reserve to commands that have used it, and ${perMinute} a minute go on at a cap of ${limit}`, () => {
      const slidingWindow = new SlidingWindow(limit)
      let now = 0
      const attempt = (lane: Lane) => {
        slidingWindow.start(lane, now)
        slidingWindow.end(lane, now)
      }
      for (let poll = 0; poll < 200; poll += 1) {
        now += slidingWindow.wait('poll', now)
        attempt('poll')
      }
      for (let command = 0; command < perMinute; command += 1) attempt('command')
      // The next place goes to a command, not to a poll.
      now += slidingWindow.wait('command', now)
      assert.ok(slidingWindow.wait('poll', now) > 0)
      let polls = 0
      for (const end = now + 10 * minute; now < end; ) {
        const [poll, command] = [slidingWindow.wait('poll', now), slidingWindow.wait('command', now)]
        const lane = poll <= command ? 'poll' : 'command'
        now += Math.min(poll, command)
        attempt(lane)
        if (lane === 'poll') polls += 1
      }
      const inMinutes = Math.round(polls / perMinute)
      assert.ok(inMinutes >= 10 && inMinutes <= 11, `${polls} polls in ten minutes of endless commands`)
    })

  it('reserves a tenth of the cap for commands while polls use up the rest', () => {
    const slidingWindow = new SlidingWindow(30)
    let now = 0
    for (let poll = 0; poll < 200; poll += 1) {
      now += slidingWindow.wait('poll', now)
      slidingWindow.start('poll', now)
      slidingWindow.end('poll', now)
      assert.equal(slidingWindow.wait('command', now), 0)
    }
  })

  it('reserves a tenth of the cap for commands while polls and manual reads use up the rest', () => {
    const slidingWindow = new SlidingWindow(30)
    let now = 0
    for (let call = 0; call < 400; call += 1) {
      const [poll, urgent] = [slidingWindow.wait('poll', now), slidingWindow.wait('urgent', now)]
      now += Math.min(poll, urgent)
      const lane = poll <= urgent ? 'poll' : 'urgent'
      slidingWindow.start(lane, now)
      slidingWindow.end(lane, now)
      assert.ok(slidingWindow.used(now) <= 27)
      assert.equal(slidingWindow.wait('command', now), 0)
    }
  })

  it('leaves the room that polls do not use to manual reads', () => {
    const slidingWindow = new SlidingWindow(30)
    let now = 0
    let reads = 0
    for (; now < minute; now += Math.max(1, slidingWindow.wait('urgent', now))) {
      if (slidingWindow.wait('urgent', now) > 0) continue
      slidingWindow.start('urgent', now)
      slidingWindow.end('urgent', now)
      reads += 1
    }
    assert.ok(reads >= 26, `${reads}`)
  })

  it('delays commands only by the cap', () => {
    const slidingWindow = new SlidingWindow(30)
    for (let call = 0; call < 30; call += 1) {
      assert.equal(slidingWindow.wait('command', call), 0)
      slidingWindow.start('command', call)
      slidingWindow.end('command', call)
    }
    assert.ok(slidingWindow.wait('command', 30) > 59_000)
  })

  it('leaves a tenth of the cap to polls during endless urgent calls', () => {
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

  it('applies a lowered cap to later attempts', () => {
    const slidingWindow = new SlidingWindow(30)
    for (let call = 0; call < 10; call += 1) {
      slidingWindow.start('urgent', 0)
      slidingWindow.end('urgent', 0)
    }
    slidingWindow.limit = 5
    assert.ok(slidingWindow.wait('urgent', 1000) > 58_000)
  })

  it('permits no other attempt during a probe, in either lane', () => {
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

  it('counts the attempts of an earlier process', () => {
    const slidingWindow = new SlidingWindow(3)
    slidingWindow.recall([10_000, 50_000, 20_000], 0)
    assert.equal(slidingWindow.used(0), 3)
    const wait = slidingWindow.wait('command', 0)
    assert.ok(wait > 10_000 && wait < 10_100)
    assert.deepEqual(
      [15_000, 45_000, 55_000].map((now) => slidingWindow.used(now)),
      [2, 1, 0],
    )
  })
})
