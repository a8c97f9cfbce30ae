import { isDeepStrictEqual } from 'node:util'
import type { Lane } from '../../account/rate-limit/sliding-window.ts'
import type { ReadOptions } from '../../account/request-coalescer.ts'
import type { Clock } from '../../clock.ts'
import { asKeyholderError, type KeyholderError } from '../../service/error.ts'
import { untilNextSlot } from './grid.ts'
import type { OutageReporter } from './outage-reporter.ts'
import { PendingReads } from './pending-reads.ts'
import { type PollFigures, PollStats } from './poll-stats.ts'

/** The condition of a poller, for the status of the nodes that listen. */
export type Condition =
  /** The first read is in progress. */
  | { state: 'reading' }
  | { state: 'fine' }
  /** No poll has failed, but there was no answer for a long time. */
  | { state: 'stale' }
  | { state: 'failing'; error: KeyholderError }

/** A view, with the times of its answer and of its request. */
interface Dated {
  /** Milliseconds since 1970. */
  fetchedAt: number
  /** Milliseconds of the monotonic clock. */
  at: number
  sentAt: number
}

/** A listener of a poller; its functions must not throw. */
export interface Listener<T> {
  snapshot(view: T): void
  condition(condition: Condition): void
}

/** The source that a poller reads. */
export interface PolledSource<T> {
  /** The name of the source in the outage reporter. */
  name: string
  trouble: OutageReporter
  clock: Clock
  /** Milliseconds between polls, determined again for each poll. */
  interval(): number
  /** Milliseconds after which a view is too old to rely on. */
  validFor: number
  /** The position of the polls in the interval, from 0 up to 1. */
  phase: number
  read(asking: ReadOptions): Promise<T>
}

/**
 * Polls one source for all listeners, on a grid, and only while it has listeners.
 *
 * The first listener starts it. The removal of the last one stops it and aborts its reads.
 */
export class Poller<T extends Dated> {
  readonly #subject: PolledSource<T>
  readonly #listeners = new Set<Listener<T>>()
  readonly #askers = new PendingReads<Listener<T>, T>()
  #latest: T | undefined
  #condition: Condition = { state: 'reading' }
  #record: PollStats
  #life: AbortController | undefined
  #cancelTimer = () => {}
  #cancelStaleness = () => {}
  #polling = false
  /** The time of the latest announced change. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** The abort signal of the renewal in progress. */
  #renewing: AbortSignal | undefined

  constructor(subject: PolledSource<T>) {
    this.#subject = subject
    this.#record = new PollStats(subject.clock)
  }

  /** The current condition. */
  get condition(): Condition {
    return this.#condition
  }

  /** True while there are listeners. */
  get isListenedTo(): boolean {
    return this.#life !== undefined
  }

  /** The latest view; undefined while there are no listeners. */
  get latest(): T | undefined {
    return this.#latest
  }

  /** Statistics about the polls; undefined while there are no listeners. Reading them sends no request. */
  get figures(): PollFigures | undefined {
    return this.isListenedTo ? this.#record.figures : undefined
  }

