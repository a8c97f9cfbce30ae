import { day } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { shorten } from '../../service/error.ts'
import type { ConfigurationRecord, RemoteInspection } from '../../service/responses/maintenance.ts'
import { utcTime } from '../../service/time.ts'
import type { StoryEvent } from '../incidents/story-event.ts'
import { type Evidence, newEvidence } from './condition.ts'

/** An inspection of the panel that its events told of. */
export interface Inspection {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly hasFailed: boolean
  readonly eventKey: string
  /** Milliseconds since 1970 at which the failed tests were last asked for; null before. */
  readonly askedAt: number | null
  /** The tests that failed, in words of the service; null while they are not known. */
  readonly tests: string | null
}

/** An event of the panel's own. */
interface AutomaticTest {
  readonly at: number
  readonly eventKey: string
}

/** The answer about the backups of the panel's configuration. */
interface Backups {
  /** Milliseconds since 1970 at which it was last asked for, also if there was no answer. */
  readonly askedAt: number
  /** False before the first answer. */
  readonly isKnown: boolean
  /** The newest backup; null if there is none. */
  readonly newest: number | null
}

/** The facts about the maintenance of a panel that are known. Nothing is missed that has never been seen. */
export interface MaintenanceFacts {
  readonly inspection: Inspection | null
  readonly test: AutomaticTest | null
  readonly backups: Backups | null
  /** The end of the license, in milliseconds since 1970; null without one. */
  readonly licenseEnd: number | null
}

/** The days after which maintenance is due. */
export interface MaintenanceChoice {
  readonly inspectionDays: number
  readonly backupDays: number
}

/** Before anything is known. */
export const nothingKnown: MaintenanceFacts = {
  inspection: null,
  test: null,
  backups: null,
  licenseEnd: null,
}

/** Milliseconds without an automatic test after which it is missed. */
const maxTestAge = 30 * day

/** Milliseconds before the end of a license from which it is told. */
const licenseNotice = 30 * day

/** Milliseconds between two requests for the backups, or for the tests of a failed inspection. */
const askEvery = day

/**
 * Returns the facts after further events, in any order: the newest one of each kind counts. One that is dated later than
 * now counts as of now, or it would hide all that follow.
 */
export function withMaintenanceEvents(
  facts: MaintenanceFacts,
  events: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): MaintenanceFacts {
  let { inspection, test } = facts
  for (const { typeId, time, key: eventKey } of events) {
    const at = Math.min(time, now)
    const code = catalogue.get(typeId ?? Number.NaN)?.contactId
    if (code === '1602' && at > (test?.at ?? 0)) test = { at, eventKey }
    if ((code === '1666' || code === '3666') && at > (inspection?.at ?? 0))
      inspection = { at, hasFailed: code === '1666', eventKey, askedAt: null, tests: null }
  }
  return inspection === facts.inspection && test === facts.test ? facts : { ...facts, inspection, test }
}

/** Returns true if the backups may be asked for again: once a day, whether there was an answer or not. */
export function areBackupsDue({ backups }: MaintenanceFacts, now: number): boolean {
  // A clock that was put back must not ask again at once.
  return backups === null || now - backups.askedAt >= askEvery
}

/** Returns true if the tests of the latest inspection may be asked for: one has failed, and they are not known. */
export function areTestsDue({ inspection }: MaintenanceFacts, now: number): boolean {
  if (inspection === null || !inspection.hasFailed || inspection.tests !== null) return false
  return inspection.askedAt === null || now - inspection.askedAt >= askEvery
}

/** Characters of the words about the failed tests. */
const maxTests = 200

/** Returns the tests of an inspection that failed: `2 (Kitchen: weak signal), 5`; the meaning of a number is not known. */
export function failedTests({ tests }: RemoteInspection): string {
  const failed = tests.filter(({ state }) => state === 'fail')
  const titles = failed.map(({ test_type, details }) => {
    const findings = details.map(({ detail_name, description }) =>
      [detail_name, description].filter(Boolean).join(': '),
    )
    const found = findings.filter(Boolean).join('; ')
    return `${test_type ?? '?'}${found && ` (${found})`}`
  })
  return shorten(titles.join(', '), maxTests)
}

/** Returns the maintenance that is due at a time. */
export function maintenanceConditions(
  { inspection, test, backups, licenseEnd }: MaintenanceFacts,
  { inspectionDays, backupDays }: MaintenanceChoice,
  now: number,
): Evidence[] {
  const due: Evidence[] = []
  const add = (kind: Evidence['kind'], fields: Partial<Evidence> & { since: number | null }) => {
    if (fields.since === null || fields.since <= now) due.push(newEvidence(kind, fields))
  }
  if (inspection !== null) {
    const { at, eventKey, hasFailed, tests } = inspection
    const failed = { id: 'inspection failed', says: 'inspectionFailed', since: at, eventKey } as const
    // Another id, so that the tests are told once they are known.
    const inTests = { id: 'inspection failed in', says: 'inspectionFailedIn', what: tests ?? '' } as const
    if (hasFailed) add('inspection', { ...failed, ...(tests && inTests) })
    else add('inspection', { since: at + inspectionDays * day, at, eventKey })
  }
  if (test !== null) add('test', { since: test.at + maxTestAge, at: test.at, eventKey: test.eventKey })
  if (backups?.isKnown) {
    const { newest } = backups
    if (newest === null) add('backup', { id: 'backup none', says: 'neverBackedUp', since: null })
    else add('backup', { since: newest + backupDays * day, at: newest })
  }
  if (licenseEnd !== null) {
    if (licenseEnd < now) add('license', { id: 'license ended', says: 'licenseEnded', since: licenseEnd })
    else add('license', { since: licenseEnd - licenseNotice, at: licenseEnd })
  }
  return due
}

/** Returns the time of the newest backup in milliseconds since 1970; null if there is none. */
export function newestBackup(
  records: readonly ConfigurationRecord[],
  timeZone: string,
  now: number,
): number | null {
  const times = records
    // A service that does not say which download is kept as a backup keeps them all.
    .filter(({ backup }) => backup !== false)
    .map(({ date }) => Date.parse(utcTime(date, timeZone) ?? ''))
    .filter((time) => !Number.isNaN(time))
  // A wrong date must not hide all other backups; the zone of a date may be unknown.
  const past = times.filter((time) => time <= now + day)
  if (past.length === 0) return times.length === 0 ? null : now
  return Math.max(...past)
}
