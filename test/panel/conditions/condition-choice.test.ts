import assert from 'node:assert/strict'
import { device, panelDevices } from '../../../harness/fixtures/samples.ts'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  type ConditionKind,
  conditionKinds,
  type PanelCondition,
} from '../../../src/panel/conditions/condition.ts'
import { newBook, withDevices } from '../../../src/panel/conditions/condition-book.ts'
import {
  afterTelling,
  type ConditionChoice,
  hasChanged,
  listedConditions,
  nextReminder,
  type Telling,
} from '../../../src/panel/conditions/condition-choice.ts'
import {
  ConditionReport,
  notedConditions,
  notesOf,
  withoutFuture,
} from '../../../src/panel/conditions/condition-report.ts'
import {
  areBackupsDue,
  areTestsDue,
  failedTests,
  maintenanceConditions,
  newestBackup,
  nothingKnown,
  withMaintenanceEvents,
} from '../../../src/panel/conditions/maintenance.ts'
import { bundled } from '../../../src/service/catalogue/en-us.ts'

const choice: ConditionChoice = {
  kinds: new Set<ConditionKind>(conditionKinds),
  after: {},
  remindAfter: hour,
  inspectionDays: 365,
  backupDays: 100,
}
const condition = (
  kind: ConditionKind,
  since: number,
  fields: Partial<PanelCondition> = {},
): PanelCondition => ({
  id: `${kind} ZONE 1`,
  kind,
  zone: 1,
  name: 'Hall',
  since,
  eventKey: null,
  says: kind,
  what: '',
  at: null,
  isQuiet: false,
  shownBy: ['devices'],
  ...fields,
})
const now = 1000 * day

describe('The list of conditions', () => {
  const listed = (some: PanelCondition[], other: Partial<ConditionChoice> = {}, told: Telling[] = []) =>
    listedConditions(some, { ...choice, ...other }, told, now).map(({ kind, since }) => [kind, since])

  it('begins with a running alarm, then with a test of the alarm chain that failed', () => {
    const some = [
      condition('tamper', 1),
      condition('offline', 1),
      condition('chain', 3),
      condition('alarm', 2),
    ]
    assert.deepEqual(listed(some).slice(0, 2), [
      ['alarm', 2],
      ['chain', 3],
    ])
  })

  it('has the most serious first, then the oldest', () => {
    const some = [
      condition('bypassed', 1),
      condition('open', 2),
      condition('offline', 3),
      condition('open', 1),
    ]
    assert.deepEqual(listed(some), [
      ['offline', 3],
      ['open', 1],
      ['open', 2],
      ['bypassed', 1],
    ])
  })

  it('has only the chosen kinds, and what has lasted long enough', () => {
    const some = [condition('open', now - 9 * minute), condition('battery', now), condition('tamper', now)]
    const after = { open: 10 * minute }
    assert.deepEqual(listed(some, { after, kinds: new Set(['open', 'tamper']) }), [['tamper', now]])
    assert.deepEqual(listed([condition('open', now - 10 * minute)], { after }), [['open', now - 10 * minute]])
  })

  it('keeps what was told, though a clock was put back', () => {
    const told = [{ id: 'open ZONE 1', since: now + hour, at: now, reminders: 0 }]
    assert.deepEqual(listed([condition('open', now + hour)], { after: { open: minute } }, told), [
      ['open', now + hour],
    ])
  })

  it('forgets a device that the panel no longer has after a week', () => {
    const gone = (since: number) => condition('lost', since, { says: 'gone' })
    assert.deepEqual(listed([gone(now - 7 * day), gone(now - 7 * day + 1)]), [['lost', now - 7 * day + 1]])
    assert.deepEqual(listed([condition('lost', now - 8 * day)]), [['lost', now - 8 * day]])
  })

  it('forgets a line after a week, because its SIM card or cable was removed', () => {
    const line = (since: number) => condition('line', since, { what: 'mobile' })
    assert.deepEqual(listed([line(now - 7 * day), line(now - 7 * day + 1)]), [['line', now - 7 * day + 1]])
  })

  it('has a lost contact with an armed panel at once, unless that is told at once as offline', () => {
    const contact = condition('alarm', now, { id: 'alarm contact', what: 'contact' })
    assert.deepEqual(listed([contact]), [])
    assert.deepEqual(listed([contact], { after: { offline: minute } }), [['alarm', now]])
    assert.deepEqual(listed([contact], { kinds: new Set(['alarm', 'open']) }), [['alarm', now]])
    assert.deepEqual(listed([contact], { kinds: new Set(['open']) }), [])
  })
})