  /**
   * Adds a listener and returns a function that removes it. A late listener receives the latest view at once.
   */
  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener)
    listener.condition(this.#condition)
    if (this.#life === undefined) this.#start()
    else if (this.#latest !== undefined) listener.snapshot(this.#latest)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /**
   * Reads now for a caller that waits. All listeners receive the view before the answer is returned, and only
   * once if several callers have requested it.
   * @param asker a listener that uses the answer itself; it receives other views only if there is no answer
   * @throws KeyholderError the error of the read, which does not change the condition of the poller
   */
  async readNow(signal: AbortSignal, asker?: Listener<T>): Promise<T> {
    const ask = async () => {
      const view = await this.#readAnew('urgent', signal)
      // A poll that was requested later may have been answered first.
      return this.#latest !== undefined && this.#latest.sentAt > view.sentAt ? this.#latest : view
    }
    if (asker === undefined) return ask()
    return this.#askers.wait(asker, ask, (view) => {
      if (this.#listeners.has(asker)) asker.snapshot(view)
    })
  }

  /**
   * Reads a source that is changing now, at once and for all listeners; reads nothing if there are none.
   *
   * A failure is reported only by the polls, which become more frequent if the change makes them so.
   */
  renew(): void {
    const signal = this.#life?.signal
    this.#changedAt = this.#subject.clock.monotonic()
    if (signal !== undefined && this.#renewing !== signal) void this.#renew(signal)
  }

  /** Polls at once instead of at the next slot, for a listener that needs data that no view keeps. */
  hurry(): void {
    if (this.#life !== undefined && !this.#polling) this.#plan(this.#life.signal, 0)
  }

  async #readAnew(lane: Lane, signal: AbortSignal): Promise<T> {
    const view = await this.#subject.read({ lane, maxAge: 0, signal })
    this.#tell(view)
    // The change may have shortened the interval.
    if (this.#life !== undefined && !this.#polling) this.#planNext(this.#life.signal)
    return view
  }

  /**
   * Reads in the lane of the polls, which is served soon: the urgent reserve is left to the next command.
   * Never rejects.
   */
  async #renew(signal: AbortSignal): Promise<void> {
    this.#renewing = signal
    try {
      let { sentAt } = await this.#readAnew('poll', signal)
      // An answer that was requested before the change does not show it yet.
      while (sentAt < this.#changedAt) ({ sentAt } = await this.#readAnew('poll', signal))
    } catch {
      if (!signal.aborted && !this.#polling) this.#planNext(signal)
    }
    if (this.#renewing === signal) this.#renewing = undefined
  }

  #start(): void {
    this.#life = new AbortController()
    this.#condition = { state: 'reading' }
    this.#record = new PollStats(this.#subject.clock)
    // After a redeploy, an answer that is still recent is reused.
    void this.#poll(this.#life.signal, this.#subject.interval())
  }

  #stop(): void {
    this.#life?.abort()
    this.#life = undefined
    this.#latest = undefined
    this.#cancelTimer()
    this.#cancelStaleness()
    this.#subject.trouble.forget(this.#subject.name)
  }

  #planNext(signal: AbortSignal): void {
    const { clock, interval, phase } = this.#subject
    this.#plan(signal, untilNextSlot(clock.monotonic(), interval(), phase))
  }

  #plan(signal: AbortSignal, delay: number): void {
    this.#cancelTimer()
    if (signal.aborted) return
    const { clock, interval } = this.#subject
    this.#cancelTimer = clock.after(delay, () => {
      // Another poller of the same panel may have read the source meanwhile. A view that this poller has
      // already delivered is not reused.
      const sinceTold =
        this.#latest === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - this.#latest.at
      void this.#poll(signal, Math.min(interval() / 2, sinceTold))
    })
  }

  /** Polls once and schedules the next poll; never rejects. */
  async #poll(signal: AbortSignal, maxAge: number): Promise<void> {
    this.#polling = true
    try {
      const view = await this.#subject.read({ lane: 'poll', maxAge, signal })
      if (!signal.aborted) this.#tell(view)
    } catch (thrown) {
      if (!signal.aborted) this.#fail(asKeyholderError(thrown))
    }
    if (signal.aborted) return
    this.#polling = false
    this.#planNext(signal)
  }

  #tell(view: T): void {
    // A slow answer must not replace the view of a faster one that was requested later; a shared answer is
    // delivered only once.
    if (this.#life === undefined || view.sentAt < (this.#latest?.sentAt ?? 0)) return
    if (view.sentAt === this.#latest?.sentAt && isDeepStrictEqual(view, this.#latest)) return
    this.#latest = view
    this.#record.answered(view)
    for (const listener of [...this.#listeners]) {
      if (!this.#askers.withhold(listener, view)) listener.snapshot(view)
    }
    this.#enter({ state: 'fine' })
    const { clock, validFor } = this.#subject
    this.#cancelStaleness()
    this.#cancelStaleness = clock.after(validFor, () => {
      if (this.#condition.state === 'fine') this.#enter({ state: 'stale' })
    })
  }

  #fail(error: KeyholderError): void {
    this.#record.failed()
    this.#enter({ state: 'failing', error })
  }

  #enter(condition: Condition): void {
    const { name, trouble } = this.#subject
    this.#condition = condition
    if (condition.state === 'failing') trouble.fails(name, condition.error)
    if (condition.state === 'fine') trouble.isWell(name)
    for (const listener of [...this.#listeners]) listener.condition(condition)
  }
}
