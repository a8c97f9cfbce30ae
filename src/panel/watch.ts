import type { Asking } from '../account/flights.ts'
import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import { untilNextSlot } from './grid.ts'
import type { Trouble } from './trouble.ts'

/** Where a watch stands, for the status of the nodes that listen. */
export type Condition =
  /** A first or a demanded read is under way. */
  | { state: 'reading' }
  | { state: 'fine' }
  /** No poll has failed, but none has brought anything for a long time. */
  | { state: 'stale' }
  | { state: 'failing'; error: KeyholderError }

/** A view and the moment at which the answer came that it is made of (milliseconds of the monotonic clock). */
interface Dated {
  at: number
}

/** One who listens to a watch; neither function may throw. */
export interface Listener<T> {
  news(view: T): void
  condition(condition: Condition): void
}

/** What a watch watches. */
export interface Subject<T> {
  /** Names it among the panel's troubles. */
  name: string
  trouble: Trouble
  clock: Clock
  /** Milliseconds between polls, looked at anew for each. */
  interval(): number
  /** Milliseconds after which news is too old to rely on. */
  goodFor: number
  /** Where in the interval the polls lie, from 0 up to 1. */
  phase: number
  read(asking: Asking): Promise<T>
}

/**
 * Polls one thing for all who listen, on a grid, and only while somebody listens.
 *
 * The first listener starts it, the last one stops it and whatever it was doing.
 */
export class Watch<T extends Dated> {
  readonly #subject: Subject<T>
  readonly #listeners = new Set<Listener<T>>()
  #latest: T | undefined
  #condition: Condition = { state: 'reading' }
  #life: AbortController | undefined
  #cancelTimer = () => {}
  #cancelStaleness = () => {}
  #polling = false

  constructor(subject: Subject<T>) {
    this.#subject = subject
  }

  /** How the latest read went. */
  get condition(): Condition {
    return this.#condition
  }

  /** Begins to listen; the answer ends it. A late listener gets the latest view at once. */
  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener)
    listener.condition(this.#condition)
    if (this.#life === undefined) this.#start()
    else if (this.#latest !== undefined) listener.news(this.#latest)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /**
   * Reads now for somebody who waits; all who listen get the news before the answer is given.
   * @throws KeyholderError what the read failed with; the condition of the watch stays with the polls
   */
  async readNow(signal: AbortSignal): Promise<T> {
    const view = await this.#subject.read({ lane: 'urgent', maxAge: 0, signal })
    this.#tell(view)
    return view
  }

  /** Polls at once instead of at the next slot, for a listener who needs what no view keeps. */
  hurry(): void {
    if (this.#life !== undefined && !this.#polling) this.#plan(this.#life.signal, 0)
  }

  #start(): void {
    this.#life = new AbortController()
    this.#condition = { state: 'reading' }
    // Whoever comes back after a redeploy is served by an answer that is still young.
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

  #plan(signal: AbortSignal, delay: number): void {
    this.#cancelTimer()
    if (signal.aborted) return
    // Half an interval: another watch of the same panel may have asked meanwhile, our own last answer is older.
    this.#cancelTimer = this.#subject.clock.after(delay, () => {
      void this.#poll(signal, this.#subject.interval() / 2)
    })
  }

  /** One poll and the plan for the next; never rejects. */
  async #poll(signal: AbortSignal, maxAge: number): Promise<void> {
    this.#polling = true
    try {
      const view = await this.#subject.read({ lane: 'poll', maxAge, signal })
      if (!signal.aborted) this.#tell(view)
    } catch (thrown) {
      if (!signal.aborted) this.#enter({ state: 'failing', error: asKeyholderError(thrown) })
    }
    if (signal.aborted) return
    this.#polling = false
    const { clock, interval, phase } = this.#subject
    this.#plan(signal, untilNextSlot(clock.monotonic(), interval(), phase))
  }

  #tell(view: T): void {
    if (this.#life === undefined) return
    // An answer that was young enough to do again is no news.
    const isNews = this.#latest?.at !== view.at
    this.#latest = view
    if (isNews) for (const listener of [...this.#listeners]) listener.news(view)
    this.#enter({ state: 'fine' })
    const { clock, goodFor } = this.#subject
    this.#cancelStaleness()
    this.#cancelStaleness = clock.after(goodFor, () => {
      if (this.#condition.state === 'fine') this.#enter({ state: 'stale' })
    })
  }

  #enter(condition: Condition): void {
    const { name, trouble } = this.#subject
    this.#condition = condition
    if (condition.state === 'failing') trouble.fails(name, condition.error)
    if (condition.state === 'fine') trouble.isWell(name)
    for (const listener of [...this.#listeners]) listener.condition(condition)
  }
}
