import assert from 'node:assert/strict'
import { byClockOfNow } from '../../../src/clock.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  type AlarmEvidence,
  isOverByAnswers,
  noEvidence,
  type UnendedAlarm,
} from '../../../src/panel/state/alarm-evidence.ts'

const epoch = Date.parse('2026-11-22T12:00:00Z')
const disarmAt = (at: number, wall = epoch + at) => new Map([[1, { at, wall }]])
const partition = (id = 1, state = 'DISARM') => ({ id, state })

/** Returns true if an alarm that was known at 0 is over at a time. */
function isOver(evidence: Partial<AlarmEvidence>, alarm: Partial<UnendedAlarm> = {}, now = hour): boolean {
  return isOverByAnswers(
    { time: epoch, knownAt: epoch, disarmKnownAt: null, partitions: [1], isOfList: true, ...alarm },
    { ...noEvidence, epoch, partitions: [partition()], ...evidence },
    epoch + now,
  )
}

describe('An alarm that no event has ended', () => {
  it('is over by two lists that were asked for five minutes after it was known, not by earlier ones', () => {
    assert.equal(isOver({ agreedAt: 5 * minute - 1 }), false)
    assert.equal(isOver({ agreedAt: 5 * minute }), true)
    assert.equal(isOver({ agreedAt: hour, partitions: [partition(1, 'AWAY')] }), true)
  })

  it('is over by such lists only after a day if they may not show alarms of its type', () => {
    assert.equal(isOver({ agreedAt: hour }, { isOfList: false }), false)
    assert.equal(isOver({ agreedAt: day }, { isOfList: false }), true)
  })

  it('is over by a disarm of one of its partitions after it was known, not by one of another partition or before it', () => {
    const disarmed = { partitions: [partition(), partition(2)], disarms: disarmAt(minute) }
    assert.equal(isOver(disarmed), true)
    assert.equal(isOver(disarmed, { partitions: [] }), true)
    assert.equal(isOver(disarmed, { partitions: [2] }), false)
    assert.equal(isOver(disarmed, { time: epoch + 2 * minute, knownAt: epoch + 2 * minute }), false)
  })

  it('is over by a disarm shortly before it was known, if its time is before that', () => {
    const disarmed = { disarms: disarmAt(minute) }
    assert.equal(isOver(disarmed, { knownAt: epoch + 3 * minute }), true)
    assert.equal(isOver(disarmed, { time: null, knownAt: epoch + 3 * minute }), false)
    assert.equal(isOver(disarmed, { knownAt: epoch + 7 * minute }), false)
  })

  it('is not over by a disarm before it was known if its partition is armed again, though the clock of the panel is behind', () => {
    const armedAgain = { disarms: disarmAt(minute), partitions: [partition(1, 'AWAY')] }
    assert.equal(isOver(armedAgain, { knownAt: epoch + 3 * minute }), false)
    assert.equal(isOver(armedAgain), true, 'known before the disarm')
  })

  it('is older or younger than a disarm and a list, whenever the clock of this machine was set since', () => {
    for (const set of [30 * day, 2 * hour, -2 * hour, -30 * day]) {
      const epochs = [
        { epoch, from: 0, to: 2.5 * hour },
        { epoch: epoch + set, from: 2.5 * hour, to: 2.5 * hour },
      ]
      const clock = { epoch: epoch + set, epochs }
      const known = (at: number) => byClockOfNow(epoch + at, epochs)
      const overAfter = (evidence: Partial<AlarmEvidence>, at: number, alarm = {}) =>
        isOver({ ...clock, ...evidence }, { time: null, knownAt: known(at), ...alarm }, set + 3 * hour)
      assert.equal(overAfter({ disarms: disarmAt(hour) }, hour - 1), true)
      assert.equal(overAfter({ disarms: disarmAt(hour) }, hour + 1), false)
      assert.equal(overAfter({ timeEnds: true }, hour), false)
      assert.equal(overAfter({ agreedAt: 2 * hour }, hour, { isOfList: false }), false)
      assert.equal(overAfter({ agreedAt: hour + 5 * minute - 1 }, hour), false)
      assert.equal(overAfter({ agreedAt: hour + 5 * minute }, hour), true)
    }
  })

  it('is not over by the disarm that came before it by the events, though an answer shows that only later', () => {
    const disarmed = { disarms: disarmAt(minute) }
    assert.equal(isOver(disarmed, { disarmKnownAt: epoch }), false)
    assert.equal(isOver(disarmed, { disarmKnownAt: epoch + 3 * minute, knownAt: epoch + 3 * minute }), false)
    assert.equal(isOver(disarmed, { disarmKnownAt: epoch - 5 * minute }), true, 'an earlier disarm')
  })

  it('is over after a day without a list of alarms, unless one of its partitions is armed', () => {
    const none = { timeEnds: true }
    assert.equal(isOver(none, {}, day - 1), false)
    assert.equal(isOver(none, {}, day), true)
    assert.equal(isOver({}, {}, 2 * day), false, 'a list that cannot be read, or a panel out of reach')
    for (const state of ['AWAY', 'TOTAL', 'ENTRY_DELAY'])
      assert.equal(isOver({ ...none, partitions: [partition(1, state)] }, {}, 9 * day), false)
    const both = [partition(), partition(2, 'HOME')]
    assert.equal(isOver({ ...none, partitions: both }, { partitions: [] }, 9 * day), false)
    assert.equal(isOver({ ...none, partitions: [] }, {}, 9 * day), false)
  })
})
