import assert from 'node:assert/strict'
import { statusOf } from '../../../harness/fixtures/samples.ts'
import { second } from '../../../src/duration.ts'
import { ExitDelays, secondsUntil } from '../../../src/panel/state/known-state.ts'

describe('The end of an exit delay', () => {
  const leaving = (id = 1, state = 'AWAY') => ({ id, state, status: 'EXIT' })
  let announcedAt: number
  beforeEach(() => {
    announcedAt = Number.NEGATIVE_INFINITY
  })
  const at = (delays: ExitDelays, moment: number, ...partitions: object[]) =>
    Object.fromEntries(delays.follow(statusOf(...partitions).partitions, () => 20, moment, announcedAt))

  it('is calculated from the configured length when the delay is first seen, and does not move', () => {
    const delays = new ExitDelays()
    assert.deepEqual(at(delays, 0, { id: 1, state: 'DISARM' }), {})
    assert.deepEqual(at(delays, 7 * second, leaving()), { 1: 27 * second })
    assert.deepEqual(at(delays, 12 * second, leaving()), { 1: 27 * second })
    assert.deepEqual(at(delays, 27 * second, { id: 1, state: 'AWAY' }), {})
    assert.deepEqual(at(delays, 40 * second, leaving()), { 1: 60 * second })
  })

  it('is tracked for each partition', () => {
    const delays = new ExitDelays()
    at(delays, 0, leaving(1), { id: 2, state: 'DISARM' })
    assert.deepEqual(at(delays, 5 * second, leaving(1), leaving(2)), { 1: 20 * second, 2: 25 * second })
  })

  it('is calculated again if the target state changes', () => {
    const delays = new ExitDelays()
    at(delays, 0, leaving(1, 'AWAY'))
    assert.deepEqual(at(delays, 10 * second, leaving(1, 'HOME')), { 1: 30 * second })
  })

  it('is counted from a command that was given since the last poll', () => {
    const delays = new ExitDelays()
    at(delays, 0, { id: 1, state: 'DISARM' })
    announcedAt = 3 * second
    assert.deepEqual(at(delays, 8 * second, leaving()), { 1: 23 * second })
  })

  it('is not counted from a command without a delay, or from one whose delay would already be over', () => {
    const delays = new ExitDelays()
    announcedAt = 0
    at(delays, 1 * second, { id: 1, state: 'DISARM' })
    assert.deepEqual(at(delays, 5 * second, leaving()), { 1: 25 * second })
    const withoutState = new ExitDelays()
    announcedAt = 0
    assert.deepEqual(at(withoutState, 20 * second, leaving()), { 1: 40 * second })
  })

  it('does not move if an answer arrives late', () => {
    const delays = new ExitDelays()
    at(delays, 10 * second, { id: 1, state: 'DISARM' })
    announcedAt = 5 * second
    at(delays, 2 * second, { id: 1, state: 'DISARM' })
    assert.deepEqual(at(delays, 11 * second, leaving()), { 1: 31 * second })
  })

  it('is unknown if the panel does not report the length of its delays', () => {
    const { partitions } = statusOf(leaving())
    assert.equal(new ExitDelays().follow(partitions, () => null, 0, announcedAt).size, 0)
  })

  it('is a whole number of seconds away and never negative', () => {
    assert.deepEqual(
      [0, 1, 999, 1000, 1001, 5000, 9000].map((now) => secondsUntil(5000, now)),
      [5, 5, 5, 4, 4, 0, 0],
    )
  })
})
