import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import type { ReadOptions } from '../../../src/account/requests/request.ts'
import { RequestCoalescer } from '../../../src/account/requests/request-coalescer.ts'
import { hour } from '../../../src/duration.ts'

describe('The request coalescer', () => {
  let clock: FakeClock
  let coalescer: RequestCoalescer
  let requests: { signal: AbortSignal; resolve(value: string): void; fail(error: Error): void }[]

  beforeEach(() => {
    clock = new FakeClock()
    coalescer = new RequestCoalescer(clock)
    requests = []
  })

  function read(key: string, options: Partial<ReadOptions> = {}, isCacheable = true) {
    const readOptions = { lane: 'poll', maxAge: 0, signal: new AbortController().signal, ...options } as const
    return coalescer.coalesce(key, readOptions, isCacheable, (signal) => {
      const sentAt = clock.monotonic()
      return new Promise<{ value: string; sentAt: number }>((resolve, fail) => {
        requests.push({ signal, fail, resolve: (value) => resolve({ value, sentAt }) })
      })
    })
  }

  it('sends one request for fifty equal ones at the same time', async () => {
    const answers = Array.from({ length: 50 }, () => read('status'))
    requests[0]?.resolve('AWAY')
    assert.ok((await Promise.all(answers)).every(({ value }) => value === 'AWAY'))
    assert.equal(requests.length, 1)
  })

  it('keeps an answer of another process, unless it has a newer one', async () => {
    const kept = (value: string, sentAt: number) => {
      coalescer.keep('status', { value, sentAt, at: sentAt, fetchedAt: 0 })
      return coalescer.recall<string>('status')?.value
    }
    clock.advance(2000)
    assert.equal(kept('AWAY', 1000), 'AWAY')
    assert.equal(kept('older', 999), 'AWAY')
    assert.equal(kept('of the same time', 1000), 'of the same time')
    assert.equal(kept('newer', 1001), 'newer')
  })

  it('reuses an answer that is young enough', async () => {
    const first = read('status')
    requests[0]?.resolve('AWAY')
    await first
    clock.advance(29_999)
    assert.equal((await read('status', { maxAge: 30_000 })).value, 'AWAY')
    assert.equal(requests.length, 1)
    clock.advance(1)
    const second = read('status', { maxAge: 30_000 })
    requests[1]?.resolve('HOME')
    assert.equal((await second).value, 'HOME')
  })

  it('reuses no answer from before the machine slept, because the monotonic clock stands still meanwhile', async () => {
    const first = read('status')
    requests[0]?.resolve('AWAY')
    await first
    clock.stepWall(hour)
    void read('status', { maxAge: 30_000 })
    assert.equal(requests.length, 2)
  })

  it('reuses an answer after the wall clock was put back', async () => {
    const first = read('status')
    requests[0]?.resolve('AWAY')
    await first
    clock.stepWall(-hour)
    clock.advance(29_999)
    assert.equal((await read('status', { maxAge: 30_000 })).value, 'AWAY')
  })

  it('does not cache an answer that is not cacheable', async () => {
    const first = read('events', {}, false)
    requests[0]?.resolve('list')
    await first
    const second = read('events', { maxAge: 30_000 }, false)
    assert.equal(requests.length, 2)
    requests[1]?.resolve('list')
    await second
  })

  it('rejects all callers of a failed request, and sends a new one for the next caller', async () => {
    const answers = [read('status'), read('status')]
    requests[0]?.fail(new Error('lost'))
    for (const { status } of await Promise.allSettled(answers)) assert.equal(status, 'rejected')
    const next = read('status', { maxAge: 30_000 })
    requests[1]?.resolve('AWAY')
    assert.equal((await next).value, 'AWAY')
  })

  it('aborts a request only after all of its callers have left', async () => {
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = Promise.allSettled([
      read('status', { signal: one.signal }),
      read('status', { signal: other.signal }),
    ])
    one.abort()
    assert.equal(requests[0]?.signal.aborted, false)
    other.abort()
    assert.equal(requests[0]?.signal.aborted, true)
    requests[0]?.fail(new Error('aborted'))
    for (const result of await answers) {
      assert.equal((result as PromiseRejectedResult).reason.code, 'CLOSED')
    }
  })

  it('does not abort a request when a caller of an earlier one leaves', async () => {
    const leaving = new AbortController()
    const first = read('status', { signal: leaving.signal })
    requests[0]?.resolve('AWAY')
    await first
    const second = read('status')
    leaving.abort()
    assert.equal(requests[1]?.signal.aborted, false)
    requests[1]?.resolve('HOME')
    assert.equal((await second).value, 'HOME')
  })

  it('does not abort a request because an earlier one was aborted', async () => {
    const leaving = new AbortController()
    const first = read('status', { signal: leaving.signal })
    leaving.abort()
    requests[0]?.fail(new Error('aborted'))
    await assert.rejects(first)
    void read('status')
    assert.equal(requests[1]?.signal.aborted, false)
  })

  it('never aborts a request because the callers of another one leave, whenever they do so around its answer', async () => {
    const after = async (ticks: number, act: () => void) => {
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      act()
    }
    for (let nth = 0; nth < 24 * 4 ** 4; nth += 1) {
      const [first, second] = [new AbortController(), new AbortController()]
      const answers = [read('status', { signal: first.signal })]
      let unrelated: AbortSignal | undefined
      const acts = [
        () => answers.push(read('status', { signal: second.signal })),
        () => first.abort(),
        () => {
          answers.push(read('events'))
          unrelated = requests.at(-1)?.signal
        },
        () => second.abort(),
      ]
      requests.at(-1)?.resolve('AWAY')
      // Each order of the four, each after none to three turns of the microtask queue.
      const waiting: Promise<void>[] = []
      for (let [left, order, ticks] = [4, nth % 24, Math.floor(nth / 24)]; left > 0; left -= 1) {
        const [act = () => {}] = acts.splice(order % left, 1)
        waiting.push(after(ticks % 4, act))
        order = Math.floor(order / left)
        ticks = Math.floor(ticks / 4)
      }
      await Promise.all(waiting)
      assert.equal(unrelated?.aborted, false, `order and turns ${nth}`)
      for (const { resolve } of requests.splice(0)) resolve('HOME')
      await Promise.allSettled(answers)
    }
  })

  it('joins a poll to an urgent request in flight, but not an urgent request to a poll', async () => {
    const poll = read('status')
    const urgent = read('status', { lane: 'urgent' })
    assert.equal(requests.length, 2)
    const joined = read('status')
    assert.equal(requests.length, 2)
    requests[1]?.resolve('now')
    assert.equal((await urgent).value, 'now')
    assert.equal((await joined).value, 'now')
    requests[0]?.resolve('later')
    await poll
  })

  it('caches the answer of the latest request, in whatever order the answers arrive', async () => {
    const slow = read('status')
    clock.advance(1000)
    const fast = read('status', { lane: 'urgent' })
    requests[1]?.resolve('newer')
    await fast
    requests[0]?.resolve('older')
    await slow
    assert.equal((await read('status', { maxAge: 30_000 })).value, 'newer')
  })
})
