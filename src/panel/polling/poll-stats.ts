import type { Clock } from '../clock.ts'

/** How the polls of one thing go, for people to look at; null is what has not happened yet. */
export interface PollFigures {
  /** When the latest one ended, well or badly: milliseconds since 1970. */
  lastAt: number | null
  /** When the service gave the latest answer: milliseconds since 1970. */
  lastOk: number | null
  /** Milliseconds since then, whatever the wall clock did meanwhile. */
  ageMs: number | null
  /** How many failed in a row. */
  failures: number
}

/** Keeps count of the polls of one thing. */
export class PollRecord {
  readonly #clock: Clock
  #lastAt: number | null = null
  #answer: { fetchedAt: number; at: number } | undefined
  #failures = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes that there is an answer, which may be somewhat older. */
  answered(answer: { fetchedAt: number; at: number }): void {
    this.#lastAt = this.#clock.wall()
    this.#answer = answer
    this.#failures = 0
  }

  /** Notes that there is none. */
  failed(): void {
    this.#lastAt = this.#clock.wall()
    this.#failures += 1
  }

  get figures(): PollFigures {
    const { fetchedAt = null, at } = this.#answer ?? {}
    return {
      lastAt: this.#lastAt,
      lastOk: fetchedAt,
      ageMs: at === undefined ? null : Math.round(this.#clock.monotonic() - at),
      failures: this.#failures,
    }
  }
}
