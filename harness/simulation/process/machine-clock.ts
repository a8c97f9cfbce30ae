import type { Scheduler } from '../scheduler.ts'

/** The clocks of a machine: the monotonic one since it was switched on, and its wall clock, which people and time servers set. */
export class MachineClock {
  /** The start of the machine, which its system names. */
  boot = 'boot-1'
  /** Milliseconds by which its wall clock is ahead. */
  wallError = 0
  readonly #scheduler: Scheduler
  #boots = 1
  #startedAt = 0

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  /** Milliseconds since it was switched on. */
  monotonic(): number {
    return this.#scheduler.clock.monotonic() - this.#startedAt
  }

  /** Milliseconds since 1970, as the machine takes it. */
  wall(): number {
    return this.#scheduler.clock.wall() + this.wallError
  }

  /** Switches it on anew, after a power cut. */
  restart(): void {
    this.#boots += 1
    this.boot = `boot-${this.#boots}`
    this.#startedAt = this.#scheduler.clock.monotonic()
  }
}
