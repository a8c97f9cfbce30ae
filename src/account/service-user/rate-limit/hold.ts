/**
 * The time for which the process after this one must send nothing: the rest of the backoff, or of the longest open
 * guard.
 *
 * Each guard is about another attempt, so the end of one says nothing about the others. Times are milliseconds of the
 * monotonic clock.
 */
export class Hold {
  #backoffUntil = Number.NEGATIVE_INFINITY
  readonly #guards = new Set<{ readonly until: number }>()

  /** The end of the backoff. */
  set backoffUntil(until: number) {
    this.#backoffUntil = until
  }

  /** Opens a guard. Returns a function that closes it. */
  guard(until: number): () => void {
    const guard = { until }
    this.#guards.add(guard)
    return () => this.#guards.delete(guard)
  }

  /** Returns the milliseconds that are left; 0 if nothing holds the next process. */
  left(now: number): number {
    const ends = [...this.#guards].map(({ until }) => until)
    return Math.max(0, ...[this.#backoffUntil, ...ends].map((until) => until - now))
  }
}
