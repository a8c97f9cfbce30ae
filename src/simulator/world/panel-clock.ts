import type { WorldTime } from './world-time.ts'

/** The clock that a panel dates its events with; it can be wrong. */
export class PanelClock {
  /** Milliseconds by which it is ahead of the world; negative if it is behind. */
  offset = 0
  readonly #time: WorldTime

  constructor(time: WorldTime) {
    this.#time = time
  }

  /** Returns the time that the panel takes for the present, in milliseconds since 1970. */
  now(): number {
    return this.#time.now() + this.offset
  }
}
