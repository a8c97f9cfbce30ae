import assert from 'node:assert/strict'
import { FakeClock } from '../../harness/clock/fake-clock.ts'

describe('the fake clock', () => {
  it('runs timers in order at their times, including those set in between', () => {
    const clock = new FakeClock()
    const ran: [string, number][] = []
    const note = (name: string) => () => ran.push([name, clock.monotonic()])
    clock.after(20, note('second'))
    clock.after(10, () => {
      note('first')()
      clock.after(5, note('between'))
    })
    clock.after(20, note('third'))
    clock.after(31, note('never'))
    clock.after(15, note('cancelled'))()
    clock.advance(30)
    assert.deepEqual(ran, [
      ['first', 10],
      ['between', 15],
      ['second', 20],
      ['third', 20],
    ])
    assert.equal(clock.monotonic(), 30)
    assert.equal(clock.pending, 1)
  })

  it('steps only the wall clock', () => {
    const clock = new FakeClock()
    const start = clock.wall()
    clock.stepWall(-5000)
    clock.advance(100)
    assert.equal(clock.wall(), start - 4900)
    assert.equal(clock.monotonic(), 100)
  })

  it('stalls in a timer beyond the end of the advance, and runs the other timers late', () => {
    const clock = new FakeClock()
    const ran: number[] = []
    clock.after(10, () => clock.stall(1000))
    clock.after(500, () => ran.push(clock.monotonic()))
    clock.advance(20)
    assert.deepEqual([clock.monotonic(), ran], [1010, []])
    clock.advance(1)
    assert.deepEqual([clock.monotonic(), ran], [1011, [1010]])
  })
})
