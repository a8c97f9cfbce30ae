import assert from 'node:assert/strict'
import { partitionState } from '../../../harness/fixtures/samples.ts'
import { second } from '../../../src/duration.ts'
import { type PaceSituation, StateActivity } from '../../../src/panel/polling/pace.ts'
import type { PartitionState } from '../../../src/panel/state/partition-state.ts'

describe('The activity of a state', () => {
  let activity: StateActivity
  const note = (seconds: number, ...partitions: Partial<PartitionState>[]) =>
    activity.noteState(partitions.map(partitionState), seconds * second)
  const at = (...seconds: number[]): PaceSituation[] =>
    seconds.map((now) => activity.situation(now * second, true))

  beforeEach(() => {
    activity = new StateActivity()
  })

  it('is a change where a value or a readiness differs, and not in the first view', () => {
    assert.equal(note(0, { value: 'DISARM', ready: true }), null)
    assert.equal(note(1, { value: 'DISARM', ready: true }), null)
    assert.equal(note(2, { value: 'DISARM', ready: false }), 'ready')
    assert.equal(note(3, { value: 'AWAY', ready: true }), 'AWAY')
    assert.deepEqual(at(3, 122, 123), ['recent', 'recent', 'away'])
  })

  for (const [what, delayed] of [
    ['an exit delay', { value: 'ARMING', status: 'EXIT' }],
    ['the exit delay of one of several partitions', { id: 2, value: 'DISARM', status: 'EXIT' }],
  ] as const) {
    it(`is that of a change during ${what}, even in the first view`, () => {
      note(0, { id: 1 }, delayed)
      assert.deepEqual(at(0, 30), ['change', 'change'])
      note(31, { id: 1 }, { id: 2, value: 'AWAY' })
      assert.deepEqual(at(31), ['recent'])
    })
  }

  it('of an entry delay is followed by five minutes as after an alarm', () => {
    note(0, { value: 'ENTRY_DELAY' })
    assert.deepEqual(at(0, 30), ['entryDelay', 'entryDelay'])
    note(31, { value: 'DISARM' })
    assert.deepEqual(at(31, 299, 300), ['alarm', 'alarm', 'busy'])
  })

  it('ends a minute after the exit delay, whatever the service reports', () => {
    note(0, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    note(100, { value: 'ARMING', status: 'EXIT', exitDelay: 45 }, { id: 2, exitDelay: null })
    assert.deepEqual(at(104, 105), ['change', 'quiet'])
    note(200, { value: 'ENTRY_DELAY', exitDelay: 45 })
    assert.deepEqual(at(304, 305), ['entryDelay', 'alarm'])
  })

  it('lasts from the announcement of a change until it is visible, or for a minute', () => {
    note(0, { value: 'DISARM' })
    activity.expectChange(10 * second)
    note(11, { value: 'DISARM' })
    assert.deepEqual(at(11, 69, 70), ['change', 'change', 'quiet'])
    note(20, { value: 'HOME' })
    assert.deepEqual(at(20), ['recent'])
  })

  it('of an alarm lasts while one is seen, and for five minutes after', () => {
    note(0, { value: 'ALARM' })
    note(600, { value: 'ALARM' })
    assert.deepEqual(at(600, 899, 900), ['alarm', 'alarm', 'quiet'])
  })

  it('is that of the night while all armed partitions are armed at home, else that of an empty house', () => {
    note(0, { value: 'HOME' }, { id: 2, value: 'DISARM' }, { id: 3, value: 'NIGHT' })
    assert.deepEqual(at(0), ['home'])
    note(1, { value: 'HOME' }, { id: 2, value: 'GUARD' })
    assert.deepEqual(at(1801), ['away'])
  })

  it('is in doubt for a minute at most, until two answers agree', () => {
    note(0, { value: 'DISARM' })
    activity.noteDoubt(10 * second)
    activity.noteDoubt(30 * second)
    assert.deepEqual(at(10, 69, 70), ['unsettled', 'unsettled', 'quiet'])
    activity.endDoubt()
    activity.noteDoubt(80 * second)
    assert.deepEqual(at(80), ['unsettled'])
  })

  it('is not slowed down by a line that is lost while a partition is armed, until it is disarmed', () => {
    note(0, { value: 'DISARM' })
    note(1, { value: 'AWAY' })
    activity.isMobileOnly = true
    note(200, { value: 'AWAY' })
    assert.deepEqual(at(200), ['away'])
    assert.equal(activity.situation(200 * second, false), 'away')
    note(300, { value: 'DISARM' })
    assert.deepEqual(at(300, 500), ['remote', 'remote'])
  })

  it('is remote while armed only if the panel had nothing but its mobile network before', () => {
    activity.isMobileOnly = true
    note(0, { value: 'DISARM' })
    note(1, { value: 'AWAY' })
    assert.deepEqual(at(200), ['remote'])
    activity.isMobileOnly = false
    note(201, { value: 'AWAY' })
    activity.isMobileOnly = true
    note(202, { value: 'AWAY' })
    assert.deepEqual(at(400), ['away'])
  })

  it('is that of an absence if the first view is armed and has only the mobile network: the line may just be cut', () => {
    activity.isMobileOnly = true
    note(0, { value: 'AWAY' })
    assert.deepEqual(at(200), ['away'])
  })
})
