import type { Clock } from '../clock.ts'
import type { Guard } from './guard.ts'

/** All pending timers of one simulator; they are guarded and end together. */
export class Schedule {
  readonly clock: Clock
  readonly #guard: Guard
  readonly #pending = new Set<() => void>()
  #closed = false

  constructor(clock: Clock, guard: Guard) {
    this.clock = clock
    this.#guard = guard
  }

  /** Runs `action` once after `delay` milliseconds of the clock; returns a function that cancels it. */
  after(delay: number, action: () => void): () => void {
    if (this.#closed) return () => {}
    const cancelTimer = this.clock.after(delay, () => {
      this.#pending.delete(cancel)
      this.#guard.run(action)
    })
    const cancel = () => {
      this.#pending.delete(cancel)
      cancelTimer()
    }
    this.#pending.add(cancel)
    return cancel
  }

  /** Cancels all timers and accepts no new ones. */
  close(): void {
    this.#closed = true
    for (const cancel of [...this.#pending]) cancel()
  }
}
