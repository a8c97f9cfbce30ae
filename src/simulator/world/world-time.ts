import type { Schedule } from '../schedule.ts'

interface Waiting {
  /** Time of the simulated world. */
  readonly due: number
  readonly action: () => void
  callOff: () => void
}

/**
 * The time of the simulated world: it starts at the wall clock's time and runs `speed` times as fast as the
 * monotonic clock, so a step of the wall clock does not reorder events.
 */
export class WorldTime {
  readonly #schedule: Schedule
  readonly #startWall: number
  readonly #waiting = new Set<Waiting>()
  #speed: number
  /** Time of the world and of the monotonic clock when the speed was last set. */
  #since: { world: number; monotonic: number }

  /** @throws RangeError if the speed is out of range */
  constructor(schedule: Schedule, speed: number) {
    this.#schedule = schedule
    this.#speed = possible(speed)
    this.#startWall = schedule.clock.wall()
    this.#since = { world: this.#startWall, monotonic: schedule.clock.monotonic() }
  }

  /** Start of the world in milliseconds since 1970. */
  get start(): number {
    return this.#startWall
  }

  /** Seconds of the world per second of the clock. */
  get speed(): number {
    return this.#speed
  }

  /** Returns the time of the world in milliseconds since 1970. */
  now(): number {
    const { world, monotonic } = this.#since
    return world + (this.#schedule.clock.monotonic() - monotonic) * this.#speed
  }

  /**
   * Changes the speed, also for running timers.
   * @throws RangeError if it is out of range
   */
  setSpeed(speed: number): void {
    const next = possible(speed)
    this.#since = { world: this.now(), monotonic: this.#schedule.clock.monotonic() }
    this.#speed = next
    for (const waiting of this.#waiting) {
      waiting.callOff()
      this.#wait(waiting, waiting.due - this.#since.world)
    }
  }

  /** Runs `action` once after this many seconds of the world; returns a function that cancels it. */
  after(seconds: number, action: () => void): () => void {
    const waiting: Waiting = { due: this.now() + seconds * 1000, action, callOff: () => {} }
    this.#waiting.add(waiting)
    this.#wait(waiting, seconds * 1000)
    return () => {
      this.#waiting.delete(waiting)
      waiting.callOff()
    }
  }

  #wait(waiting: Waiting, milliseconds: number): void {
    waiting.callOff = this.#schedule.after(milliseconds / this.#speed, () => {
      this.#waiting.delete(waiting)
      waiting.action()
    })
  }
}

/**
 * Checks the limits of the speed: below, timers exceed the maximum of the machine; above, timers would use
 * all the time.
 * @throws RangeError if the speed is out of range
 */
function possible(speed: number): number {
  if (speed >= 0.01 && speed <= 10_000) return speed
  throw new RangeError('The speed must be from 0.01 to 10000.')
}

/**
 * Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC, for events and rssi dates (interface specification 2.10,
 * 2.12).
 */
export function withSpace(time: number): string {
  return withT(time).replace('T', ' ')
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SS` in UTC, for measurements (interface specification 2.10). */
export function withT(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
