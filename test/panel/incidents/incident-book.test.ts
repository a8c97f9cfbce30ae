import assert from 'node:assert/strict'
import fc from 'fast-check'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  type IncidentBook,
  newBook,
  viewsOf,
  withEvents,
} from '../../../src/panel/incidents/incident-book.ts'
import { newest } from '../../../src/panel/incidents/incident-limits.ts'
import { withAlarms } from '../../../src/panel/incidents/incident-state.ts'
import type { IncidentView } from '../../../src/panel/incidents/incident-view.ts'
import { byTime, roleOf, type StoryEvent } from '../../../src/panel/incidents/story-event.ts'
import { noEvidence } from '../../../src/panel/state/alarm-evidence.ts'
import type { ActiveAlarm } from '../../../src/panel/state/partition-state.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const start = Date.parse('2026-11-22T02:00:00Z')
const now = start + 2 * day

/** Returns an event a number of seconds after two o'clock. */
const at = (second: number, typeId: number, fields: Partial<StoryEvent> = {}) =>
  storyEventOf(typeId, start + 1000 * second, fields)
const user = (second: number, typeId: number, actor: string, partitions = [1]) =>
  at(second, typeId, { zone: 5, deviceType: 'USER', zoneName: '', actor, partitions })

const told = (events: readonly StoryEvent[], book = newBook(start)) => withEvents(book, events, bundled, now)
const views = (book: IncidentBook, at = now) => viewsOf(book, bundled, at)
const view = (...events: StoryEvent[]): IncidentView => {
  const [one, ...others] = views(told(events))
  assert.ok(one && others.length === 0)
  return one
}
const seconds = (time: number | null) => (time === null ? null : (time - start) / 1000)

/** An entry of the panel's list of alarms. */
const listed = (second: number, zone = 1, inMemory = false): ActiveAlarm => ({
  ...{ type: 'BURGLER', inMemory, deviceType: 'ZONE', zone, zoneName: '', location: '', partitions: [1] },
  ...{ time: new Date(start + 1000 * second).toISOString(), timeRaw: '' },
})
const read = (book: IncidentBook, second: number, ...alarms: ActiveAlarm[]) =>
  withAlarms(book, { alarms, isWhole: true }, bundled, start + 1000 * second)

