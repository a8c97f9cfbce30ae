import type { JsonValue } from '../service/passthrough.ts'
import { isObject } from '../service/schema.ts'
import { utcTime } from '../service/time.ts'

/** An object in an answer of the service. */
export type JsonObject = { [name: string]: JsonValue }

/** The zone and the moment to which the times of an answer are related. */
export interface Now {
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
export function isoTimeOf(raw: JsonValue | undefined, timeZone: string): string | null {
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
