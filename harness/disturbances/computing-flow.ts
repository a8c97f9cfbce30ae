import type { FakeClock } from '../clock/fake-clock.ts'
import { Slowness } from './slowness.ts'

/** A flow that computes something for each message, and nothing else happens meanwhile. */
export class ComputingFlow {
  readonly slowness = new Slowness()
  readonly #clock: FakeClock

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  /** Takes a message. */
  receive(): void {
    this.#clock.stall(this.slowness.ms)
  }
}