describe('An incident', () => {
  it('grows from the first alarm to the disarm, with zones, persons and restores', () => {
    const one = view(
      user(0, 86, 'Tom'),
      at(100, 3, { zone: 1 }),
      at(110, 1, { zone: 2 }),
      at(115, 16, { zone: 2 }),
      at(120, 19, { zone: 2 }),
      user(200, 31, 'Anna'),
      at(201, 21, { zone: 1 }),
    )
    assert.deepEqual(
      [one.kind, one.status, seconds(one.since), seconds(one.until)],
      ['burglary', 'closed', 100, 200],
    )
    assert.deepEqual(
      one.zones.map(({ zone, first, restored }) => [zone, seconds(first), seconds(restored)]),
      [
        [1, 100, 201],
        [2, 110, 120],
      ],
    )
    assert.deepEqual(
      [one.armedBy?.name, one.disarmedBy?.name, seconds(one.disarmedBy?.at ?? 0)],
      ['Tom', 'Anna', 200],
    )
    assert.deepEqual(
      one.timeline.map(({ typeId }) => typeId),
      [3, 1, 16, 19, 31, 21],
    )
  })

  it('is restored while the panel is armed, and closed by the restores while it is not', () => {
    assert.equal(view(user(0, 86, 'Tom'), at(10, 2), at(20, 20)).status, 'restored')
    assert.equal(view(user(0, 89, 'Tom'), at(10, 36), at(20, 37)).status, 'closed')
    assert.equal(
      view(at(10, 36, { zone: 1 }), at(11, 36, { zone: 2 }), at(20, 37, { zone: 2 })).status,
      'open',
    )
  })

  it('does not close by a disarm of another partition', () => {
    assert.equal(view(at(10, 2), user(20, 89, 'Tom', [2])).status, 'open')
    assert.equal(view(at(10, 2), user(20, 89, 'Tom', [])).status, 'closed')
  })

  it('tells a duress like the disarm that it also is, and that it was one', () => {
    const ordinary = view(at(10, 3), user(20, 89, 'Anna'))
    const one = view(at(10, 3), user(20, 15, 'Anna'))
    assert.deepEqual(
      { ...one, id: '', threat: null, timeline: [] },
      { ...ordinary, id: '', threat: null, timeline: [] },
    )
    assert.deepEqual([one.status, one.disarmedBy?.name, one.threat?.name], ['closed', 'Anna', 'Anna'])
    const both = view(at(10, 3), user(20, 15, 'Anna'), user(21, 89, 'Anna'))
    assert.deepEqual([both.kind, both.status, both.zones.length], ['burglary', 'closed', 1])
  })

  it('ends a duress without an alarm after a day, because the person who disarms is threatened', () => {
    const book = told([user(20, 15, 'Anna'), user(21, 89, 'Anna')])
    const [one] = views(book, start + hour)
    assert.deepEqual([one?.kind, one?.status, one?.disarmedBy?.name], ['duress', 'open', 'Anna'])
    assert.deepEqual(seconds(views(book, start + 2 * day)[0]?.until ?? null), 20 + day / 1000)
  })

  it('is another one than a duress before it, and has one after it that becomes known earlier', () => {
    const [first, second, ...others] = views(told([user(20, 15, 'Anna'), user(30, 86, 'Tom'), at(3000, 3)]))
    assert.deepEqual(
      [first?.kind, second?.kind, second?.armedBy?.name, others],
      ['duress', 'burglary', 'Tom', []],
    )
    const late = views(told([at(10, 3)], told([user(20, 15, 'Anna')])))
    assert.deepEqual(
      late.map(({ kind, threat, since }) => [kind, threat?.name, seconds(since)]),
      [['burglary', 'Anna', 10]],
    )
  })

  it('ends in each partition by a duress that is about all of them', () => {
    const book = told([at(10, 3), at(11, 36, { zone: 2, partitions: [2] }), user(20, 15, 'Anna', [])])
    assert.deepEqual(
      views(book).map(({ status }) => status),
      ['closed', 'closed'],
    )
  })

  it('closes once the list of alarms has shown it and no longer does, and not while it shows it', () => {
    const opened = told([user(0, 86, 'Tom'), at(10, 2)])
    assert.equal(views(read(opened, 20))[0]?.status, 'open')
    const shown = read(opened, 20, listed(10))
    assert.equal(views(shown)[0]?.status, 'open')
    const closed = read(shown, 60, listed(10, 1, true))
    assert.deepEqual([views(closed)[0]?.status, seconds(views(closed)[0]?.until ?? null)], ['closed', 60])
    const disarmed = told([user(50, 89, 'Tom')], shown)
    assert.equal(views(disarmed)[0]?.status, 'open')
    assert.deepEqual(seconds(views(read(disarmed, 60))[0]?.until ?? null), 50)
  })

  it('is not closed by a list that may lack alarms, be it that it shows others in memory', () => {
    const shown = read(told([user(0, 86, 'Tom'), at(10, 2)]), 20, listed(10))
    for (const alarms of [[], [listed(10, 1, true)]]) {
      const book = withAlarms(shown, { alarms, isWhole: false }, bundled, start + 60_000)
      assert.equal(views(book)[0]?.status, 'open')
      assert.equal(views(read(book, 65, ...alarms))[0]?.status, 'closed')
    }
  })

  it('is neither opened again nor ended by an alarm that the latest list lacks', () => {
    const alarms = [listed(10)]
    const lacking = (book: IncidentBook) =>
      withAlarms(book, { alarms, held: alarms, isWhole: true }, bundled, start + 60_000)
    const opened = told([user(0, 86, 'Tom'), at(10, 2)])
    const closed = told([user(20, 89, 'Tom'), user(30, 86, 'Tom')], opened)
    assert.equal(lacking(closed), closed)
    const shown = read(opened, 20, listed(10))
    assert.equal(lacking(shown), shown)
  })

  it('is not held open by an alarm in the list that follows it', () => {
    const closed = told([at(10, 2), user(50, 89, 'Tom')])
    assert.equal(views(read(closed, 3700, listed(3600)))[0]?.status, 'closed')
  })

  it('is not held open by a list that the panel no longer has', () => {
    const shown = read(told([at(10, 2), user(50, 89, 'Tom')]), 60, listed(10))
    assert.equal(views(shown)[0]?.status, 'open')
    assert.equal(views(withAlarms(shown, undefined, bundled, now))[0]?.status, 'closed')
  })

  it('is not closed either by a list that the panel no longer has', () => {
    const shown = read(told([user(0, 86, 'Tom'), at(10, 2)]), 20, listed(10))
    assert.equal(views(withAlarms(shown, undefined, bundled, start + 60_000))[0]?.status, 'open')
  })

  it('takes in what becomes known soon after its disarm, however long it was open', () => {
    const readAt = (second: number) => ({ readAt: start + 1000 * second })
    const alarm = at(10, 2, readAt(10))
    const disarm = { ...user(3000, 89, 'Tom'), ...readAt(3001) }
    const closed = told([disarm], told([alarm]))
    const found = views(told([at(2990, 2, { zone: 7, ...readAt(3010) })], closed))
    assert.deepEqual(
      found.map(({ status, zones }) => [status, zones.length]),
      [['closed', 2]],
    )
  })

  it('is forgotten before an earlier one that is still open, if there are more than ten', () => {
    const open = told([at(0, 2)]).incidents
    const closed = Array.from({ length: 10 }, (_, nth) => 100 * (nth + 1)).flatMap(
      (second) => told([at(second, 2), user(second + 10, 89, 'Tom')]).incidents,
    )
    const kept = newest([...open, ...closed], bundled, start + hour)
    assert.deepEqual(kept, [...open, ...closed.slice(1)])
  })

  it('takes in what becomes known late, also its first alarm and the disarm before it', () => {
    const book = [at(20, 1, { zone: 2 }), user(50, 89, 'Tom'), at(10, 3), user(0, 86, 'Eve')].reduce(
      (book, event) => told([event], book),
      newBook(start),
    )
    const [one, ...others] = views(book)
    assert.ok(one && others.length === 0)
    assert.deepEqual([seconds(one.since), seconds(one.until), one.armedBy?.name], [10, 50, 'Eve'])
    assert.deepEqual(one.id, one.timeline[1]?.key)
  })

  it('is another one after the end of the one before, and in another partition', () => {
    const book = told([at(10, 2), at(12, 2, { partitions: [2] }), user(50, 89, 'Tom'), at(60, 2)])
    assert.deepEqual(
      views(book).map(({ since, status, partitions }) => [seconds(since), status, partitions]),
      [
        [10, 'closed', [1]],
        [12, 'open', [2]],
        [60, 'open', [1]],
      ],
    )
  })

  it('takes the disarms right after its end, but not those of the next incident', () => {
    const book = told([at(10, 13), user(20, 31, 'Anna'), user(21, 173, ''), at(25, 13), user(30, 31, 'Tom')])
    assert.deepEqual(
      views(book).map(({ timeline }) => timeline.map(({ typeId }) => typeId)),
      [
        [13, 31, 173],
        [13, 31],
      ],
    )
  })

  it('is not told if it was over, or a day old, before the node began', () => {
    const isPast = true
    const past = [
      at(-7200, 2, { isPast }),
      user(-7100, 89, 'Tom'),
      at(-2 * 86_400, 39, { isPast, partitions: [2] }),
    ].map((event) => ({ ...event, isPast }))
    assert.deepEqual(views(told(past)), [])
    assert.equal(views(told([...past, at(-60, 2, { isPast })])).length, 1)
  })

  it('is another one than what lasts since more than a day before the node began, and is told', () => {
    const old = told([at(-2 * 86_400, 39, { isPast: true })])
    const [one, ...others] = views(told([at(100, 1)], old))
    assert.ok(one && others.length === 0)
    assert.deepEqual([one.kind, seconds(one.since)], ['burglary', 100])
  })

  it('does not take the restore of a later incident', () => {
    const book = told([at(10, 2), user(50, 89, 'Tom'), at(5000, 2), at(5010, 20), user(5050, 89, 'Tom')])
    assert.deepEqual(
      views(book).map(({ timeline }) => timeline.map(({ typeId }) => typeId)),
      [
        [2, 89],
        [2, 20, 89],
      ],
    )
    const late = told([at(5000, 2, { zone: 7 })], told([at(10, 2), user(50, 89, 'Tom'), at(5010, 20)]))
    assert.deepEqual(views(late)[0]?.timeline.length, 3)
  })

  it('was armed by nobody if the whole panel was disarmed since, or the partition', () => {
    const armedBy = (...events: StoryEvent[]) => view(...events, at(10, 36)).armedBy?.name
    assert.equal(armedBy(user(0, 86, 'Tom', [1])), 'Tom')
    assert.equal(armedBy(user(0, 86, 'Tom', []), user(5, 89, 'Eve', [2])), 'Tom')
    assert.equal(armedBy(user(0, 86, 'Tom', [1]), user(5, 89, 'Eve', [])), undefined)
    assert.equal(armedBy(user(0, 86, 'Tom', []), user(5, 89, 'Eve', [1])), undefined)
  })

  it('tells a zone with a confirmed alarm as restored by the restore of the alarm', () => {
    const one = view(
      user(0, 86, 'Tom'),
      at(10, 1, { zone: 2 }),
      at(15, 16, { zone: 2 }),
      at(20, 19, { zone: 2 }),
    )
    assert.deepEqual([one.status, seconds(one.zones[0]?.restored ?? null)], ['restored', 20])
  })

  it('closes by a list that shows its alarms in memory only', () => {
    const opened = told([user(0, 86, 'Tom'), at(10, 2)])
    assert.equal(views(read(opened, 60, listed(10, 1, true)))[0]?.status, 'closed')
    assert.equal(views(read(opened, 60, listed(-600, 1, true)))[0]?.status, 'open')
  })

  it('closes by a list that shows it in the second of the two hours that the clocks repeat', () => {
    const [two, half] = [Date.parse('2026-10-25T00:00:00Z'), 30 * minute]
    const happened = storyEventOf(2, two + hour + half)
    const opened = withEvents(newBook(two), [happened], bundled, two + 2 * hour)
    const entry = { time: new Date(two + half).toISOString(), timeRaw: '2026-10-25 02:30:00' }
    const alarms = [{ ...listed(0, 1, true), ...entry }]
    const list = { alarms, isWhole: true, timeZone: 'Europe/Berlin' }
    assert.equal(views(withAlarms(opened, list, bundled, two + 2 * hour))[0]?.status, 'closed')
    const earlier = { alarms, isWhole: true }
    assert.equal(views(withAlarms(opened, earlier, bundled, two + 2 * hour))[0]?.status, 'open')
  })

  it('is not about an alarm in the list of the zone with the number of a user', () => {
    const opened = told([user(0, 86, 'Tom'), at(10, 2), user(20, 31, 'Anna')])
    assert.equal(views(read(opened, 60, listed(15, 5)))[0]?.status, 'closed')
  })

  it('stays two if a late alarm belongs to both, because both have been told', () => {
    const apart = told([at(10, 2), at(12, 2, { zone: 8, partitions: [2] })])
    const joined = told([at(11, 1, { zone: 9, partitions: [1, 2] }), user(50, 89, 'Tom', [])], apart)
    assert.deepEqual(
      views(joined).map(({ id, status, zones }) => [id, status, zones.map(({ zone }) => zone)]),
      [
        [views(apart)[0]?.id, 'closed', [1, 9]],
        [views(apart)[1]?.id, 'closed', [8]],
      ],
    )
  })

  it('knows of each zone how it stands, however often others are triggered', () => {
    const swinging = Array.from({ length: 131 }, (_, index) =>
      at(20 + index, index % 2 === 0 ? 36 : 37, { zone: 2 }),
    )
    const book = told([at(10, 36), ...swinging])
    assert.deepEqual(
      views(book)[0]?.zones.map(({ first, restored }) => [seconds(first), seconds(restored)]),
      [
        [10, null],
        [20, null],
      ],
    )
    const [over] = views(told([at(400, 37, { zone: 2 }), at(401, 37)], book))
    assert.deepEqual([over?.status, seconds(over?.until ?? null)], ['closed', 401])
    assert.ok((over?.timeline.length ?? 0) <= 102)
  })

  it('is told also if the service no longer knows the type of its alarm', () => {
    const own = new Map(bundled).set(5000, { ...(bundled.get(1) ?? assert.fail()), typeId: 5000 })
    const book = withEvents(newBook(start), [at(10, 5000)], own, now)
    const [one] = viewsOf(book, bundled, now)
    assert.deepEqual([one?.kind, one?.status, seconds(one?.since ?? null)], ['alarm', 'open', 10])
  })

  it('stays small however often its zones are triggered', () => {
    const swinging = Array.from({ length: 130 }, (_, index) => at(index, index % 2 === 0 ? 2 : 20))
    const book = told([user(-5, 86, 'Tom'), ...swinging, at(2000, 1, { zone: 7 }), user(3000, 31, 'Anna')])
    const [one] = views(book)
    assert.ok(one && one.timeline.length <= 102)
    assert.deepEqual([one.zones.length, one.status, one.disarmedBy?.name], [2, 'closed', 'Anna'])
    const many = Array.from({ length: 15 }, (_, index) => [
      at(5000 + 100 * index, 2),
      user(5050 + 100 * index, 89, 'Tom'),
    ])
    const full = told(many.flat(), book)
    assert.equal(full.incidents.length, 10)
    assert.ok(JSON.stringify(full).length < 100_000)
  })

  it('takes in the disarm and goes on with another one when it is full, so that no alarm is lost', () => {
    const places = Array.from({ length: 250 }, (_, index) => at(10 + index, 1, { zone: 1 + index }))
    const full = told([user(0, 86, 'Tom'), ...places])
    const zonesTold = views(full).flatMap(({ zones }) => zones.map(({ zone }) => zone))
    assert.deepEqual(
      zonesTold.sort((one, other) => one - other),
      places.map(({ zone }) => zone),
    )
    const over = told([user(500, 89, 'Anna')], full)
    assert.deepEqual(
      views(over).map(({ status, disarmedBy }) => [status, disarmedBy?.name]),
      [
        ['closed', 'Anna'],
        ['closed', 'Anna'],
      ],
    )
    assert.equal(views(told([at(90_000, 36, { zone: 7 })], over)).at(-1)?.status, 'open')
  })

  it('keeps a code under threat when it is full, also one that follows a disarm', () => {
    const places = Array.from({ length: 198 }, (_, index) => at(10 + index, 1, { zone: 1 + index }))
    const threat = [user(500, 89, 'Anna'), user(500, 15, 'Anna')]
    const book = told([...threat, at(300, 1, { zone: 300 })], told([user(0, 86, 'Tom'), ...places]))
    assert.deepEqual(
      views(book).map(({ threat }) => threat?.name),
      ['Anna'],
    )
  })

  it('leaves out restores and disarms that ended nothing before it leaves out an alarm', () => {
    const days = Array.from({ length: 120 }, (_, index) => user(100 * (1 + index), 89, 'Tom'))
    const restored = Array.from({ length: 80 }, (_, index) => [
      at(30_000 + index, 8, { zone: 10 + index }),
      at(40_000 + index, 26, { zone: 10 + index }),
    ])
    const shown = read(told([at(10, 8)]), 20, listed(10))
    const [one, ...others] = views(told([...days, ...restored.flat()], shown))
    assert.ok(one && others.length === 0)
    assert.deepEqual([one.zones.length, one.status], [81, 'open'])
    assert.ok(one.timeline.length <= 202)
  })

  it('is kept while it is open if more than ten are, the latest first', () => {
    const open = Array.from({ length: 12 }, (_, index) => at(10 + index, 36, { partitions: [1 + index] }))
    const closed = [at(1, 36, { partitions: [99] }), user(2, 89, 'Tom', [99])]
    assert.deepEqual(
      views(told([...closed, ...open])).map(({ partitions }) => partitions[0]),
      [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    )
  })
})

describe('An incident of a panel that does not report its armings', () => {
  const since = (second: number) => [{ id: 1, since: start + 1000 * second }]
  const known = (second: number, typeId: number) => at(second, typeId, { readAt: start + 1000 * second })
  const statusOf = (book: IncidentBook) => views(book).map(({ status }) => status)
  const [alarm, restore] = [known(100, 2), known(130, 20)]

  it('is not over with a restore that became known while answers showed the partition armed', () => {
    const shown = (...armings: { id: number; since: number }[]) =>
      statusOf(withEvents(newBook(start), [alarm, restore], bundled, now, armings))
    assert.deepEqual(shown(), ['closed'])
    assert.deepEqual(shown(...since(50)), ['restored'])
    assert.deepEqual(shown(...since(120)), ['restored'])
    assert.deepEqual(shown(...since(140)), ['closed'], 'armed after the restore')
    assert.deepEqual(shown({ id: 2, since: start }), ['closed'], 'another partition')
  })

  it('opens again when a later answer shows that it was armed, and is over with the answer that shows the disarm', () => {
    const closed = told([alarm, restore])
    assert.deepEqual(statusOf(closed), ['closed'])
    const armed = { ...noEvidence, partitions: [{ id: 1, state: 'AWAY' }], armings: since(120) }
    const open = withAlarms(closed, undefined, bundled, now, armed)
    assert.deepEqual(statusOf(open), ['restored'])
    const at = now - start
    const disarmed = {
      ...{ ...noEvidence, epoch: start, partitions: [{ id: 1, state: 'DISARM' }] },
      disarms: new Map([[1, { at, wall: start + at }]]),
    }
    const over = withAlarms(open, undefined, bundled, now, disarmed)
    assert.deepEqual(statusOf(over), ['closed'])
  })

  it('stays over if a disarm came after its restore, although an answer after a start takes it for armed before', () => {
    const closed = told([alarm, restore, user(200, 89, 'Anna'), user(400, 86, 'Anna')])
    const armed = { ...noEvidence, partitions: [{ id: 1, state: 'AWAY' }], armings: since(120) }
    assert.deepEqual(statusOf(withAlarms(closed, undefined, bundled, now, armed)), ['closed'])
  })

  it('is over with a disarm that answers show soon after a start, although the first list has one of long before', () => {
    const ofFirstList = { readAt: start + 300_000, isPast: true }
    const list = [
      { ...user(-7200, 89, 'Ben'), ...ofFirstList },
      { ...at(100, 2), ...ofFirstList },
    ]
    const open = withEvents(newBook(start), list, bundled, start + 300_000)
    assert.deepEqual(statusOf(open), ['open'])
    const disarmed = {
      ...{ ...noEvidence, epoch: start, partitions: [{ id: 1, state: 'DISARM' }] },
      disarms: new Map([[1, { at: 360_000, wall: start + 360_000 }]]),
    }
    assert.deepEqual(statusOf(withAlarms(open, undefined, bundled, start + 390_000, disarmed)), ['closed'])
  })

  it('is not over with a restore, also if the clock of the machine was ahead when answers showed the arming', () => {
    const hours = 2 * 3600
    const early = { ...at(100, 2), readAt: start + 1000 * (hours + 110) }
    const opened = withEvents(newBook(start), [early], bundled, early.readAt, since(hours + 50))
    assert.deepEqual(statusOf(withEvents(opened, [known(130, 20)], bundled, start + 130_000, since(50))), [
      'restored',
    ])
  })

  it('is not over with the restore of an alarm that became known after the list had ended the others', () => {
    const early = known(100, 2)
    const further = [known(160, 2), known(170, 20)].map((event) => ({ ...event, zone: 2 }))
    const read = (book: IncidentBook, second: number, inMemory: boolean) =>
      withAlarms(book, { alarms: [listed(100, 1, inMemory)], isWhole: true }, bundled, start + 1000 * second)
    const ended = read(
      read(withEvents(newBook(start), [early], bundled, now, since(50)), 110, false),
      150,
      true,
    )
    assert.deepEqual(statusOf(ended), ['closed'])
    assert.deepEqual(statusOf(withEvents(ended, further, bundled, now, since(50))), ['open'])
    assert.deepEqual(statusOf(withEvents(ended, further, bundled, now)), ['closed'], 'disarmed meanwhile')
  })

  it('stays over if the list of alarms does not show it: it was disarmed and armed again in an outage', () => {
    const armed = { ...noEvidence, partitions: [{ id: 1, state: 'AWAY' }], armings: since(120) }
    const none = { alarms: [], isWhole: false }
    const read = withAlarms(told([alarm, restore]), none, bundled, now, armed)
    assert.deepEqual(statusOf(read), ['closed'])
    assert.deepEqual(statusOf(withEvents(read, [], bundled, now, since(120))), ['closed'])
  })
})

/** A panel whose clock differs from that of the machine; seconds. */
class SkewedPanel {
  offset: number
  book: IncidentBook
  now = 0

  constructor(offset: number, begunAt = -60) {
    this.offset = offset
    this.book = newBook(start + 1000 * begunAt)
  }

  /** Takes events of a second, which become known ten seconds later. */
  happens(second: number, typeId: number, fields: Partial<StoryEvent> = {}): void {
    this.now = second + 10
    const readAt = start + 1000 * this.now
    const isOfUser = [31, 86, 89].includes(typeId) && { zone: 5, deviceType: 'USER', actor: 'Anna' }
    const event = at(second + this.offset, typeId, { ...isOfUser, readAt, ...fields })
    this.book = withEvents(this.book, [event], bundled, readAt)
  }

  /** Reads a list of alarms, each with the second at which it began. */
  list(second: number, ...alarms: { second: number; zone?: number; inMemory?: boolean }[]): void {
    this.now = second
    const entries = alarms.map((one) => listed(one.second + this.offset, one.zone, one.inMemory))
    this.book = read(this.book, second, ...entries)
  }

  get views(): IncidentView[] {
    return views(this.book, start + 1000 * this.now)
  }

  get told() {
    return this.views.map(({ status, since, zones }) => [status, seconds(since), zones.length])
  }
}

describe('An incident of a panel with another time than the machine', () => {
  for (const offset of [-3600, -7 * 3600, 0, 3600])
    it(`is another one than that which a list has ended half an hour before, with a clock that is off by ${offset / 3600} h`, () => {
      const panel = new SkewedPanel(offset)
      const shown = (second: number) => Math.min(second + offset, second + 10)
      panel.happens(0, 86)
      panel.happens(100, 2)
      panel.list(120, { second: 100 })
      panel.list(400, { second: 100, inMemory: true })
      assert.deepEqual(panel.told, [['closed', shown(100), 1]])
      panel.happens(2200, 1, { zone: 7 })
      const apart = [
        ['closed', shown(100), 1],
        ['open', shown(2200), 1],
      ]
      assert.deepEqual(panel.told, apart, 'before any list')
      panel.list(2230, { second: 100, inMemory: true }, { second: 2200, zone: 7 })
      assert.deepEqual(panel.told, apart, 'in the list')
      panel.happens(2300, 1)
      panel.list(2330, { second: 2300 }, { second: 2200, zone: 7 })
      assert.deepEqual(
        panel.told,
        [apart[0], ['open', shown(2200), 2]],
        'the same zone again does not hold the first one open',
      )
      panel.happens(2400, 89)
      panel.list(2430, { second: 2300, inMemory: true }, { second: 2200, zone: 7, inMemory: true })
      assert.deepEqual(
        panel.views.map(({ status, disarmedBy }) => [status, disarmedBy?.name]),
        [
          ['closed', undefined],
          ['closed', 'Anna'],
        ],
      )
    })

  it('takes in the disarm and the alarm that become known soon after the list that has ended it', () => {
    for (const offset of [-3600, 0, 3600]) {
      const panel = new SkewedPanel(offset)
      panel.happens(0, 86)
      panel.happens(100, 2)
      panel.list(120, { second: 100 })
      panel.list(200)
      panel.happens(190, 1, { zone: 7 })
      assert.deepEqual(
        panel.views.map(({ status, zones }) => [status, zones.length]),
        [['open', 2]],
        'nobody knows if it is over',
      )
      panel.list(230)
      assert.deepEqual(
        panel.views.map(({ status }) => status),
        ['closed'],
        'the next list knows it',
      )
      panel.happens(225, 89)
      assert.deepEqual(
        panel.views.map(({ status, disarmedBy }) => [status, disarmedBy?.name]),
        [['closed', 'Anna']],
      )
    }
  })

  it('is open again if the list shows its latest alarm again, and takes in what was between its events', () => {
    for (const offset of [-3600, 0, 3600]) {
      const panel = new SkewedPanel(offset)
      panel.happens(0, 86)
      panel.happens(100, 2)
      panel.happens(300, 1, { zone: 7 })
      panel.list(320, { second: 100 }, { second: 300, zone: 7 })
      panel.list(400)
      const statuses = () => panel.views.map(({ status, zones }) => [status, zones.length])
      assert.deepEqual(statuses(), [['closed', 2]])
      panel.list(430, { second: 300, zone: 7 })
      assert.deepEqual(statuses(), [['open', 2]])
      panel.list(460)
      panel.happens(1200, 1, { zone: 8, time: start + 1000 * (200 + offset) })
      assert.deepEqual(statuses(), [['open', 3]])
      panel.list(1230)
      assert.deepEqual(statuses(), [['closed', 3]])
    }
  })

  it('was disarmed by nobody who came hours after the list that has ended it', () => {
    for (const offset of [-7 * 3600, 0, 3600]) {
      const panel = new SkewedPanel(offset)
      panel.happens(0, 86)
      panel.happens(100, 2)
      panel.list(120, { second: 100 })
      panel.list(400, { second: 100, inMemory: true })
      panel.happens(5 * 3600, 89)
      assert.deepEqual(
        panel.views.map(({ status, disarmedBy }) => [status, disarmedBy]),
        [['closed', null]],
      )
    }
  })

  it('is open after the clock of the panel was put back, though it is earlier than a disarm', () => {
    const panel = new SkewedPanel(3600)
    panel.happens(0, 86)
    panel.happens(100, 2)
    panel.happens(400, 89)
    panel.happens(500, 86)
    panel.offset = 0
    panel.happens(3800, 2)
    assert.deepEqual(
      panel.told.map(([status]) => status),
      ['closed', 'open'],
    )
    panel.happens(4500, 89)
    assert.deepEqual(
      panel.told.map(([status]) => status),
      ['closed', 'closed'],
    )
  })

  it('is never later than it became known, with the same times in all messages', () => {
    const panel = new SkewedPanel(3600)
    panel.happens(0, 86)
    panel.happens(100, 2)
    const [{ since }] = panel.views as [IncidentView]
    assert.equal(seconds(since), 110)
    panel.happens(200, 20)
    panel.happens(300, 89)
    const [one] = panel.views as [IncidentView]
    assert.deepEqual(
      [one.since, one.until, one.zones[0]?.restored, one.armedBy?.at].map((time) => seconds(time ?? null)),
      [110, 310, 210, 10],
    )
    assert.deepEqual(
      one.timeline.map(({ time }) => seconds(time)),
      [110, 210, 310],
    )
  })

  it('is told though the node began with a clock that was ahead, and not for what was over then', () => {
    const panel = new SkewedPanel(0, 2 * 86_400)
    for (const [second, typeId] of [
      [-5000, 2],
      [-4900, 89],
    ] as const)
      panel.happens(second, typeId, { isPast: true })
    assert.deepEqual(panel.told, [])
    panel.happens(100, 2)
    panel.happens(110, 89)
    assert.deepEqual(panel.told, [['closed', 100, 1]])
  })

  it('is told after a restart too, though the node began with a clock that was ahead', () => {
    const panel = new SkewedPanel(0, 2 * 86_400)
    panel.happens(-4900, 89, { isPast: true })
    panel.happens(100, 2, { isPast: true })
    assert.deepEqual(panel.told, [['open', 100, 1]])
  })

  it('is not told if it was over before the node began with a clock that was behind', () => {
    const panel = new SkewedPanel(0, -30 * 86_400)
    panel.happens(-5000, 2, { isPast: true })
    panel.happens(-4900, 89, { isPast: true })
    assert.deepEqual(panel.told, [])
  })

  it('is told if it came and went between two lists, of a panel that is behind', () => {
    const panel = new SkewedPanel(-70 * 60)
    panel.happens(100, 2)
    panel.happens(110, 89)
    assert.deepEqual(
      panel.told.map(([status]) => status),
      ['closed'],
    )
  })

  it('is another one after a clock that was ahead has ended it', () => {
    const panel = new SkewedPanel(0)
    panel.happens(100, 2)
    panel.list(120, { second: 100 })
    panel.list(2 * 86_400)
    panel.list(150)
    panel.happens(3000, 2)
    assert.deepEqual(
      panel.told.map(([status]) => status),
      ['closed', 'open'],
    )
  })
})

/** The types of the events that may start a story, by kind. */
const kinds = { burglary: [1, 2, 3], fire: [36, 147], panic: [13, 5] } as const

/** A story that the events of a panel tell; times are seconds after its begin. */
interface Story {
  kind: keyof typeof kinds
  isArmed: boolean
  alarms: { typeId: number; zone: number; second: number; restoredAfter: number | null }[]
  end: 'disarm' | 'cancel' | 'restores' | 'none'
  hasDuress: boolean
}

const story: fc.Arbitrary<Story> = fc
  .constantFrom('burglary' as const, 'fire' as const, 'panic' as const)
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      isArmed: fc.boolean(),
      alarms: fc.uniqueArray(
        fc.record({
          typeId: fc.constantFrom(...kinds[kind]),
          zone: fc.integer({ min: 1, max: 6 }),
          second: fc.integer({ min: 60, max: 300 }),
          restoredAfter: fc.option(fc.integer({ min: 301, max: 400 })),
        }),
        { minLength: 1, maxLength: 5, selector: ({ zone }) => zone },
      ),
      end: fc.constantFrom('disarm' as const, 'cancel' as const, 'restores' as const, 'none' as const),
      hasDuress: fc.boolean(),
    }),
  )

