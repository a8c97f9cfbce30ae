import type { Clock } from '../../src/clock.ts'

/** Something that is to happen at a time, in milliseconds of the monotonic clock. */
export interface ScheduledEvent {
  at: number
  run(): void | Promise<void>
}

/** What is still to happen, in order of time. */
export class EventSchedule {
  readonly #clock: Clock
  readonly #items: ScheduledEvent[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Puts down what is to happen at a time. */
  scheduleAt(at: number, happen: ScheduledEvent['run']): void {
    const place = this.#items.findIndex((other) => other.at > at)
    this.#items.splice(place < 0 ? this.#items.length : place, 0, { at, run: happen })
  }

  /** Puts down what is to happen so many milliseconds from now. */
  scheduleIn(delay: number, happen: ScheduledEvent['run']): void {
    this.scheduleAt(this.#clock.monotonic() + delay, happen)
  }

  /** Takes the first item that is to happen before `end`. */
  takeNextBefore(end: number): ScheduledEvent | undefined {
    return (this.#items[0]?.at ?? end) < end ? this.#items.shift() : undefined
  }
}
