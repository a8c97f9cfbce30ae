import { minute } from '../../duration.ts'
import type { PollOutcome } from '../../panel/lease.ts'
import { unreachableCodes } from '../../service/error.ts'
import { codesThatAre, type ErrorCode } from '../../service/error-codes.ts'

/** Failures of secrets that stay wrong until the settings change: another poll would show the same. */
const rejections = codesThatAre('rejected')

/** Failures whose cause may be that of this instance alone: its network, its clock, its files, its secrets. */
const ownCodes: readonly ErrorCode[] = [...unreachableCodes, ...rejections]

/** The failed polls in a row after which another instance should try. */
const maxFailures = 3

/** Milliseconds after which an instance whose polls failed may try again if those of all others fail too. */
const pauseAfterFailure = 10 * minute

/** Ranks of the instances that want a panel. The lowest one gets it. */
export const ranks = { ready: 0, failedBefore: 1, failing: 2 } as const

/**
 * The failed polls of a panel by one instance since the latest poll that succeeded. Times are milliseconds of the
 * monotonic clock, passed in.
 */
export interface PollRecord {
  /** The failed polls in a row, by work. */
  readonly failures: Readonly<Record<string, number>>
  /** The reason of the latest of them. */
  readonly code?: ErrorCode | undefined
  /** The reason of the latest poll, if it failed in a way that other instances would hear too. */
  readonly serviceFailure?: ErrorCode | undefined
  /** The time of the latest one after which another instance should try; undefined without one. */
  readonly failedAt?: number | undefined
}

/** The record before the first poll, and after one that succeeded. */
export const freshRecord: PollRecord = { failures: {} }

/** Returns the record after a poll. */
export function afterPoll(record: PollRecord, work: string, outcome: PollOutcome, now: number): PollRecord {
  if (outcome === 'answered') return freshRecord
  // The service answered, or asked for a pause: another instance would hear the same.
  if (!ownCodes.includes(outcome)) return { ...record, failures: {}, serviceFailure: outcome }
  const count = (record.failures[work] ?? 0) + 1
  const failures = { ...record.failures, [work]: count }
  const isOver = count >= maxFailures || rejections.includes(outcome)
  return { failures, code: outcome, failedAt: isOver ? now : record.failedAt }
}

/** Returns the rank of this instance among those that want the panel. */
export function rankOf({ failedAt }: PollRecord, now: number): number {
  if (failedAt === undefined) return ranks.ready
  return now - failedAt < pauseAfterFailure ? ranks.failing : ranks.failedBefore
}

/**
 * Returns the reason why this instance does not poll the panel; undefined if there is none. An unreachable service may be
 * reachable again after a while, but rejected secrets stay rejected.
 */
export function failureOf(record: PollRecord, now: number): ErrorCode | undefined {
  const { code } = record
  if (code === undefined || rankOf(record, now) === ranks.ready) return undefined
  return rejections.includes(code) || rankOf(record, now) === ranks.failing ? code : undefined
}
