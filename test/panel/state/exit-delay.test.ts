import assert from 'node:assert/strict'
import { statusOf } from '../../../harness/fixtures/samples.ts'
import { second } from '../../../src/duration.ts'
import { ExitDelays, secondsUntil } from '../../../src/panel/state/exit-delay.ts'

describe('The end of an exit delay', () => {
  const leaving = (id = 1, state = 'AWAY') => ({ id, state, status: 'EXIT' })
  const at = (delays: ExitDelays, moment: number, ...partitions: object[]) =>
    Object.fromEntries(delays.follow(statusOf(...partitions).partitions, () => 20, moment))

  it('is so far off when it is first seen as the panel is set up, and does not move while it runs', () => {
    const delays = new ExitDelays()
    assert.deepEqual(at(delays, 0, { id: 1, state: 'DISARM' }), {})
    assert.deepEqual(at(delays, 7 * second, leaving()), { 1: 27 * second })
    assert.deepEqual(at(delays, 12 * second, leaving()), { 1: 27 * second })
    assert.deepEqual(at(delays, 27 * second, { id: 1, state: 'AWAY' }), {})
    assert.deepEqual(at(delays, 40 * second, leaving()), { 1: 60 * second })
  })

  it('is that of each partition', () => {
    const delays = new ExitDelays()
    at(delays, 0, leaving(1), { id: 2, state: 'DISARM' })
    assert.deepEqual(at(delays, 5 * second, leaving(1), leaving(2)), { 1: 20 * second, 2: 25 * second })
  })

  it('is a new one when the target changes', () => {
    const delays = new ExitDelays()
    at(delays, 0, leaving(1, 'AWAY'))
    assert.deepEqual(at(delays, 10 * second, leaving(1, 'HOME')), { 1: 30 * second })
  })

  it('counts from the command that was given since the last look', () => {
    const delays = new ExitDelays()
    at(delays, 0, { id: 1, state: 'DISARM' })
    delays.expectChange(3 * second)
    assert.deepEqual(at(delays, 8 * second, leaving()), { 1: 23 * second })
  })

  it('does not count from a command that brought no delay, nor from one after which it would be over', () => {
    const delays = new ExitDelays()
    delays.expectChange(0)
    at(delays, 1 * second, { id: 1, state: 'DISARM' })
    assert.deepEqual(at(delays, 5 * second, leaving()), { 1: 25 * second })
    const unwatched = new ExitDelays()
    unwatched.expectChange(0)
    assert.deepEqual(at(unwatched, 20 * second, leaving()), { 1: 40 * second })
  })

  it('does not move when an answer comes late', () => {
    const delays = new ExitDelays()
    at(delays, 10 * second, { id: 1, state: 'DISARM' })
    delays.expectChange(5 * second)
    at(delays, 2 * second, { id: 1, state: 'DISARM' })
    assert.deepEqual(at(delays, 11 * second, leaving()), { 1: 31 * second })
  })

  it('is not known where the panel does not say how long its delays are', () => {
    const { partitions } = statusOf(leaving())
    assert.equal(new ExitDelays().follow(partitions, () => null, 0).size, 0)
  })

  it('is so many whole seconds off, and never less than none', () => {
    assert.deepEqual(
      [0, 1, 999, 1000, 1001, 5000, 9000].map((now) => secondsUntil(5000, now)),
      [5, 5, 5, 4, 4, 0, 0],
    )
  })
})
