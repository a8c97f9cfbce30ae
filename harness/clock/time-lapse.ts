import type { FakeClock } from './fake-clock.ts'
import type { PendingIo } from './pending-io.ts'

/** What is looked at on the way; the clock stands still meanwhile. */
export interface Wayside {
  /** Timers have run, and nothing that they began has gone any further yet. */
  afterTimers(): void
  /** All that they began is over. */
  afterWork(): void
}

const nothing: Wayside = { afterTimers: () => {}, afterWork: () => {} }

/** Drives a clock from timer to timer, and only ever on when all real work is over. */
export class TimeLapse {
  readonly #clock: FakeClock
  readonly #work: PendingIo
  readonly #wayside: Wayside

  constructor(clock: FakeClock, work: PendingIo, wayside: Wayside = nothing) {
    this.#clock = clock
    this.#work = work
    this.#wayside = wayside
  }

  /** Lets the time pass until `end`, in milliseconds of the monotonic clock. */
  async until(end: number): Promise<void> {
    for (;;) {
      await this.settle()
      const left = end - this.#clock.monotonic()
      if (left <= 0) return
      this.#clock.advance(Math.min(left, this.#clock.untilNext ?? left))
      this.#wayside.afterTimers()
    }
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.#work.untilIdle()
    this.#wayside.afterWork()
    await this.#work.untilIdle()
  }
}
