import assert from 'node:assert/strict'
import { device, panelDevices, partitionState } from '../../../harness/fixtures/samples.ts'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { hour, minute, second } from '../../../src/duration.ts'
import { conditionKinds } from '../../../src/panel/conditions/condition.ts'
import {
  withAlarms,
  withDevices,
  withEvents,
  withState,
} from '../../../src/panel/conditions/condition-book.ts'
import type { ConditionChoice } from '../../../src/panel/conditions/condition-choice.ts'
import { ConditionReport } from '../../../src/panel/conditions/condition-report.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const start = Date.parse('2026-11-22T12:00:00Z')
const usual: ConditionChoice = {
  ...{ kinds: new Set(conditionKinds), after: {}, remindAfter: 0 },
  ...{ inspectionDays: 365, backupDays: 365 },
}

/** Follows the conditions as a node does; all times are milliseconds after the start. */
class Follower {
  /** The texts of each list that was told, as `bypassed` or `bypassKept`. */
  readonly told: string[][] = []
  readonly #choice: ConditionChoice
  #report: ConditionReport

  constructor(choice = usual) {
    this.#choice = choice
    this.#report = new ConditionReport(choice)
    this.#report.recall(null, start)
  }

  restart(): void {
    const notes = this.#report.notes()
    this.#report = new ConditionReport(this.#choice)
    this.#report.recall(notes, start)
  }

  /** Takes a list with zones of which some are bypassed. */
  devices(now: number, bypassed: readonly number[], { requestedAt = now, partitions = [1] } = {}): this {
    const listed = [1, 2].map((zone) => {
      const traits = { bypass: { enabled: bypassed.includes(zone) } }
      return device({ id: zone, device_number: zone, name: `Zone ${zone}`, partitions, traits })
    })
    const list = { requestedAt: start + requestedAt }
    return this.#change(now, (book, told) =>
      withDevices(book, panelDevices(listed), at(now), { ...list, told }),
    )
  }

  /** Takes the states of the partitions 1, 2 and so on. */
  states(now: number, ...values: readonly string[]): this {
    const partitions = values.map((value, index) => partitionState({ id: index + 1, value }))
    return this.#change(now, (book) => withState(book, { online: true, partitions }, at(now)))
  }

  /** Takes an event of partition 1. */
  event(now: number, typeId: number): this {
    const events = [storyEventOf(typeId, start + now, { partitions: [1], readAt: start + now })]
    return this.#change(now, (book) => withEvents(book, events, at(now)))
  }

  /** Takes a running alarm of a zone. */
  alarm(now: number, zone: number): this {
    const alarm = {
      kind: 'burglary',
      deviceType: 'ZONE',
      zone,
      name: '',
      since: start + now,
      eventKey: null,
    } as const
    const running = { alarms: [{ ...alarm, partitions: [1] }], contactLostAt: null, areAll: true }
    return this.#change(now, (book) => withAlarms(book, running, at(now)))
  }

  /** The begins of the conditions, in milliseconds after the start. */
  get begins(): number[] {
    return (this.#report.book?.conditions ?? []).map(({ since }) => since - start)
  }

  #change(now: number, next: Parameters<ConditionReport['change']>[0]): this {
    if (!this.#report.change(next, start + now)) return this
    const due = this.#report.due(start + now)
    if (due === undefined) return this
    this.#report.noteTold(due, start + now)
    this.told.push(due.conditions.map(({ zone, says }) => `${zone} ${says}`))
    return this
  }
}

const at = (now: number) => ({ catalogue: bundled, now: start + now })
const disarmedAt = 2 * hour

/** Returns a follower of a house that has told the bypass of zone 2, and was armed and disarmed since. */
const afterDisarm = (choice?: ConditionChoice) =>
  new Follower(choice).devices(0, [2]).states(minute, 'AWAY').devices(hour, [2]).states(disarmedAt, 'DISARM')

