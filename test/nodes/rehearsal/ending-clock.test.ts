import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { endingClock } from '../../../nodes/rehearsal/ending-clock.ts'

describe('A clock that ends', () => {
  it('calls nothing back after its end, neither what waited nor what is new', async () => {
    const other = new FakeClock()
    const { clock, end } = endingClock(other)
    const called: string[] = []
    clock.after(10, () => called.push('before'))
    clock.after(30, () => called.push('waited'))
    await other.advance(20)
    end()
    clock.after(10, () => called.push('new'))
    await other.advance(100)
    assert.deepEqual(called, ['before'])
  })
})
