import type { Schedule } from '../schedule.ts'

/**
 * The time of the simulated world: it starts at the wall clock's time and then runs `speed` times as fast as
 * the monotonic clock, so that no step of the wall clock reorders the world's events.
 */
export class WorldTime {
  readonly #schedule: Schedule
  readonly #speed: number
  readonly #startWall: number
  readonly #startMonotonic: number

  constructor(schedule: Schedule, speed: number) {
    this.#schedule = schedule
    this.#speed = speed
    this.#startWall = schedule.clock.wall()
    this.#startMonotonic = schedule.clock.monotonic()
  }

  /** When the world began, milliseconds since 1970. */
  get start(): number {
    return this.#startWall
  }

  /** Milliseconds since 1970 in the world. */
  now(): number {
    return this.#startWall + (this.#schedule.clock.monotonic() - this.#startMonotonic) * this.#speed
  }

  /** Does `action` once after so many seconds of the world; the answer calls it off. */
  after(seconds: number, action: () => void): () => void {
    return this.#schedule.after((seconds * 1000) / this.#speed, action)
  }
}

/** `YYYY-MM-DD HH:MM:SS` in UTC, as events and rssi dates have it (interface specification 2.10, 2.12). */
export function withSpace(time: number): string {
  return withT(time).replace('T', ' ')
}

/** `YYYY-MM-DDTHH:MM:SS` in UTC, as measurements have it (interface specification 2.10). */
export function withT(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