describe('A bypass that was told before a disarm', () => {
  it('is told once more as one that the disarm did not end, if the list shows it a minute later', () => {
    const house = afterDisarm().devices(disarmedAt + minute, [2])
    assert.deepEqual(house.told, [['2 bypassed'], ['2 bypassKept']])
    house.devices(disarmedAt + 2 * minute, [2]).devices(disarmedAt + hour, [2])
    assert.equal(house.told.length, 2)
    assert.deepEqual(house.begins, [0], 'it has begun when it was bypassed')
  })

  it('is over without a word if the list no longer shows it, also if that is late', () => {
    const house = afterDisarm()
      .devices(disarmedAt + 50 * second, [2])
      .devices(disarmedAt + minute, [])
    assert.deepEqual(house.told, [['2 bypassed'], []])
  })

  it('is not judged by a list that was requested before the minute was over', () => {
    const house = afterDisarm().devices(disarmedAt + hour, [2], { requestedAt: disarmedAt + 59 * second })
    assert.equal(house.told.length, 1)
  })

  it('is told after a restart, whether the disarm was before or after it', () => {
    const before = afterDisarm()
    before.restart()
    before.devices(disarmedAt + minute, [2])
    assert.deepEqual(before.told.at(-1), ['2 bypassKept'])
    const after = new Follower().devices(0, [2]).states(minute, 'AWAY')
    after.restart()
    after.states(disarmedAt, 'DISARM').devices(disarmedAt + minute, [2])
    assert.deepEqual(after.told.at(-1), ['2 bypassKept'])
    after.restart()
    after.devices(disarmedAt + hour, [2])
    assert.equal(after.told.length, 2, 'and not again')
  })

  it('says so until it ends, also over the next arming; a new one begins anew', () => {
    const house = afterDisarm().devices(disarmedAt + minute, [2])
    house
      .states(3 * hour, 'HOME')
      .states(4 * hour, 'DISARM')
      .devices(5 * hour, [2])
    assert.equal(house.told.length, 2)
    house.devices(6 * hour, []).devices(7 * hour, [2])
    assert.deepEqual(house.told.slice(2), [[], ['2 bypassed']])
  })

  // @spec swinger-stop
  it('is told of a zone that the panel has left out after its alarm, which is told before', () => {
    const house = new Follower().states(0, 'AWAY').devices(minute, []).alarm(hour, 2)
    house
      .devices(hour + second, [2])
      .states(disarmedAt, 'DISARM')
      .devices(disarmedAt + second, [2])
    assert.deepEqual(house.told.slice(1), [['2 alarm', '2 leftOut']])
    house.devices(disarmedAt + minute, [2])
    assert.deepEqual(house.told.slice(2), [['2 alarm', '2 bypassKept']])
    house.devices(disarmedAt + 2 * minute, [2])
    assert.equal(house.told.length, 3, 'and stays the same')
  })

  it('says nothing of a zone that was never armed, nor of one that is bypassed after the disarm', () => {
    const house = new Follower().devices(0, [2]).states(minute, 'DISARM').devices(hour, [2])
    assert.deepEqual(house.told, [['2 bypassed']])
    const later = afterDisarm()
      .devices(disarmedAt + 10 * second, [])
      .devices(disarmedAt + 20 * second, [1])
    later.devices(disarmedAt + minute, [1])
    assert.deepEqual(later.told, [['2 bypassed'], [], ['1 bypassed']])
  })

  it('says nothing if somebody has bypassed a zone since, between two lists', () => {
    const house = afterDisarm()
      .event(disarmedAt + 30 * second, 97)
      .devices(disarmedAt + minute, [2])
    assert.equal(house.told.length, 1)
    const other = afterDisarm()
      .event(disarmedAt + 30 * second, 89)
      .devices(disarmedAt + minute, [2])
    assert.equal(other.told.length, 2)
  })

  it('of a zone of two partitions waits until both are disarmed', () => {
    const partitions = [1, 2]
    const house = new Follower().devices(0, [2], { partitions }).states(minute, 'AWAY', 'AWAY')
    house.states(hour, 'DISARM', 'AWAY').devices(2 * hour, [2], { partitions })
    assert.equal(house.told.length, 1)
    house.states(3 * hour, 'DISARM', 'DISARM').devices(3 * hour + minute, [2], { partitions })
    assert.deepEqual(house.told.at(-1), ['2 bypassKept'])
  })

  it('says nothing while an alarm or a state that nobody knows hides if the panel is disarmed', () => {
    const house = new Follower().devices(0, [2]).states(minute, 'AWAY')
    for (const value of ['ALARM', 'UNKNOWN', 'ARMING']) house.states(hour, value).devices(2 * hour, [2])
    assert.equal(house.told.length, 1)
    house.states(3 * hour, 'DISARM').devices(4 * hour, [2])
    assert.equal(house.told.length, 2)
  })

  it('says nothing if the bypass was not told before the disarm, because it had not lasted long enough', () => {
    const house = afterDisarm({ ...usual, after: { bypassed: 5 * hour } }).devices(disarmedAt + minute, [2])
    house.devices(6 * hour, [2])
    assert.deepEqual(house.told, [['2 bypassed']])
  })

  it('is judged also if the clock was ahead at the disarm', () => {
    const house = new Follower()
      .devices(0, [2])
      .states(minute, 'AWAY')
      .states(30 * hour, 'DISARM')
      .devices(hour, [2])
      .devices(hour + minute, [2])
    assert.deepEqual(house.told.at(-1), ['2 bypassKept'])
  })
})
