import assert from 'node:assert/strict'
import { partitionState } from '../../../harness/fixtures/samples.ts'
import { second } from '../../../src/duration.ts'
import type { PartitionState } from '../../../src/panel/state/partition-state.ts'
import { StateTransition } from '../../../src/panel/state/state-transition.ts'

describe('A state is changing', () => {
  let settling: StateTransition
  const see = (now: number, ...partitions: Partial<PartitionState>[]) =>
    settling.noteState(partitions.map(partitionState), now)
  const from = (seconds: readonly number[]) => seconds.map((now) => settling.isUnderWay(now * second))

  beforeEach(() => {
    settling = new StateTransition()
  })

  it('not when it is first seen, nor when another is seen that lasts', () => {
    see(0, { value: 'DISARM' })
    see(30 * second, { value: 'AWAY' })
    see(60 * second, { value: 'ALARM' })
    assert.equal(settling.isUnderWay(60 * second), false)
  })

  for (const [what, delayed] of [
    ['an exit delay', { value: 'ARMING', status: 'EXIT' }],
    ['an entry delay', { value: 'ENTRY_DELAY' }],
    ['the exit delay of one of several partitions', { id: 2, value: 'ALARM', status: 'EXIT' }],
  ] as const) {
    it(`while ${what} runs, also when it is the first that is seen`, () => {
      see(0, { id: 1 }, delayed)
      assert.deepEqual(from([0, 30]), [true, true])
      see(31 * second, { id: 1 }, { id: 2, value: 'AWAY' })
      assert.equal(settling.isUnderWay(31 * second), false)
    })
  }

  it('no longer than the exit delay and a minute, whatever the service says then', () => {
    see(0, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    see(100 * second, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    assert.deepEqual(from([104, 105]), [true, false])
    see(200 * second, { value: 'ENTRY_DELAY', exitDelay: 45 })
    assert.deepEqual(from([304, 305]), [true, false])
  })

  it('from the moment that is announced until it shows, or for a minute', () => {
    see(0, { value: 'DISARM' })
    settling.expectChange(10 * second)
    see(11 * second, { value: 'DISARM' })
    assert.deepEqual(from([11, 69, 70]), [true, true, false])
    see(20 * second, { value: 'HOME' })
    assert.equal(settling.isUnderWay(20 * second), false)
  })

  it('until a delay is over that a command brought', () => {
    see(0, { value: 'DISARM' })
    settling.expectChange(1 * second)
    see(2 * second, { value: 'ARMING', status: 'EXIT' })
    assert.deepEqual(from([2, 60]), [true, true])
    see(62 * second, { value: 'AWAY' })
    assert.equal(settling.isUnderWay(62 * second), false)
  })
})
