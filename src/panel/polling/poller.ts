import { isDeepStrictEqual } from 'node:util'
import type { Lane } from '../account/allowance.ts'
import type { Asking } from '../account/flights.ts'
import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import { Askers } from './askers.ts'
import { untilNextSlot } from './grid.ts'
import { type PollFigures, PollRecord } from './poll-record.ts'
import type { Trouble } from './trouble.ts'

/** Where a watch stands, for the status of the nodes that listen. */
export type Condition =
  /** A first or a demanded read is under way. */
  | { state: 'reading' }
  | { state: 'fine' }
  /** No poll has failed, but none has brought anything for a long time. */
  | { state: 'stale' }
  | { state: 'failing'; error: KeyholderError }

/** A view and when the answer that it is made of came and was asked for. */
interface Dated {
  /** Milliseconds since 1970. */
  fetchedAt: number
  /** Milliseconds of the monotonic clock. */
  at: number
  sentAt: number
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
  readonly #askers = new Askers<Listener<T>, T>()
  #latest: T | undefined
  #condition: Condition = { state: 'reading' }
  #record: PollRecord
  #life: AbortController | undefined
  #cancelTimer = () => {}
  #cancelStaleness = () => {}
  #polling = false
  /** When something was last said to change. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** The life in which it is being read. */
  #renewing: AbortSignal | undefined

  constructor(subject: Subject<T>) {
    this.#subject = subject
    this.#record = new PollRecord(subject.clock)
  }

  /** How the latest read went. */
  get condition(): Condition {
    return this.#condition
  }

  /** Whether anybody listens. */
  get isListenedTo(): boolean {
    return this.#life !== undefined
  }

  /** The latest view; none while nobody listens. */
  get latest(): T | undefined {
    return this.#latest
  }

  /** How the polls go; nothing while nobody listens. Asking costs nothing. */
  get figures(): PollFigures | undefined {
    return this.isListenedTo ? this.#record.figures : undefined
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
   * Reads now for somebody who waits; all who listen get the news before the answer is given, once where several have
   * asked for it.
   * @param asker a listener who is told by the answer, and of what comes meanwhile only where the answer does not
   * @throws KeyholderError what the read failed with; the condition of the watch stays with the polls
   */
  async readNow(signal: AbortSignal, asker?: Listener<T>): Promise<T> {
    const ask = async () => {
      const view = await this.#readAnew('urgent', signal)
      // A poll that was asked for later may have been answered first.
      return this.#latest !== undefined && this.#latest.sentAt > view.sentAt ? this.#latest : view
    }
    if (asker === undefined) return ask()
    return this.#askers.wait(asker, ask, (view) => {
      if (this.#listeners.has(asker)) asker.news(view)
    })
  }

  /**
   * Reads at once what changes at this moment, for all who listen; nothing where nobody does.
   *
   * That it cannot be read is for the polls to say, which become quicker where what changes makes them so.
   */
  renew(): void {
    const signal = this.#life?.signal
    this.#changedAt = this.#subject.clock.monotonic()
    if (signal !== undefined && this.#renewing !== signal) void this.#renew(signal)
  }

  /** Polls at once instead of at the next slot, for a listener who needs what no view keeps. */
  hurry(): void {
    if (this.#life !== undefined && !this.#polling) this.#plan(this.#life.signal, 0)
  }

  async #readAnew(lane: Lane, signal: AbortSignal): Promise<T> {
    const view = await this.#subject.read({ lane, maxAge: 0, signal })
    this.#tell(view)
    // What changed may make the polls quicker.
    if (this.#life !== undefined && !this.#polling) this.#planNext(this.#life.signal)
    return view
  }

  /** As a poll does, whose turn is soon: the room for what is urgent is for the next command. Never rejects. */
  async #renew(signal: AbortSignal): Promise<void> {
    this.#renewing = signal
    try {
      let { sentAt } = await this.#readAnew('poll', signal)
      // What was asked for before does not show it yet.
      while (sentAt < this.#changedAt) ({ sentAt } = await this.#readAnew('poll', signal))
    } catch {
      if (!signal.aborted && !this.#polling) this.#planNext(signal)
    }
    if (this.#renewing === signal) this.#renewing = undefined
  }

  #start(): void {
    this.#life = new AbortController()
    this.#condition = { state: 'reading' }
    this.#record = new PollRecord(this.#subject.clock)
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

  #planNext(signal: AbortSignal): void {
    const { clock, interval, phase } = this.#subject
    this.#plan(signal, untilNextSlot(clock.monotonic(), interval(), phase))
  }

  #plan(signal: AbortSignal, delay: number): void {
    this.#cancelTimer()
    if (signal.aborted) return
    const { clock, interval } = this.#subject
    this.#cancelTimer = clock.after(delay, () => {
      // Another watch of the same panel may have asked meanwhile; what this one has told already will not do.
      const sinceTold =
        this.#latest === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() - this.#latest.at
      void this.#poll(signal, Math.min(interval() / 2, sinceTold))
    })
  }

  /** One poll and the plan for the next; never rejects. */
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
    // A slow answer must not undo the news of a faster one that was asked for after it; a shared one is no news twice.
    if (this.#life === undefined || view.sentAt < (this.#latest?.sentAt ?? 0)) return
    if (view.sentAt === this.#latest?.sentAt && isDeepStrictEqual(view, this.#latest)) return
    this.#latest = view
    this.#record.answered(view)
    for (const listener of [...this.#listeners]) {
      if (!this.#askers.withhold(listener, view)) listener.news(view)
    }
    this.#enter({ state: 'fine' })
    const { clock, goodFor } = this.#subject
    this.#cancelStaleness()
    this.#cancelStaleness = clock.after(goodFor, () => {
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
