import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import { lacking, outOfReach } from '../service/error-code.ts'
import { type Failure, failureOf } from './failure.ts'

/** Counts the outcomes of an account's requests, for display. */
export class RequestStats {
  readonly #clock: Clock
  #signIns = 0
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
  signedIn(): void {
    this.#signIns += 1
  }

  /** Notes that the service answered an attempt, with any result. */
  reached(): void {
    this.#unanswered = 0
  }

  /** Counts an attempt that failed because no answer came. */
  notReached({ code }: KeyholderError): void {
    if (outOfReach.includes(code)) this.#unanswered += 1
  }

  /** Notes that a request was answered. */
  answered(): void {
    this.#isFailing = false
  }

  /** Resets the values that are out of date after the last owner has left. */
  forget(): void {
    this.#unanswered = 0
    this.#isFailing = false
  }

  /** Notes the error of a failed request. */
  failed(thrown: unknown): void {
    const error = asKeyholderError(thrown)
    if (error.code === 'CLOSED') return
    if (lacking.includes(error.code)) {
      this.answered()
      return
    }
    this.#isFailing = true
    this.#latestFailure = failureOf(error, this.#clock)
  }
}
