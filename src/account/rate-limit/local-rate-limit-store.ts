import type { Clock } from '../../clock.ts'
import { hour } from '../../duration.ts'
import { KeyholderError } from '../../service/error.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { Backoff, CountedAttempt, RateLimitStore } from './rate-limit-store.ts'
import { type Lane, SlidingWindow } from './sliding-window.ts'

/** The rate-limit store of a process that is alone: a sliding window in memory, and a log file for the next process. */
export class LocalRateLimitStore implements RateLimitStore {
  // The initial limit, until a config node sets its own.
  readonly #slidingWindow = new SlidingWindow(1)
  readonly #attemptLog: Pick<AttemptLog, 'recall' | 'recallBackoff' | 'note' | 'noteBackoff'>
  readonly #clock: Clock
  #backoff: Backoff | undefined
  #recalled: Promise<void> | undefined
  /** The times of the sign-ins of the last hour (milliseconds of the monotonic clock). */
  #signIns: number[] = []

  constructor(
    attemptLog: Pick<AttemptLog, 'recall' | 'recallBackoff' | 'note' | 'noteBackoff'>,
    clock: Clock,
  ) {
    this.#attemptLog = attemptLog
    this.#clock = clock
  }

  get limit(): number {
    return this.#slidingWindow.limit
  }

  set limit(limit: number) {
    this.#slidingWindow.limit = limit
  }

  get used(): number {
    return this.#slidingWindow.used(this.#clock.monotonic())
  }

  get backoff(): Backoff | undefined {
    return this.#backoff
  }

  wait(lane: Lane): number {
    return this.#slidingWindow.wait(lane, this.#clock.monotonic())
  }

  onChange(_listener: () => void): () => void {
    return () => {}
  }

  async take(lane: Lane): Promise<CountedAttempt | undefined> {
    if (this.wait(lane) > 0) return undefined
    this.#slidingWindow.start(lane, this.#clock.monotonic())
    await this.#attemptLog.note('start')
    return {
      end: () => {
        void this.#attemptLog.note('end')
        this.#slidingWindow.end(lane, this.#clock.monotonic())
      },
    }
  }

  recall(): Promise<void> {
    this.#recalled ??= this.#recall()
    return this.#recalled
  }

  async startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    const isLonger = pause > this.#backoffLeft
    this.#backOffFor(pause, error, isRequested)
    if (isLonger) await this.#attemptLog.noteBackoff(pause)
  }

  endBackoff(): void {
    this.#slidingWindow.isProbing = false
    // Also noted on disk: after the next restart of the machine, the clocks alone would not show that the
    // backoff is over.
    if (this.#backoff !== undefined) void this.#attemptLog.noteBackoff(0)
    this.#backoff = undefined
  }

  /** Notes the guard as a backoff, and after it the current one. */
  async guardKill(pause: number): Promise<() => Promise<void>> {
    await this.#attemptLog.noteBackoff(pause)
    return () => this.#attemptLog.noteBackoff(this.#backoffLeft)
  }

  async noteSignIn(): Promise<number> {
    const now = this.#clock.monotonic()
    this.#signIns = [...this.#signIns.filter((at) => now - at < hour), now]
    return this.#signIns.length
  }

  get #backoffLeft(): number {
    return Math.max(0, (this.#backoff?.until ?? 0) - this.#clock.monotonic())
  }

  async #recall(): Promise<void> {
    this.#slidingWindow.recall(await this.#attemptLog.recall(), this.#clock.monotonic())
    const left = await this.#attemptLog.recallBackoff()
    if (left <= this.#backoffLeft) return
    const error = new KeyholderError(
      'LOGIN_BLOCKED',
      'Node-RED was restarted and waits, to protect the account from a block.',
      {},
      { text: 'finding.restarted' },
    )
    this.#backOffFor(left, error, true)
  }

  /** Starts a backoff; a longer one that is already running stays. */
  #backOffFor(pause: number, error: KeyholderError, isRequested: boolean): void {
    const since = this.#clock.monotonic()
    const until = since + pause
    const before = this.#backoff
    const requestedUntil = Math.max(before?.requestedUntil ?? 0, isRequested ? until : 0)
    if (before !== undefined && until <= before.until) this.#backoff = { ...before, requestedUntil }
    else this.#backoff = { since, until, requestedUntil, error }
    this.#slidingWindow.isProbing = true
  }
}
