import type { Clock } from '../../clock.ts'
import {
  asKeyholderError,
  type ErrorCode,
  type KeyholderError,
  unreachableCodes,
  unsupportedCodes,
} from '../../service/error.ts'

/** Counts the outcomes of an account's requests, for display. */
export class RequestStats {
  readonly #clock: Clock
  #signIns = 0
  #replies = 0
  #unanswered = 0
  #isFailing = false
  #latestFailure: Failure | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of successful sign-ins. */
  get signIns(): number {
    return this.#signIns
  }

  /** The number of attempts that the service answered, with any result. */
  get replies(): number {
    return this.#replies
  }

  /** The number of consecutive attempts without any answer. An error of the service is an answer. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** True if the latest request failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /** The latest failure. It stays when later requests succeed. */
  get latestFailure(): Failure | undefined {
    return this.#latestFailure
  }

  /** Counts a successful sign-in. */
  noteSignIn(): void {
    this.#signIns += 1
  }

  /** Notes that the service answered an attempt, with any result. */
  noteReply(): void {
    this.#replies += 1
    this.#unanswered = 0
  }

  /** Counts an attempt that failed because no answer came. */
  noteUnreached({ code }: KeyholderError): void {
    if (unreachableCodes.includes(code)) this.#unanswered += 1
  }

  /**
   * Waits for a request and counts its outcome.
   * @throws the error of the request
   */
  async count<T>(request: Promise<T>): Promise<T> {
    try {
      const answer = await request
      this.#isFailing = false
      return answer
    } catch (thrown) {
      this.#noteFailure(thrown)
      throw thrown
    }
  }

  /** Resets the values that are out of date after the last owner has left. */
  reset(): void {
    this.#unanswered = 0
    this.#isFailing = false
  }

  #noteFailure(thrown: unknown): void {
    const error = asKeyholderError(thrown)
    if (error.code === 'CLOSED') return
    if (unsupportedCodes.includes(error.code)) {
      this.#isFailing = false
      return
    }
    this.#isFailing = true
    this.#latestFailure = failureOf(error, this.#clock)
  }
}

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
