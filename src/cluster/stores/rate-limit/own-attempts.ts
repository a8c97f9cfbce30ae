import type { Lane } from '../../../account/service-user/rate-limit/budget.ts'
import type { RateLimitTimes } from './rate-limit-times.ts'

/** Milliseconds for which attempts count. */
type CountingTimes = Pick<RateLimitTimes, 'window' | 'margin'>

/** An attempt of this instance. Times are milliseconds of the monotonic clock. */
export interface OwnAttempt {
  readonly id: string
  readonly lane: Lane
  /** Without an end, it counts as ended then. */
  readonly endsBy: number
  endedAt: number | undefined
}

/**
 * The attempts of this instance itself, as long as they count, for a server that may have forgotten them.
 *
 * Those that run come in the order of their start, and behind them those that have ended, in the order of their end.
 */
export class OwnAttempts {
  readonly #times: CountingTimes
  readonly #running = new Set<OwnAttempt>()
  readonly #ended = new Set<OwnAttempt>()

  constructor(times: CountingTimes) {
    this.#times = times
  }

  /** Adds an attempt that runs or has just ended, and forgets those that count no more. */
  add(attempt: OwnAttempt, now: number): void {
    this.#forget(now)
    if (attempt.endedAt === undefined) this.#running.add(attempt)
    else this.#ended.add(attempt)
  }

  /** Notes the end of an attempt. */
  end(attempt: OwnAttempt, now: number): void {
    attempt.endedAt = now
    this.#running.delete(attempt)
    this.#ended.add(attempt)
  }

  /** Returns the attempts that count. */
  of(now: number): OwnAttempt[] {
    this.#forget(now)
    return [...this.#running, ...this.#ended].filter((attempt) => this.countsUntil(attempt) > now)
  }

  /** Returns the time until which an attempt counts, without another end. */
  countsUntil({ endsBy, endedAt }: OwnAttempt): number {
    const { window, margin } = this.#times
    return (endedAt ?? endsBy) + window + margin
  }

  /** Forgets the oldest ones until the first that counts: a look at all would take long with many. */
  #forget(now: number): void {
    for (const attempts of [this.#running, this.#ended]) {
      for (const attempt of attempts) {
        if (this.countsUntil(attempt) > now) break
        attempts.delete(attempt)
      }
    }
  }
}
