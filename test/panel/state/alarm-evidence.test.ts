import assert from 'node:assert/strict'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  type AlarmEvidence,
  isOverByAnswers,
  type KnownPartition,
  type UnendedAlarm,
} from '../../../src/panel/state/alarm-evidence.ts'

const partition = (fields: Partial<KnownPartition> = {}): KnownPartition => ({
  id: 1,
  state: 'DISARM',
  disarmedAt: null,
  ...fields,
})

/** Returns true if an alarm that was known at 0 is over at a time. */
function isOver(evidence: Partial<AlarmEvidence>, alarm: Partial<UnendedAlarm> = {}, now = hour): boolean {
  return isOverByAnswers(
    { time: 0, knownAt: 0, partitions: [1], isOfList: true, ...alarm },
    { timeEnds: false, agreedAt: null, partitions: [partition()], ...evidence },
    now,
  )
}

describe('An alarm that no event has ended', () => {
  it('is over by two lists that were asked for five minutes after it was known, not by earlier ones', () => {
    assert.equal(isOver({ agreedAt: 5 * minute - 1 }), false)
    assert.equal(isOver({ agreedAt: 5 * minute }), true)
    assert.equal(isOver({ agreedAt: hour, partitions: [partition({ state: 'AWAY' })] }), true)
  })

  it('is over by such lists only after a day if they may not show alarms of its type', () => {
    assert.equal(isOver({ agreedAt: hour }, { isOfList: false }), false)
    assert.equal(isOver({ agreedAt: day }, { isOfList: false }), true)
  })

  it('is over by a disarm of one of its partitions after it was known, not by one of another partition or before it', () => {
    const disarmed = [partition({ disarmedAt: minute }), partition({ id: 2 })]
    assert.equal(isOver({ partitions: disarmed }), true)
    assert.equal(isOver({ partitions: disarmed }, { partitions: [] }), true)
    assert.equal(isOver({ partitions: disarmed }, { partitions: [2] }), false)
    assert.equal(isOver({ partitions: disarmed }, { time: 2 * minute, knownAt: 2 * minute }), false)
  })

  it('is over by a disarm shortly before it was known, if its time is before that', () => {
    const partitions = [partition({ disarmedAt: minute })]
    assert.equal(isOver({ partitions }, { time: 0, knownAt: 3 * minute }), true)
    assert.equal(isOver({ partitions }, { time: null, knownAt: 3 * minute }), false)
    assert.equal(isOver({ partitions }, { time: 0, knownAt: 7 * minute }), false)
  })

  it('is over after a day without a list of alarms, unless one of its partitions is armed', () => {
    const none = { timeEnds: true }
    assert.equal(isOver(none, {}, day - 1), false)
    assert.equal(isOver(none, {}, day), true)
    assert.equal(isOver({}, {}, 2 * day), false, 'a list that cannot be read, or a panel out of reach')
    for (const state of ['AWAY', 'TOTAL', 'ENTRY_DELAY'])
      assert.equal(isOver({ ...none, partitions: [partition({ state })] }, {}, 9 * day), false)
    const both = [partition(), partition({ id: 2, state: 'HOME' })]
    assert.equal(isOver({ ...none, partitions: both }, { partitions: [] }, 9 * day), false)
    assert.equal(isOver({ ...none, partitions: [] }, {}, 9 * day), false)
  })
})