describe('The reminders of a condition', () => {
  it('come after the set time, then after twice as long each time, a week at most', () => {
    let told = afterTelling([condition('open', now)], [], choice, now)
    const hours: number[] = []
    let time = now
    for (let nth = 0; nth < 11; nth += 1) {
      const next = nextReminder(told[0] as Telling, choice)
      hours.push((next - time) / hour)
      time = next
      told = afterTelling([condition('open', now)], told, choice, time)
    }
    assert.deepEqual(hours, [1, 2, 4, 8, 16, 32, 64, 128, 168, 168, 168])
  })

  it('do not come before their time because another condition is told, and never if none are wanted', () => {
    const first = afterTelling([condition('open', now)], [], choice, now)
    const both = [condition('open', now), condition('battery', now)]
    assert.deepEqual(
      afterTelling(both, first, choice, now + minute).map(({ at, reminders }) => [at - now, reminders]),
      [
        [0, 0],
        [minute, 0],
      ],
    )
    assert.equal(hasChanged(both, first), true)
    assert.equal(nextReminder(first[0] as Telling, { ...choice, remindAfter: 0 }), Number.POSITIVE_INFINITY)
  })
})

describe('A condition of a zone that is rarely used', () => {
  it('is told once, without a reminder', () => {
    const report = new ConditionReport(choice)
    report.recall(null, now)
    const listed = (rarely: boolean) =>
      panelDevices([
        device({
          traits: { rarely_used: { enabled: rarely } },
          warnings: [{ type: 'OPENED', severity: '', in_memory: false }],
        }),
      ])
    const read = (rarely: boolean, time: number) => {
      report.change((book) => withDevices(book, listed(rarely), { catalogue: bundled, now: time }), time)
      const due = report.due(time)
      if (due !== undefined) report.noteTold(due, time)
      return due?.conditions.map(({ kind }) => kind)
    }
    assert.deepEqual(read(true, now), ['open'])
    assert.equal(read(true, now + 2 * day), undefined)
    assert.deepEqual(read(false, now + 3 * day), ['open'], 'a reminder, as it is used more often now')
  })
})

