import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import { lacking, outOfReach } from '../service/error-code.ts'
import { type Failure, failureOf } from './failure.ts'

/** Keeps count of what became of an account's questions, for people to look at. */
export class QuestionRecord {
  readonly #clock: Clock
  #signIns = 0
  #unanswered = 0
  #isFailing = false
  #latestFailure: Failure | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How often the service signed us in. */
  get signIns(): number {
    return this.#signIns
  }

  /** How many attempts in a row got no answer at all; an error of the service is an answer. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Whether the latest question failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /** The latest failure, also when all is well again. */
  get latestFailure(): Failure | undefined {
    return this.#latestFailure
  }

  /** Notes that a sign-in went well. */
  signedIn(): void {
    this.#signIns += 1
  }

  /** Notes that the service answered an attempt, whatever it said. */
  reached(): void {
    this.#unanswered = 0
  }

  /** Notes what an attempt failed with that got no answer. */
  notReached({ code }: KeyholderError): void {
    if (outOfReach.includes(code)) this.#unanswered += 1
  }

  /** Notes that a question was answered. */
  answered(): void {
    this.#isFailing = false
  }

  /** Nobody asks any more: nothing is known of how it would go. */
  forget(): void {
    this.#unanswered = 0
    this.#isFailing = false
  }

  /** Notes what a question failed with. */
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
