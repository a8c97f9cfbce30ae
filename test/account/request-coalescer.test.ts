import assert from 'node:assert/strict'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import type { ReadOptions } from '../../src/account/request.ts'
import { RequestCoalescer } from '../../src/account/request-coalescer.ts'

describe('one flight per question', () => {
  let clock: FakeClock
  let coalescer: RequestCoalescer
  let flown: { signal: AbortSignal; land(value: string): void; fail(error: Error): void }[]

  beforeEach(() => {
    clock = new FakeClock()
    coalescer = new RequestCoalescer(clock)
    flown = []
  })

  function ask(key: string, asking: Partial<ReadOptions> = {}, kept = true) {
    const whole = { lane: 'poll', maxAge: 0, signal: new AbortController().signal, ...asking } as const
    return coalescer.coalesce(key, whole, kept, (signal) => {
      const sentAt = clock.monotonic()
      return new Promise<{ value: string; sentAt: number }>((land, fail) => {
        flown.push({ signal, fail, land: (value) => land({ value, sentAt }) })
      })
    })
  }

  it('serves fifty who ask the same at the same time', async () => {
    const answers = Array.from({ length: 50 }, () => ask('status'))
    flown[0]?.land('AWAY')
    assert.ok((await Promise.all(answers)).every(({ value }) => value === 'AWAY'))
    assert.equal(flown.length, 1)
  })

  it('needs none for an answer that is young enough', async () => {
    const first = ask('status')
    flown[0]?.land('AWAY')
    await first
    clock.advance(29_999)
    assert.equal((await ask('status', { maxAge: 30_000 })).value, 'AWAY')
    assert.equal(flown.length, 1)
    clock.advance(1)
    const second = ask('status', { maxAge: 30_000 })
    flown[1]?.land('HOME')
    assert.equal((await second).value, 'HOME')
  })

  it('keeps nothing of an answer that is not worth keeping', async () => {
    const first = ask('events', {}, false)
    flown[0]?.land('list')
    await first
    const second = ask('events', { maxAge: 30_000 }, false)
    assert.equal(flown.length, 2)
    flown[1]?.land('list')
    await second
  })

  it('fails all who share it, and the next who asks flies again', async () => {
    const answers = [ask('status'), ask('status')]
    flown[0]?.fail(new Error('lost'))
    for (const { status } of await Promise.allSettled(answers)) assert.equal(status, 'rejected')
    const next = ask('status', { maxAge: 30_000 })
    flown[1]?.land('AWAY')
    assert.equal((await next).value, 'AWAY')
  })

  it('ends only when the last who waits has gone', async () => {
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = Promise.allSettled([
      ask('status', { signal: one.signal }),
      ask('status', { signal: other.signal }),
    ])
    one.abort()
    assert.equal(flown[0]?.signal.aborted, false)
    other.abort()
    assert.equal(flown[0]?.signal.aborted, true)
    flown[0]?.fail(new Error('aborted'))
    for (const result of await answers) {
      assert.equal((result as PromiseRejectedResult).reason.code, 'CLOSED')
    }
  })

  it('lets nobody who cannot wait join a poll, but a poll joins whoever cannot wait', async () => {
    const poll = ask('status')
    const urgent = ask('status', { lane: 'urgent' })
    assert.equal(flown.length, 2)
    const joined = ask('status')
    assert.equal(flown.length, 2)
    flown[1]?.land('now')
    assert.equal((await urgent).value, 'now')
    assert.equal((await joined).value, 'now')
    flown[0]?.land('later')
    await poll
  })

  it('keeps the answer that was asked for last, in whatever order they come', async () => {
    const slow = ask('status')
    clock.advance(1000)
    const fast = ask('status', { lane: 'urgent' })
    flown[1]?.land('newer')
    await fast
    flown[0]?.land('older')
    await slow
    assert.equal((await ask('status', { maxAge: 30_000 })).value, 'newer')
  })
})
