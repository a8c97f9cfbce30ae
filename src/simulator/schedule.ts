import type { Clock } from '../clock.ts'
import type { Guard } from './guard.ts'

/** Everything that is still to happen in one simulator: guarded timers that end together. */
export class Schedule {
  readonly clock: Clock
  readonly #guard: Guard
  readonly #pending = new Set<() => void>()
  #closed = false

  constructor(clock: Clock, guard: Guard) {
    this.clock = clock
    this.#guard = guard
  }

  /** Does `action` once after `delay` milliseconds of the clock; the answer calls it off. */
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

  /** Calls everything off and takes nothing new. */
  close(): void {
    this.#closed = true
    for (const cancel of [...this.#pending]) cancel()
  }
}
