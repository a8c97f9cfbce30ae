import type { Clock } from '../../../clock.ts'
import { second } from '../../../duration.ts'

const maxFailures = 5
const blockSeconds = 60

/** Counts failed sign-ins and panel logins; refuses all for a while after five in a row (field fact). */
export class SignInBlock {
  readonly #clock: Clock
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds until sign-ins are accepted again, rounded up; 0 if not blocked. */
  get remainingSeconds(): number {
    return Math.max(0, Math.ceil((this.#until - this.#clock.monotonic()) / second))
  }

  /** Blocks for this many seconds of the clock. */
  start(seconds: number): void {
    this.#until = this.#clock.monotonic() + seconds * second
  }

  /** Counts a failed sign-in. */
  countFailure(): void {
    this.#failures += 1
    if (this.#failures < maxFailures) return
    this.#failures = 0
    this.start(blockSeconds)
  }

  /** Resets the count after a successful sign-in. */
  resetFailures(): void {
    this.#failures = 0
  }
}