describe('The maintenance of a panel', () => {
  const due = (facts: object, time = now) =>
    maintenanceConditions({ ...nothingKnown, ...facts }, choice, time).map(({ says, since }) => [
      says,
      since === null ? null : since / day,
    ])

  it('is not due while nothing is known', () => {
    assert.deepEqual(due({}), [])
  })

  // @spec 2.13
  it('names the tests of an inspection that failed, once they are read', () => {
    const tests = [
      { test_type: 1, state: 'pass', details: [] },
      { test_type: 5, state: 'fail', details: [{ detail_name: '', description: '', timestamp: '' }] },
      { test_type: 6, state: 'fail', details: [{ detail_name: '7', description: 'Hall', timestamp: '' }] },
      { test_type: null, state: 'fail', details: [] },
    ]
    const failed = failedTests({ rri_timestamp: '', tests })
    assert.equal(failed, '5, 6 (7: Hall), ?')
    const inspection = { at: now - day, hasFailed: true, eventKey: 'k', askedAt: null, tests: failed }
    const [told] = maintenanceConditions({ ...nothingKnown, inspection }, choice, now)
    assert.deepEqual([told?.says, told?.what], ['inspectionFailedIn', failed])
  })

  it('asks for these tests once a day, until they are known or an inspection succeeds', () => {
    const one = (fields: object) => {
      const inspection = {
        at: now - day,
        hasFailed: true,
        eventKey: 'k',
        askedAt: null,
        tests: null,
        ...fields,
      }
      return areTestsDue({ ...nothingKnown, inspection }, now)
    }
    assert.equal(areTestsDue(nothingKnown, now), false)
    assert.deepEqual(
      [{}, { askedAt: now - hour }, { askedAt: now - day }, { tests: '' }, { hasFailed: false }].map(one),
      [true, false, true, false, false],
    )
  })

  // @spec 2.13, inspection-events
  it('is due after an inspection that failed or is too old, and 30 days after the last automatic test', () => {
    const at = (days: number, hasFailed: boolean) => ({
      at: days * day,
      ...{ hasFailed, eventKey: 'k', askedAt: null, tests: null },
    })
    assert.deepEqual(due({ inspection: at(999, true) }), [['inspectionFailed', 999]])
    assert.deepEqual(due({ inspection: at(999, false) }), [])
    assert.deepEqual(due({ inspection: at(600, false) }), [['inspection', 965]])
    assert.deepEqual(due({ test: { at: 969 * day, eventKey: 'k' } }), [['test', 999]])
    assert.deepEqual(due({ test: { at: 971 * day, eventKey: 'k' } }), [])
  })

  // @spec 2.14, 4.10
  it('is due when the newest backup is too old, or there is none', () => {
    const backups = (newest: number | null) => ({ backups: { askedAt: now, isKnown: true, newest } })
    assert.deepEqual(due(backups(null)), [['neverBackedUp', null]])
    assert.deepEqual(due(backups(899 * day)), [['backup', 999]])
    assert.deepEqual(due(backups(901 * day)), [])
    assert.deepEqual(due({ backups: { askedAt: now, isKnown: false, newest: null } }), [])
    const record = (date: string, backup: boolean | null) => ({ id: 1, date, verified_at: '', backup })
    const records = [record('2026-01-01T00:00:00+0100', true), record('2026-02-01T00:00:00+0100', false)]
    const today = Date.parse('2026-03-01T00:00:00Z')
    const newest = (...some: ReturnType<typeof record>[]) => newestBackup(some, 'UTC', today)
    assert.equal(newest(...records), Date.parse('2025-12-31T23:00:00Z'))
    assert.equal(newest(record('0000-00-00T00:00:00+0000', null)), null)
    // A date in the future hides no other one.
    const future = record('2099-01-01T00:00:00+0100', true)
    assert.equal(newest(...records, future), Date.parse('2025-12-31T23:00:00Z'))
    assert.equal(newest(future), today)
  })

  it('asks for the backups once a day', () => {
    const facts = (askedAt: number) => ({
      ...nothingKnown,
      backups: { askedAt, isKnown: false, newest: null },
    })
    assert.equal(areBackupsDue(nothingKnown, now), true)
    assert.equal(areBackupsDue(facts(now - day + 1), now), false)
    assert.equal(areBackupsDue(facts(now - day), now), true)
  })

  it('is due 30 days before the license ends', () => {
    assert.deepEqual(due({ licenseEnd: now + 31 * day }), [])
    assert.deepEqual(due({ licenseEnd: now + 29 * day }), [['license', 999]])
    assert.deepEqual(due({ licenseEnd: now - day }), [['licenseEnded', 999]])
  })

  it('is known from the newest of its events, in whatever order they come', () => {
    const some = [storyEventOf(174, 5), storyEventOf(175, 9), storyEventOf(174, 7), storyEventOf(57, 3)]
    const facts = withMaintenanceEvents(nothingKnown, some, bundled, now)
    assert.deepEqual([facts.inspection?.at, facts.inspection?.hasFailed, facts.test?.at], [9, false, 3])
  })

  it('counts an event that is dated later than now as one of now, so that it hides none that follows', () => {
    const future = [storyEventOf(57, 9000 * day), storyEventOf(174, 9000 * day)]
    const facts = withMaintenanceEvents(nothingKnown, future, bundled, now)
    assert.deepEqual([facts.test?.at, facts.inspection?.at], [now, now])
    assert.deepEqual(due(facts, now + 31 * day), [
      ['inspectionFailed', 1000],
      ['test', 1030],
    ])
    const next = [storyEventOf(57, now + day), storyEventOf(175, now + day)]
    assert.deepEqual(due(withMaintenanceEvents(facts, next, bundled, now + day), now + 30 * day), [])
  })
})

