import type { Clock } from '../clock.ts'
import type { ErrorCode, KeyholderError } from '../service/error.ts'

/**
 * What something failed with, and when.
 *
 * The code alone, since the message may name the host, a serial or a panel: it is for those who must not know them.
 */
export interface Failure {
  readonly code: ErrorCode
  /** Milliseconds since 1970, for people. */
  readonly failedAt: number
  /** Milliseconds of the monotonic clock, for the order of failures. */
  readonly at: number
}

/** The failure of this moment. */
export function failureOf({ code }: KeyholderError, clock: Clock): Failure {
  return { code, failedAt: clock.wall(), at: clock.monotonic() }
}

/** The latest of several failures; nothing where there was none. */
export function latestFailure(...failures: readonly (Failure | undefined)[]): Failure | undefined {
  return failures.reduce((one, other) => (other && (!one || other.at >= one.at) ? other : one), undefined)
}
