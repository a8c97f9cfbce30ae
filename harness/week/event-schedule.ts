import type { Clock } from '../../src/clock.ts'

/** Something that is to happen at a time, in milliseconds of the monotonic clock. */
export interface Item {
  at: number
  happen(): void | Promise<void>
}

/** What is still to happen, in order of time. */
export class Agenda {
  readonly #clock: Clock
  readonly #items: Item[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Puts down what is to happen at a time. */
  put(at: number, happen: Item['happen']): void {
    const place = this.#items.findIndex((other) => other.at > at)
    this.#items.splice(place < 0 ? this.#items.length : place, 0, { at, happen })
  }

  /** Puts down what is to happen so many milliseconds from now. */
  putIn(delay: number, happen: Item['happen']): void {
    this.put(this.#clock.monotonic() + delay, happen)
  }

  /** Takes the first item that is to happen before `end`. */
  takeBefore(end: number): Item | undefined {
    return (this.#items[0]?.at ?? end) < end ? this.#items.shift() : undefined
  }
}
