import assert from 'node:assert/strict'
import { FakeClock } from '../harness/clock/fake-clock.ts'
import { every } from '../src/clock.ts'

describe('A repeated callback', () => {
  it('runs at every interval until it is stopped, independent of the wall clock', () => {
    const clock = new FakeClock()
    const at: number[] = []
    const stop = every(clock, 30_000, () => at.push(clock.monotonic()))
    clock.advance(29_999)
    assert.deepEqual(at, [])
    clock.stepWall(-3_600_000)
    clock.advance(60_001)
    assert.deepEqual(at, [30_000, 60_000, 90_000])
    stop()
    clock.advance(3_600_000)
    assert.equal(at.length, 3)
    assert.equal(clock.pending, 0)
  })

  it('can stop its own repetition', () => {
    const clock = new FakeClock()
    let times = 0
    const stop = every(clock, 1000, () => {
      times += 1
      stop()
    })
    clock.advance(10_000)
    assert.deepEqual([times, clock.pending], [1, 0])
  })
})