describe('Times that are later than now, because the clock was ahead when they were noted', () => {
  const told = (at: number): Telling => ({ id: 'open ZONE 1', since: at, at, reminders: 0 })
  const corrected = (wrong: number, time = now) =>
    withoutFuture(
      {
        book: {
          ...newBook(wrong),
          conditions: [condition('open', wrong)],
          facts: {
            ...nothingKnown,
            test: { at: wrong, eventKey: 'k' },
            backups: { askedAt: wrong, isKnown: false, newest: null },
          },
        },
        told: [told(wrong)],
      },
      time,
    )

  it('count as now, so that delays and reminders last as long as they should', () => {
    const { book, told: tellings } = corrected(now + 30 * day)
    const [open] = book.conditions
    assert.deepEqual(
      [book.begunAt, open?.since, book.facts.test?.at, book.facts.backups?.askedAt],
      [now, now, now, now],
    )
    assert.equal(nextReminder(tellings[0] as Telling, choice), now + hour)
    const tenMinutes = { ...choice, after: { open: 10 * minute } }
    assert.equal(listedConditions(book.conditions, tenMinutes, [], now + 10 * minute).length, 1)
    assert.equal(hasChanged(book.conditions, tellings), false)
  })

  it('count as now also if only one fact of the maintenance is dated so', () => {
    const at = now + day
    for (const facts of [
      { inspection: { at, hasFailed: true, eventKey: 'k', askedAt: null, tests: null } },
      { test: { at, eventKey: 'k' } },
      { backups: { askedAt: at, isKnown: false, newest: null } },
    ]) {
      const book = { ...newBook(now), facts: { ...nothingKnown, ...facts } }
      const { inspection, test, backups } = withoutFuture({ book, told: [] }, now).book.facts
      assert.equal(inspection?.at ?? test?.at ?? backups?.askedAt, now)
    }
  })

  it('stay if they are not later, or only by as much as a clock is corrected now and then', () => {
    for (const time of [now - day, now, now + minute / 2]) {
      const known = corrected(time)
      assert.equal(known.book.conditions[0]?.since, time)
      assert.equal(known.told[0]?.at, time)
    }
  })
})

describe('The notes of a conditions node', () => {
  it('give back what was noted, and nothing if they are damaged', () => {
    const book = {
      ...newBook(5),
      conditions: [condition('open', 7)],
      events: [storyEventOf(45, 3)],
      places: ['ZONE 1'],
      facts: { ...nothingKnown, test: { at: 3, eventKey: 'k' } },
    }
    const noted = { book, told: [{ id: 'open ZONE 1', since: 7, at: 8, reminders: 2 }], isUntold: true }
    const text = notesOf(noted)
    assert.deepEqual(notedConditions(JSON.parse(text)), noted)
    for (const [one, other] of [
      ['"open"', '"ajar"'],
      ['"since":7', '"since":"7"'],
      ['"format":1', '"format":2'],
    ] as const)
      assert.equal(notedConditions(JSON.parse(text.replace(one, other))), undefined, other)
  })
})
