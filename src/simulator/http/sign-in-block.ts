import type { Clock } from '../../clock.ts'

const failuresUntilBlock = 5
const blockSeconds = 60

/** Counts failed sign-ins and panel logins, and refuses all of them for a while after five in a row (field fact). */
export class SignInBlock {
  readonly #clock: Clock
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds until sign-ins are taken again, rounded up; 0 while nothing is blocked. */
  get seconds(): number {
    return Math.max(0, Math.ceil((this.#until - this.#clock.monotonic()) / 1000))
  }

  /** Blocks for so many seconds of the clock. */
  start(seconds: number): void {
    this.#until = this.#clock.monotonic() + seconds * 1000
  }

  /** A sign-in failed. */
  countFailure(): void {
    this.#failures += 1
    if (this.#failures < failuresUntilBlock) return
    this.#failures = 0
    this.start(blockSeconds)
  }

  /** A sign-in worked: earlier failures are forgotten. */
  forgetFailures(): void {
    this.#failures = 0
  }
}
