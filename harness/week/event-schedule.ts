import type { Clock } from '../../src/clock.ts'

/** An event at a time, in milliseconds of the monotonic clock. */
export interface ScheduledEvent {
  at: number
  run(): void | Promise<void>
}

/** The scheduled events in the order of their times. */
export class EventSchedule {
  readonly #clock: Clock
  readonly #items: ScheduledEvent[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Schedules an event at a time. */
  scheduleAt(at: number, happen: ScheduledEvent['run']): void {
    const place = this.#items.findIndex((other) => other.at > at)
    this.#items.splice(place < 0 ? this.#items.length : place, 0, { at, run: happen })
  }

  /** Schedules an event in `delay` milliseconds. */
  scheduleIn(delay: number, happen: ScheduledEvent['run']): void {
    this.scheduleAt(this.#clock.monotonic() + delay, happen)
  }

  /** Removes and returns the next event before `end`. */
  takeNextBefore(end: number): ScheduledEvent | undefined {
    return (this.#items[0]?.at ?? end) < end ? this.#items.shift() : undefined
  }
}
