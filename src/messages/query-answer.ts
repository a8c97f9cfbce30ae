import { isDate } from 'node:util/types'
import { type Catalogue, codeOrNull, type EventType } from '../service/catalogue/catalogue.ts'
import { KeyholderError } from '../service/error.ts'
import { isObject, type JsonValue } from '../service/schema.ts'
import { utcTime } from '../service/time.ts'
import type { SourcedValue } from '../settings.ts'

/** An object in an answer of the service. */
type JsonObject = { [name: string]: JsonValue }

/** The zone and the moment to which the times of an answer are related. */
interface Now {
  /** The IANA zone of times without an offset. */
  timeZone: string
  /** Milliseconds since 1970. */
  wall: number
}

/** Returns the answer to `rri_results` or `configuration_list` with its times in ISO 8601; others unchanged. */
export function withIsoTimes(operation: string, answer: JsonValue, now: Now): JsonValue {
  if (operation === 'rri_results' && isObject(answer)) return inspection(answer, now)
  if (operation === 'configuration_list' && Array.isArray(answer))
    return answer.map((entry) => (isObject(entry) ? configuration(entry, now) : entry))
  return answer
}

/** Returns a time of the service in ISO 8601 and UTC; null if it is absent, empty, zero or not a time. */
function isoTimeOf(raw: JsonValue | undefined, timeZone: string): string | null {
  return typeof raw === 'string' ? utcTime(raw, timeZone) : null
}

function inspection(answer: JsonObject, now: Now): JsonObject {
  const inspectedAt = isoTimeOf(answer.rri_timestamp, now.timeZone)
  const { tests } = answer
  return {
    ...answer,
    inspectedAt,
    ageMs: ageOf(inspectedAt, now),
    ...(Array.isArray(tests) && {
      tests: tests.map((test) => (isObject(test) ? { ...test, findings: findings(test, now) } : test)),
    }),
  }
}

/** Returns the details of a test that say something: a test without a finding has one with empty members. */
function findings({ details }: JsonObject, { timeZone }: Now): JsonValue[] {
  if (!Array.isArray(details)) return []
  return details.flatMap((detail) => {
    if (!isObject(detail)) return []
    const { detail_name, description, timestamp } = detail
    const finding = {
      name: textOf(detail_name),
      description: textOf(description),
      foundAt: isoTimeOf(timestamp, timeZone),
    }
    return finding.name || finding.description || finding.foundAt ? [finding] : []
  })
}

function configuration(entry: JsonObject, now: Now): JsonObject {
  const downloadedAt = isoTimeOf(entry.date, now.timeZone)
  const verifiedAt = isoTimeOf(entry.verified_at, now.timeZone)
  return { ...entry, downloadedAt, verifiedAt, ageMs: ageOf(downloadedAt, now) }
}

function ageOf(time: string | null, { wall }: Now): number | null {
  return time === null ? null : wall - Date.parse(time)
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** The data that are joined with the entries of a panel's log. */
interface LogContext {
  catalogue: Catalogue
  /** The IANA zone of times without an offset. */
  timeZone: string
  /** Milliseconds since 1970; undefined for all entries. */
  since: number | undefined
}

/**
 * Returns the answer to `standard_log` in which each entry also has `loggedAt`, its time in ISO 8601 and UTC,
 * and `types`, its event types: the id of an entry is the `code_vis` of its type, which several types share
 * (interface specification 6.1).
 *
 * With `since`, an entry from before that time is left out. An entry of the very second stays, and so does one
 * without a readable time: the times have no fractions, so nothing new may get lost.
 */
export function logEntries(answer: JsonValue, { catalogue, timeZone, since }: LogContext): JsonValue {
  if (!Array.isArray(answer)) return answer
  const types = typesByVis(catalogue)
  const joined = answer.map((entry) => {
    if (!isObject(entry)) return entry
    const { id } = entry
    const found = typeof id === 'string' || typeof id === 'number' ? (types.get(String(id)) ?? []) : []
    return { ...entry, loggedAt: isoTimeOf(entry.time, timeZone), types: found.map(logType) }
  })
  return since === undefined ? joined : joined.filter((entry) => !isBefore(entry, since))
}

/**
 * Returns milliseconds since 1970 of the time from which entries are wanted: a time in ISO 8601 or as the service writes
 * it, a Date, or these milliseconds. Undefined if it is not set.
 * @throws KeyholderError BAD_SETTING for anything else
 */
export function parseSince({ source, value }: SourcedValue, timeZone: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const time =
    typeof value === 'string'
      ? // As text these milliseconds must look like some of this century: 20260131 is a date.
        Date.parse(
          /^\d{13}$/.test(value.trim())
            ? new Date(Number(value)).toISOString()
            : (utcTime(value, timeZone) ?? ''),
        )
      : isDate(value)
        ? value.getTime()
        : typeof value === 'number'
          ? value
          : Number.NaN
  if (Number.isFinite(time)) return time
  throw new KeyholderError(
    'BAD_SETTING',
    `${source}: this is not a time. Use one such as "2026-01-31T12:00:00Z", or milliseconds since 1970.`,
  )
}

function typesByVis(catalogue: Catalogue): ReadonlyMap<string, EventType[]> {
  const types = new Map<string, EventType[]>()
  for (const type of catalogue.values()) {
    // Numbers in the log, texts in the list of types, where they may have zeros in front.
    const vis = type.vis.trim() === '' ? '' : String(Number(type.vis))
    const known = types.get(vis)
    if (known === undefined) types.set(vis, [type])
    else known.push(type)
  }
  return types
}

function logType(type: EventType): JsonObject {
  const { typeId, group, label, contactId, sia, description, descriptionOriginal } = type
  const codes = { contactId: codeOrNull(contactId), sia: codeOrNull(sia) }
  return { typeId, group, label, ...codes, description, descriptionOriginal }
}

function isBefore(entry: JsonValue, since: number): boolean {
  const loggedAt = isObject(entry) ? entry.loggedAt : null
  // Whole seconds, as the log has them: a fraction in `since` must not exclude the entries of its second.
  return typeof loggedAt === 'string' && Date.parse(loggedAt) < Math.floor(since / 1000) * 1000
}
