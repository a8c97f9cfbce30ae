import type { Schedule } from '../schedule.ts'

interface Waiting {
  /** World time. */
  readonly due: number
  readonly action: () => void
  callOff: () => void
}

/**
 * The time of the simulated world: it starts at the wall clock's time and then runs `speed` times as fast as
 * the monotonic clock, so that no step of the wall clock reorders the world's events.
 */
export class WorldTime {
  readonly #schedule: Schedule
  readonly #startWall: number
  readonly #waiting = new Set<Waiting>()
  #speed: number
  /** Where the world and the monotonic clock stood when the speed was last set. */
  #since: { world: number; monotonic: number }

  /** Throws a RangeError on a speed out of range. */
  constructor(schedule: Schedule, speed: number) {
    this.#schedule = schedule
    this.#speed = possible(speed)
    this.#startWall = schedule.clock.wall()
    this.#since = { world: this.#startWall, monotonic: schedule.clock.monotonic() }
  }

  /** When the world began, milliseconds since 1970. */
  get start(): number {
    return this.#startWall
  }

  /** Seconds of the world per second of the clock. */
  get speed(): number {
    return this.#speed
  }

  /** Milliseconds since 1970 in the world. */
  now(): number {
    const { world, monotonic } = this.#since
    return world + (this.#schedule.clock.monotonic() - monotonic) * this.#speed
  }

  /** From now on time passes at another speed, also for what is waited for already. Throws a RangeError on one out of range. */
  setSpeed(speed: number): void {
    const next = possible(speed)
    this.#since = { world: this.now(), monotonic: this.#schedule.clock.monotonic() }
    this.#speed = next
    for (const waiting of this.#waiting) {
      waiting.callOff()
      this.#wait(waiting, waiting.due - this.#since.world)
    }
  }

  /** Does `action` once after so many seconds of the world; the answer calls it off. */
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

/** Below, timers would outgrow what the machine can wait for; above, the world would do nothing but run. */
function possible(speed: number): number {
  if (speed >= 0.01 && speed <= 10_000) return speed
  throw new RangeError('The speed must be from 0.01 to 10000.')
}

/** `YYYY-MM-DD HH:MM:SS` in UTC, as events and rssi dates have it (interface specification 2.10, 2.12). */
export function withSpace(time: number): string {
  return withT(time).replace('T', ' ')
}

/** `YYYY-MM-DDTHH:MM:SS` in UTC, as measurements have it (interface specification 2.10). */
export function withT(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}
