import { hour, minute } from '../../duration.ts'
import type { PollOutcome } from '../../panel/lease.ts'
import { type ErrorCode, unreachableCodes } from '../../service/error.ts'

/** Failures whose cause may be that of this instance alone: its network, its clock, its files, its secrets. */
const ownCodes: readonly string[] = [...unreachableCodes, 'BAD_CREDENTIALS', 'WRONG_USER_CODE']

/** The failed polls in a row after which another instance should try. */
const maxFailures = 3

/** Milliseconds of the first rest, and of the longest one. */
const firstRest = 10 * minute
const maxRest = 4 * hour

/**
 * The failed polls of a panel by one instance since the latest poll that succeeded. Times are milliseconds of the
 * monotonic clock, passed in.
 */
export interface PollRecord {
  /** By work, the polls in a row that failed for a reason of this instance, perhaps. */
  readonly failures: Readonly<Record<string, number>>
  /** The reason of the latest of them. */
  readonly code?: ErrorCode | undefined
  /** The times that the panel was passed on. */
  readonly passes: number
  /** Until when the panel is neither offered nor taken from others. */
  readonly restsUntil: number
}

/** The record before the first poll, and after one that succeeded. */
export const freshRecord: PollRecord = { failures: {}, passes: 0, restsUntil: Number.NEGATIVE_INFINITY }

/** Returns the record after a poll. */
export function afterPoll(record: PollRecord, work: string, outcome: PollOutcome): PollRecord {
  if (outcome === 'answered') return freshRecord
  // The service answered, or asked for a pause: another instance would hear the same.
  if (!ownCodes.includes(outcome)) return { ...record, failures: {} }
  const failures = { ...record.failures, [work]: (record.failures[work] ?? 0) + 1 }
  return { ...record, failures, code: outcome }
}

/** Returns true if another instance that wants the panel should have it. */
export function isOffered({ failures, restsUntil }: PollRecord, now: number): boolean {
  return now >= restsUntil && Math.max(0, ...Object.values(failures)) >= maxFailures
}

/** Returns true if this instance may take a panel that another one offers. */
export function mayTake({ restsUntil }: PollRecord, now: number): boolean {
  return now >= restsUntil
}

/** Returns true if the panel was passed on, so that this instance takes it only if nobody else does. */
export function isResting({ passes, restsUntil }: PollRecord, now: number): boolean {
  return passes > 0 && now < restsUntil
}

/** Returns the record after an offered panel was passed on. Each further time without a success, the rest is twice as long. */
export function afterPass(record: PollRecord, now: number): PollRecord {
  const rest = Math.min(maxRest, firstRest * 2 ** record.passes)
  return { ...record, passes: record.passes + 1, restsUntil: now + rest }
}

/**
 * Returns the record after an offered panel was asked for. If the polls fail here too, it is not offered at once again:
 * that would be a round of all instances, with the secrets of each.
 */
export function afterTaking(record: PollRecord, now: number): PollRecord {
  return { ...record, restsUntil: now + firstRest }
}