/** The events of a story, and whether the panel then says that it is over. */
function eventsOf({ isArmed, alarms, end, hasDuress }: Story, nth: number) {
  const [offset, partition] = [nth * 7200, 1 + nth]
  const place = { partitions: [partition] }
  const restoreOf = (typeId: number) => roleOf({ typeId }, bundled).ending?.restores[0] ?? 0
  const events = [
    user(offset, isArmed ? 86 : 89, 'Tom', [partition]),
    ...alarms.flatMap(({ typeId, zone, second, restoredAfter }) => {
      const restored = end === 'restores' ? (restoredAfter ?? 350) : restoredAfter
      return [
        at(offset + second, typeId, { zone: 10 * nth + zone, ...place }),
        ...(restored === null
          ? []
          : [at(offset + restored + zone, restoreOf(typeId), { zone: 10 * nth + zone, ...place })]),
      ]
    }),
    ...(hasDuress ? [user(offset + 300.5, 15, 'Anna', [partition])] : []),
    ...(end === 'disarm' || end === 'cancel'
      ? [user(offset + 500, end === 'disarm' ? 89 : 31, 'Anna', [partition])]
      : []),
  ]
  const isDisarmed = hasDuress || end === 'disarm' || end === 'cancel'
  const restoredAll = alarms.every(({ restoredAfter }) => end === 'restores' || restoredAfter !== null)
  return { events, isOver: isDisarmed || (!isArmed && restoredAll) }
}

