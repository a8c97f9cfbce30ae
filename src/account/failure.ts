import type { Clock } from '../clock.ts'
import type { ErrorCode, KeyholderError } from '../service/error.ts'

/**
 * The error code and the time of a failure.
 *
 * It has no message, because a message may name the host, a serial or a panel, and the readers of this record
 * must not see these.
 */
export interface Failure {
  readonly code: ErrorCode
  /** Milliseconds since 1970, for display. */
  readonly failedAt: number
  /** Milliseconds of the monotonic clock, for the order of failures. */
  readonly at: number
}

/** Creates a failure record with the current time. */
export function failureOf({ code }: KeyholderError, clock: Clock): Failure {
  return { code, failedAt: clock.wall(), at: clock.monotonic() }
}

/** Returns the latest of several failures; undefined if there is none. */
export function latestFailure(...failures: readonly (Failure | undefined)[]): Failure | undefined {
  return failures.reduce((one, other) => (other && (!one || other.at >= one.at) ? other : one), undefined)
}
