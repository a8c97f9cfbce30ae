import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type QueuePosition, RateLimiter } from '../../../src/account/rate-limit/rate-limiter.ts'
import { SlidingWindow } from '../../../src/account/rate-limit/sliding-window.ts'
import { hour } from '../../../src/duration.ts'

/** Lets everything run that is already decided: p-queue and promises need several turns, no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

describe('the budget', () => {
  let clock: FakeClock
  let budget: RateLimiter
  let starts: { name: string; at: number }[]
  const life = () => new AbortController().signal
  const anyTime = () => {}

  /** As on the very first start: what an earlier process has used is the ledger's own matter. */
  const emptyLedger = { recall: async () => [], note: async () => {} }

  beforeEach(() => {
    clock = new FakeClock()
    starts = []
    budget = new RateLimiter(new SlidingWindow(30), emptyLedger, clock)
  })

  function attempt(name: string, place: Partial<QueuePosition> = {}): Promise<void> {
    return budget.schedule({ lane: 'poll', signal: life(), ...place }, anyTime, async () => {
      starts.push({ name, at: clock.monotonic() })
    })
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500)
      await settled()
    }
  }

  it('never lets more attempts through than the cap in any minute, whatever the wall clock does', async () => {
    const all = Array.from({ length: 70 }, (_, index) => attempt(`${index}`))
    clock.stepWall(-hour)
    await pass(100_000)
    clock.stepWall(2 * hour)
    await pass(120_000)
    await Promise.all(all)
    assert.equal(starts.length, 70)
    for (const { at } of starts) {
      assert.ok(starts.filter((other) => other.at >= at && other.at < at + 60_000).length <= 30)
    }
  })

  it('finishes a backlog in the same time with the wall clock stepped as without', async () => {
    const backlog = Array.from({ length: 40 }, (_, index) => attempt(`${index}`))
    await pass(10_000)
    clock.stepWall(-hour)
    await pass(170_000)
    await Promise.all(backlog)
    const stepped = starts.at(-1)?.at
    clock = new FakeClock()
    starts = []
    budget = new RateLimiter(new SlidingWindow(30), emptyLedger, clock)
    const again = Array.from({ length: 40 }, (_, index) => attempt(`${index}`))
    await pass(180_000)
    await Promise.all(again)
    assert.equal(stepped, starts.at(-1)?.at)
  })

  it('serves whoever cannot wait at once, before a hundred polls that do', async () => {
    const polls = Array.from({ length: 100 }, (_, index) => attempt(`poll ${index}`))
    await pass(30_000)
    const before = starts.length
    await attempt('command', { lane: 'urgent' })
    assert.deepEqual(starts.slice(before), [{ name: 'command', at: clock.monotonic() }])
    await pass(600_000)
    await Promise.all(polls)
  })

  it('serves whoever cannot wait beside an attempt that is not answered', async () => {
    let answer = () => {}
    const hanging = budget.schedule({ lane: 'urgent', signal: life() }, anyTime, () => {
      return new Promise<void>((resolve) => {
        answer = resolve
      })
    })
    await attempt('disarm', { lane: 'urgent' })
    answer()
    await hanging
  })

  it('lets the panels of an account take turns', async () => {
    const busy = Array.from({ length: 20 }, (_, index) => attempt(`A${index}`, { panel: 'A' }))
    const other = attempt('B', { panel: 'B' })
    await pass(120_000)
    await Promise.all([...busy, other])
    assert.ok(starts.findIndex(({ name }) => name === 'B') <= 2)
  })

  it('takes an attempt out of line when its signal is aborted, and keeps no timer when nobody waits', async () => {
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
    assert.equal(budget.figures.waiting, 0)
    await pass(60_500)
    assert.equal(clock.pending, 0)
  })

  it('goes on after an attempt that failed, and hands its error to the one who made it', async () => {
    const failing = budget.schedule({ lane: 'poll', signal: life() }, anyTime, async () => {
      throw new Error('out of order')
    })
    await assert.rejects(failing, { message: 'out of order' })
    await attempt('next')
    assert.equal(budget.figures.usedLastMinute, 2)
  })

  it('does not count an attempt that may not be made after all', async () => {
    const held = () => {
      throw new Error('held')
    }
    const refused = budget.schedule({ lane: 'poll', signal: life() }, held, async () => assert.fail())
    await assert.rejects(refused, { message: 'held' })
    assert.equal(budget.figures.usedLastMinute, 0)
  })

  it('lets the lanes take turns where the cap is too low to keep anything for either', async () => {
    budget.limit = 1
    const all = Array.from({ length: 4 }, (_, index) => [
      attempt(`urgent ${index}`, { lane: 'urgent' }),
      attempt(`poll ${index}`),
    ])
    await pass(600_000)
    await Promise.all(all.flat())
    const lanes = starts.map(({ name }) => name.split(' ')[0])
    for (const [place, lane] of lanes.entries()) assert.notEqual(lane, lanes[place - 1])
  })

  it('holds a changed cap for those who wait already: a higher one lets them go sooner, a lower one stops them', async () => {
    budget.limit = 1
    const waiting = [attempt('1'), attempt('2'), attempt('3')]
    await settled()
    assert.equal(starts.length, 1)
    budget.limit = 60
    await pass(50_000)
    assert.equal(starts.length, 3)
    await Promise.all(waiting)

    const leaving = new AbortController()
    const running = budget.schedule(
      { lane: 'poll', signal: leaving.signal },
      anyTime,
      () => new Promise(() => {}),
    )
    const next = attempt('next')
    await settled()
    budget.limit = 1
    leaving.abort()
    await assert.rejects(running, { code: 'CLOSED' })
    await settled()
    assert.equal(starts.length, 3)
    void next.catch(() => {})
  })

  it('makes no attempt that a hold has overtaken while it was noted', async () => {
    let isHeld = false
    const slowLedger = {
      recall: async () => [],
      note: async () => {
        isHeld = true
      },
    }
    budget = new RateLimiter(new SlidingWindow(30), slowLedger, clock)
    const mayStart = () => {
      if (isHeld) throw new Error('held')
    }
    const made = budget.schedule({ lane: 'poll', signal: life() }, mayStart, async () => assert.fail())
    await assert.rejects(made, { message: 'held' })
  })
})