/** Returns the part of a view that does not depend on the order in which the events became known. */
const content = ({ id, ...rest }: IncidentView) => rest

describe('The incidents of a panel', () => {
  it('are those that happened, in whatever order their events come, each event once, closed if the panel says so', () => {
    fc.assert(
      fc.property(
        fc.array(story, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        fc.infiniteStream(fc.integer({ min: 1, max: 6 })),
        (stories, ranks, sizes) => {
          const happened = stories.map((one, nth) => eventsOf(one, nth))
          const readAt = start + stories.length * 7_200_000
          let book = newBook(start)
          const ids = new Map<number, string>()
          for (const { events } of happened) {
            // Twins, and any order within the story.
            const order = [...events, ...events.slice(0, 3)]
              .map((event) => ({ event, rank: ranks.next().value ?? 0 }))
              .sort((one, other) => one.rank - other.rank)
              .map(({ event }) => event)
            while (order.length > 0) {
              book = withEvents(book, order.splice(0, sizes.next().value ?? 1), bundled, readAt)
              for (const { id, timeline } of views(book, readAt)) {
                const nth = happened.findIndex((one) => one.events.includes(timeline[0] as StoryEvent))
                assert.equal(ids.get(nth) ?? id, id)
                ids.set(nth, id)
              }
            }
          }
          const found = views(book, readAt).sort((one, other) => one.since - other.since)
          assert.equal(found.length, stories.length)
          for (const [nth, one] of found.entries()) {
            const { events, isOver } = happened[nth] ?? assert.fail()
            const lasts = ({ typeId, time }: StoryEvent) =>
              ![89, 31].includes(typeId ?? 0) || time <= (one.until ?? Infinity) + minute
            assert.deepEqual(one.timeline, events.slice(1).filter(lasts).sort(byTime))
            assert.equal(one.status === 'closed', isOver, JSON.stringify(stories[nth]))
            assert.equal(one.armedBy?.name, stories[nth]?.isArmed ? 'Tom' : undefined)
          }
          const atOnce = told(
            happened.flatMap(({ events }) => events),
            newBook(start),
          )
          assert.deepEqual(found.map(content), views(atOnce, readAt).map(content))
        },
      ),
      { numRuns: repetitions(100, 33) },
    )
  })

  it('are the same at a time, whatever was asked of them before', () => {
    fc.assert(
      fc.property(
        fc.array(story, { minLength: 1, maxLength: 4 }),
        fc.option(fc.integer({ min: 300, max: 40_000 })),
        fc.array(fc.integer({ min: 0, max: 4 * 86_400 }), { minLength: 2, maxLength: 8 }),
        (stories, listedUntil, seconds) => {
          // Only time ends a threat.
          const threat = user(600, 15, 'Anna', [9])
          const all = told([threat, ...stories.flatMap((one, nth) => eventsOf(one, nth).events)])
          const zones = [1, 2, 3, 4, 5, 6].map((zone) => listed(60, zone, true))
          const book = listedUntil === null ? all : read(read(all, 300, ...zones), listedUntil)
          for (const second of seconds) {
            const time = start + 1000 * second
            assert.deepEqual(views(book, time), views(structuredClone(book), time))
          }
        },
      ),
      { numRuns: repetitions(50, 17) },
    )
  })

  it('do not change by events that are known', () => {
    const events = [at(10, 2), user(50, 89, 'Tom')]
    const book = told(events)
    assert.equal(told(events, book), book)
    assert.equal(read(book, 60), book)
  })
})
