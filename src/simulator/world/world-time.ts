import { second } from '../../duration.ts'
import type { Schedule } from '../schedule.ts'

interface Timer {
  /** Time of the simulated world. */
  readonly due: number
  readonly action: () => void
  cancel: () => void
}

/**
 * The time of the simulated world: it starts at the wall clock's time and runs `speed` times as fast as the
 * monotonic clock, so a step of the wall clock does not reorder events.
 */
export class WorldTime {
  readonly #schedule: Schedule
  readonly #start: number
  readonly #timers = new Set<Timer>()
  readonly #observers = new Set<() => void>()
  #speed: number
  /** Time of the world and of the monotonic clock when the speed was last set. */
  #speedSince: { world: number; monotonic: number }

  /** @throws RangeError if the speed is out of range */
  constructor(schedule: Schedule, speed: number) {
    this.#schedule = schedule
    this.#speed = checkSpeed(speed)
    this.#start = schedule.clock.wall()
    this.#speedSince = { world: this.#start, monotonic: schedule.clock.monotonic() }
  }

  /** Start of the world in milliseconds since 1970. */
  get start(): number {
    return this.#start
  }

  /** Seconds of the world per second of the clock. */
  get speed(): number {
    return this.#speed
  }

  /** Returns the time of the world in milliseconds since 1970. */
  now(): number {
    const { world, monotonic } = this.#speedSince
    return world + (this.#schedule.clock.monotonic() - monotonic) * this.#speed
  }

  /**
   * Changes the speed, also for running timers.
   * @throws RangeError if it is out of range
   */
  setSpeed(speed: number): void {
    const next = checkSpeed(speed)
    this.#speedSince = { world: this.now(), monotonic: this.#schedule.clock.monotonic() }
    this.#speed = next
    for (const timer of this.#timers) {
      timer.cancel()
      this.#startTimer(timer, timer.due - this.#speedSince.world)
    }
  }

  /** Runs `action` once after this many seconds of the world; returns a function that cancels it. */
  after(seconds: number, action: () => void): () => void {
    const timer: Timer = { due: this.now() + seconds * second, action, cancel: () => {} }
    this.#timers.add(timer)
    this.#startTimer(timer, seconds * second)
    return () => {
      this.#timers.delete(timer)
      timer.cancel()
    }
  }

  /** Calls `observer` after each action of a timer; returns a function that ends this. */
  observe(observer: () => void): () => void {
    this.#observers.add(observer)
    return () => this.#observers.delete(observer)
  }

  #startTimer(timer: Timer, milliseconds: number): void {
    timer.cancel = this.#schedule.after(milliseconds / this.#speed, () => {
      this.#timers.delete(timer)
      timer.action()
      for (const observer of this.#observers) observer()
    })
  }
}

/**
 * Checks the limits of the speed: a slower world would exceed the maximum of a timer, a faster one would
 * spend all its time on timers.
 * @throws RangeError if the speed is out of range
 */
function checkSpeed(speed: number): number {
  if (speed >= 0.01 && speed <= 10_000) return speed
  throw new RangeError('The speed must be a number from 0.01 to 10000.')
}

/**
 * Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC, for events and rssi dates (interface specification 2.10,
 * 2.12).
 */
export function isoSpace(time: number): string {
  return isoT(time).replace('T', ' ')
}

/** Formats a time as `YYYY-MM-DDTHH:MM:SS` in UTC, for measurements (interface specification 2.10). */
export function isoT(time: number): string {
  return new Date(time).toISOString().slice(0, 19)
}

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
