import type { Clock } from '../../clock.ts'

/** Statistics about the polls of one thing, for display; null means that it has not happened yet. */
export interface PollFigures {
  /** The end of the latest poll, successful or not: milliseconds since 1970. */
  lastAt: number | null
  /** The time of the service's latest answer: milliseconds since 1970. */
  lastOk: number | null
  /** Milliseconds since that answer, independent of changes of the wall clock. */
  ageMs: number | null
  /** Number of polls that failed in a row. */
  failures: number
}

/** Counts the polls of one thing. */
export class PollStats {
  readonly #clock: Clock
  #lastAt: number | null = null
  #answer: { fetchedAt: number; at: number } | undefined
  #failures = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes an answer, which can be somewhat older than the poll. */
  noteAnswer(answer: { fetchedAt: number; at: number }): void {
    this.#lastAt = this.#clock.wall()
    this.#answer = answer
    this.#failures = 0
  }

  /** Notes a poll without an answer. */
  noteFailure(): void {
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
