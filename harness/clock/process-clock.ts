import type { Clock } from '../../src/clock.ts'

/** The clock of a simulated process: when the process stops, its timers end, and the clock goes on. */
export class ProcessClock implements Clock {
  readonly #clock: Clock
  readonly #pending = new Set<() => void>()
  #isOver = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of timers that have not run yet. */
  get pending(): number {
    return this.#pending.size
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  wall(): number {
    return this.#clock.wall()
  }

  after(delay: number, callback: () => void): () => void {
    if (this.#isOver) return () => {}
    const callOff = this.#clock.after(delay, () => {
      this.#pending.delete(cancel)
      callback()
    })
    const cancel = () => {
      this.#pending.delete(cancel)
      callOff()
    }
    this.#pending.add(cancel)
    return cancel
  }

  /** Cancels all timers, as the end of a process does. */
  stop(): void {
    this.#isOver = true
    for (const cancel of [...this.#pending]) cancel()
  }
}
