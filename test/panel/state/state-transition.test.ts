import assert from 'node:assert/strict'
import { partitionState } from '../../../harness/fixtures/samples.ts'
import { second } from '../../../src/duration.ts'
import type { PartitionState } from '../../../src/panel/state/partition-state.ts'
import { StateTransition } from '../../../src/panel/state/state-transition.ts'

describe('The transition of a state', () => {
  let transition: StateTransition
  const noteState = (now: number, ...partitions: Partial<PartitionState>[]) =>
    transition.noteState(partitions.map(partitionState), now)
  const from = (seconds: readonly number[]) => seconds.map((now) => transition.isUnderWay(now * second))

  beforeEach(() => {
    transition = new StateTransition()
  })

  it('is not in progress at the first view, or after a change to a lasting state', () => {
    noteState(0, { value: 'DISARM' })
    noteState(30 * second, { value: 'AWAY' })
    noteState(60 * second, { value: 'ALARM' })
    assert.equal(transition.isUnderWay(60 * second), false)
  })

  for (const [what, delayed] of [
    ['an exit delay', { value: 'ARMING', status: 'EXIT' }],
    ['an entry delay', { value: 'ENTRY_DELAY' }],
    ['the exit delay of one of several partitions', { id: 2, value: 'ALARM', status: 'EXIT' }],
  ] as const) {
    it(`is in progress during ${what}, even in the first view`, () => {
      noteState(0, { id: 1 }, delayed)
      assert.deepEqual(from([0, 30]), [true, true])
      noteState(31 * second, { id: 1 }, { id: 2, value: 'AWAY' })
      assert.equal(transition.isUnderWay(31 * second), false)
    })
  }

  it('ends a minute after the exit delay, whatever the service reports', () => {
    noteState(0, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    noteState(100 * second, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    assert.deepEqual(from([104, 105]), [true, false])
    noteState(200 * second, { value: 'ENTRY_DELAY', exitDelay: 45 })
    assert.deepEqual(from([304, 305]), [true, false])
  })

  it('is in progress from its announcement until the change is visible, or for a minute', () => {
    noteState(0, { value: 'DISARM' })
    transition.expectChange(10 * second)
    noteState(11 * second, { value: 'DISARM' })
    assert.deepEqual(from([11, 69, 70]), [true, true, false])
    noteState(20 * second, { value: 'HOME' })
    assert.equal(transition.isUnderWay(20 * second), false)
  })

  it('is in progress until a delay caused by a command is over', () => {
    noteState(0, { value: 'DISARM' })
    transition.expectChange(1 * second)
    noteState(2 * second, { value: 'ARMING', status: 'EXIT' })
    assert.deepEqual(from([2, 60]), [true, true])
    noteState(62 * second, { value: 'AWAY' })
    assert.equal(transition.isUnderWay(62 * second), false)
  })
})
