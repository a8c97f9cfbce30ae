import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { second } from '../../../src/duration.ts'
import { PollTimes } from '../../../src/panel/polling/poll-times.ts'

describe('The times of the polls of a panel', () => {
  let clock: FakeClock
  let times: PollTimes
  let target: number
  let isPaced: boolean

  beforeEach(() => {
    clock = new FakeClock()
    target = 100 * second
    isPaced = true
    times = new PollTimes(clock, 'A1', { target: () => target, isPaced: () => isPaced, factor: () => 2 })
  })

  const now = () => clock.monotonic()
  const answer = () => times.noteAnswer('events', { at: now(), sentAt: now() })
  const left = () => times.dueAt('events') - now()

  it('are at once before the first answer, and then vary by a twentieth of the target', () => {
    assert.ok(times.isDue('events'))
    const lefts = Array.from({ length: 40 }, () => {
      clock.advance(1)
      answer()
      return left()
    })
    assert.ok(lefts.every((one) => one >= 0.95 * target && one <= 1.05 * target))
    assert.ok(new Set(lefts).size > 30)
  })

  it('tell their place among those of other panels, with the factor of the day where the pace decides', () => {
    answer()
    const place = { weight: 1, targetMs: target, since: now() }
    assert.deepEqual(times.due('events'), { ...place, factor: 2 })
    isPaced = false
    assert.deepEqual(times.due('events'), { ...place, factor: 1 })
  })

  it('come closer with the target, and move away only with an answer', () => {
    answer()
    target = 10 * second
    const soon = left()
    assert.ok(soon <= 10.5 * second)
    target = 300 * second
    assert.ok(left() > soon)
    target = 10 * second
    answer()
    clock.advance(1)
    answer()
    target = 300 * second
    assert.ok(left() <= 10.5 * second)
  })

  it('are at once after a trigger, and ten seconds later after the next one of the same cause', () => {
    answer()
    clock.advance(second)
    times.trigger('events', 'ready')
    assert.deepEqual([left(), times.isTriggered('events')], [0, true])
    answer()
    assert.equal(times.isTriggered('events'), false)
    clock.advance(second)
    times.trigger('events', 'ready')
    assert.deepEqual([left(), times.isTriggered('events')], [9 * second, false])
    times.trigger('events', 'DISARM')
    assert.equal(left(), 0)
    answer()
    assert.ok(left() > 90 * second)
  })

  it('keep a trigger until an answer that was requested after it', () => {
    answer()
    clock.advance(second)
    const sentAt = now()
    clock.advance(second)
    times.trigger('events', 'ready')
    times.noteAnswer('events', { at: now(), sentAt })
    assert.equal(times.isTriggered('events'), true)
  })
})
