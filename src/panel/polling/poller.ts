import { isDeepStrictEqual } from 'node:util'
import type { Lane } from '../../account/rate-limit/sliding-window.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import { minute } from '../../duration.ts'
import { asKeyholderError, type KeyholderError } from '../../service/error.ts'
import type { DeliveringNode } from '../panel-stores.ts'
import { type Condition, conditionWithout, Delivery, type Subscriber } from './delivery.ts'
import { PollGrid } from './grid.ts'
import type { Hint, PollOutcome } from './lease.ts'
import { PendingReads } from './pending-reads.ts'
import { failureIn } from './poll-sharing.ts'
import { type PollFigures, PollStats } from './poll-stats.ts'
import type { Dated, PolledSource } from './polled-source.ts'

export type { Condition, Subscriber } from './delivery.ts'

/**
 * Polls one source for all subscribers, on a grid, and only while it has subscribers and holds the lease. After a
 * failure it polls every minute at least: the pauses of the account are long enough.
 *
 * The first subscriber starts it. The removal of the last one stops it and aborts its reads. Without the lease it
 * follows if it delivers to a node: after each poll of the process that has the lease, it reads the answers that this
 * one has published. Else it stands by: it reads only for callers that wait, and tells the subscribers nothing but
 * that.
 */
export class Poller<T extends Dated> {
  readonly #source: PolledSource<T>
  readonly #grid: PollGrid
  readonly #deliveries = new Map<Subscriber<T>, Delivery<T>>()
  readonly #pendingReads = new PendingReads<Subscriber<T>, T>()
  #latest: T | undefined
  /** The time at which it was delivered: all that it was made of had arrived. */
  #toldAt = Number.NEGATIVE_INFINITY
  #condition: Condition = { state: 'reading' }
  #stats: PollStats
  /** Exists while it polls or follows. */
  #running: AbortController | undefined
  /** Notes how often this process needs answers; exists while it follows. */
  #follow: ((every: number | undefined) => void) | undefined
  /** True if it must poll again as soon as the present poll has ended. */
  #isDueAgain = false
  #leave = () => {}
  #cancelTimer = () => {}
  #cancelStaleness = () => {}
  #polling = false
  /** The time of the latest announced change. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** The abort signal of the renewal in progress. */
  #refreshing: AbortSignal | undefined

  constructor(subject: PolledSource<T>) {
    this.#source = subject
    this.#grid = new PollGrid(subject)
    this.#stats = new PollStats(subject.clock)
  }

  /** The current condition. */
  get condition(): Condition {
    return this.#condition
  }

  /** True while there are subscribers. */
  get hasSubscribers(): boolean {
    return this.#deliveries.size > 0
  }

  /** The latest view; undefined while it does not poll. */
  get latest(): T | undefined {
    return this.#latest
  }

  /** Statistics about the polls; undefined while there are no subscribers. Reading them sends no request. */
  get figures(): PollFigures | undefined {
    return this.hasSubscribers ? this.#stats.figures : undefined
  }

  /**
   * Adds a subscriber and returns a function that removes it. A later subscriber receives the latest view at once.
   * @param node the node that subscribes: it receives nothing while another process delivers to it
   */
  subscribe(subscriber: Subscriber<T>, node?: DeliveringNode): () => void {
    const isFirst = !this.hasSubscribers
    const { lease: polls, deliveryLease } = this.#source
    const lease = node === undefined ? undefined : deliveryLease(node)
    const delivery = new Delivery(subscriber, lease)
    this.#deliveries.set(subscriber, delivery)
    subscriber.condition(delivery.conditionWith(this.#condition))
    if (isFirst) this.#start()
    else this.#deliverPresent(delivery)
    let wasHeld = delivery.isHeld
    delivery.begin(() => {
      const isGained = delivery.isHeld && !wasHeld
      wasHeld = delivery.isHeld
      const before = this.#condition
      if (!polls.isHeld) this.#followLease()
      if (this.#condition === before || !delivery.isHeld) {
        subscriber.condition(delivery.conditionWith(this.#condition))
      }
      if (isGained) this.#deliverPresent(delivery)
    })
    return () => {
      this.#deliveries.delete(subscriber)
      delivery.end()
      if (this.#deliveries.size === 0) this.#stop()
      else if (!polls.isHeld) this.#followLease()
    }
  }

  /** Returns the condition for a subscriber, which may stand by while others receive views. */
  conditionOf(subscriber: Subscriber<T>): Condition {
    return this.#deliveries.get(subscriber)?.conditionWith(this.#condition) ?? this.#condition
  }

  /**
   * Reads now for a caller that waits. All subscribers receive the view before the answer is returned, and only
   * once if several callers have requested it.
   * @param subscriber a subscriber that uses the answer itself; it receives other views only if there is no answer
   * @throws KeyholderError the error of the read, which does not change the condition of the poller
   */
  async read(signal: AbortSignal, subscriber?: Subscriber<T>): Promise<T> {
    const ask = async () => {
      const view = await this.#loadNow('urgent', signal)
      // A poll that was requested later may have been answered first.
      return this.#latest !== undefined && this.#latest.sentAt > view.sentAt ? this.#latest : view
    }
    if (subscriber === undefined) return ask()
    return this.#pendingReads.wait(subscriber, ask, (view) => {
      if (this.#deliveries.get(subscriber)?.isHeld) subscriber.snapshot(view)
    })
  }

  /**
   * Reads a source that is changing now, at once and for all subscribers; reads nothing if there are none.
   *
   * A failure is reported only by the polls, which become more frequent if the change makes them so. If another process
   * polls, it is told to do this.
   */
  refresh(): void {
    const { clock, lease } = this.#source
    const signal = this.#running?.signal
    this.#changedAt = clock.monotonic()
    if (!lease.isHeld) {
      // The process that polls reads it, and publishes the answer.
      lease.tell('change')
      return
    }
    if (signal !== undefined && this.#refreshing !== signal) void this.#refreshAll(signal)
  }

  /**
   * Polls at once instead of at the next slot, for a subscriber that needs data that no view keeps.
   * @param maxAge milliseconds for which an answer is read again instead of a request, though it was told
   * @param servedUntil the time until which the subscriber got the data of all polls
   */
  pollNow(maxAge = 0, servedUntil = Number.NEGATIVE_INFINITY): void {
    const hasData = this.#grid.hasPolledSlot(this.#every) && this.#grid.hasDeliveredBefore(servedUntil)
    // After a takeover, the next slot may suffice.
    if (this.#running !== undefined && !this.#polling && !hasData)
      this.#scheduleIn(this.#running.signal, 0, this.#grid.takeoverGap(this.#every), maxAge)
  }

  /** Determines the time of the next poll again, because the interval has become shorter. */
  reschedule(): void {
    if (this.#running !== undefined && !this.#polling) this.#scheduleNext(this.#running.signal)
  }

  async #loadNow(lane: Lane, signal: AbortSignal): Promise<T> {
    // A caller that waits wants the present state, not that of the latest poll of another process.
    const share = this.#follow === undefined ? this.#share : {}
    const view = await this.#source.load({ lane, maxAge: 0, signal, ...share })
    this.#publish(view)
    if (share.share?.as === 'publish') this.#source.lease.tell('answers')
    // The change may have shortened the interval.
    this.reschedule()
    return view
  }

  /**
   * Reads in the lane of the polls, which is served soon: the urgent reserve is left to the next command.
   * Never rejects.
   */
  async #refreshAll(signal: AbortSignal): Promise<void> {
    this.#refreshing = signal
    try {
      let { sentAt } = await this.#loadNow('poll', signal)
      // An answer that was requested before the change does not show it yet.
      while (!signal.aborted && sentAt < this.#changedAt) ({ sentAt } = await this.#loadNow('poll', signal))
    } catch {
      if (!signal.aborted && !this.#polling) this.#scheduleNext(signal)
    }
    if (this.#refreshing === signal) this.#refreshing = undefined
  }

  #start(): void {
    const { clock, lease } = this.#source
    this.#stats = new PollStats(clock)
    const ignoreHints = lease.onHint((hint) => this.#heed(hint))
    const ignore = lease.onChange(() => this.#followLease())
    const giveUp = lease.want()
    this.#leave = () => {
      ignore()
      ignoreHints()
      giveUp()
    }
    this.#followLease()
  }

  #stop(): void {
    this.#pause()
    this.#leave()
    this.#leave = () => {}
    this.#condition = { state: 'reading' }
  }

  /** Polls while it holds the lease, else follows while it delivers to a node, else stands by. */
  #followLease(): void {
    const { lease, interval, isCached } = this.#source
    const needsViews = [...this.#deliveries.values()].some((delivery) => delivery.needsViews)
    if (!lease.isHeld && !(needsViews && lease.failure === undefined)) {
      this.#pause()
      this.#setCondition(conditionWithout(lease))
      return
    }
    if (this.#running !== undefined && lease.isHeld === (this.#follow === undefined)) return
    this.#endTurn()
    this.#running = new AbortController()
    if (this.#latest === undefined && this.#condition.state !== 'reading') {
      this.#setCondition({ state: 'reading' })
    }
    if (lease.isHeld && this.#grid.hasPolledSlot(this.#every) && !isCached) {
      // It has lost the lease for a moment.
      this.#scheduleNext(this.#running.signal)
    } else if (lease.isHeld) {
      // After a redeploy, an answer that is still recent is reused.
      void this.#poll(this.#running.signal, interval(), this.#grid.takeoverGap(this.#every))
    } else {
      this.#follow = lease.follow()
      this.#follow(interval())
      this.#expectAnswer()
    }
  }

  /** Follows a word of another process. */
  #heed(hint: Hint): void {
    const { lease, noteChange } = this.#source
    if (hint === 'change' && lease.isHeld) noteChange?.()
    const failure = this.#follow && failureIn(hint, lease.holder)
    if (failure !== undefined) this.#noteFailure(failure)
    // A new follower needs the latest answers, however long it is until the next poll.
    const isDue = hint === (lease.isHeld ? 'follower' : 'answers')
    if (!isDue || this.#running === undefined) return
    if (this.#polling) this.#isDueAgain = true
    else this.#pollAgain(this.#running.signal)
  }

  /** Polls again where that is no request; what was not answered yet, or is not cached, comes with the next poll. */
  #pollAgain(signal: AbortSignal): void {
    const isCached = this.#source.isCached && this.#latest !== undefined
    if (this.#follow === undefined && !isCached) {
      this.#scheduleNext(signal)
      return
    }
    this.#cancelTimer()
    void this.#poll(signal, this.#follow === undefined ? this.#every : 0)
  }

  #pause(): void {
    this.#endTurn()
    this.#latest = undefined
    this.#toldAt = Number.NEGATIVE_INFINITY
    this.#cancelStaleness()
    this.#source.outages.forget(this.#source.name)
  }

  /** Ends its polls, or the wish for the answers of another process. */
  #endTurn(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#polling = false
    this.#follow?.(undefined)
    this.#follow = undefined
    this.#cancelTimer()
  }

  /** Milliseconds between its polls: those that this process or another one needs. */
  get #every(): number {
    const { lease, interval } = this.#source
    return Math.min(interval(), lease.followedEvery() ?? Number.POSITIVE_INFINITY)
  }

  /** The use of the answers that processes publish for each other; none for a process that is alone. */
  get #share(): Pick<ReadOptions, 'share'> {
    const { answersOf, followedEvery, isHeld } = this.#source.lease
    if (answersOf === undefined) return {}
    if (this.#follow !== undefined) {
      // The process that polls does it as often as the quickest follower needs.
      return { share: { as: 'follow', answersOf, maxAge: 1.5 * this.#source.interval() } }
    }
    return followedEvery() === undefined || !isHeld ? {} : { share: { as: 'publish', answersOf } }
  }

  #scheduleNext(signal: AbortSignal): void {
    const { interval } = this.#source
    if (this.#follow !== undefined) {
      this.#follow(interval())
      return
    }
    const every = this.#condition.state === 'failing' ? Math.min(this.#every, minute) : this.#every
    this.#scheduleIn(signal, this.#grid.untilNextPoll(every))
  }

  #scheduleIn(signal: AbortSignal, delay: number, minGap?: number, maxAge = 0): void {
    this.#cancelTimer()
    if (signal.aborted) return
    const { clock, interval } = this.#source
    this.#cancelTimer = clock.after(delay, () => {
      // Another poller of the same panel may have read the source meanwhile. No part of a view that this poller
      // has already delivered is reused, except on demand.
      const sinceTold = clock.monotonic() - this.#toldAt
      void this.#poll(signal, Math.max(maxAge, Math.min(interval() / 2, sinceTold)), minGap)
    })
  }

  /**
   * Polls once, unless another process has polled within `minGap` milliseconds, and schedules the next poll; never
   * rejects.
   */
  async #poll(signal: AbortSignal, maxAge: number, minGap = this.#every / 2): Promise<void> {
    const { name, clock, lease } = this.#source
    this.#polling = true
    this.#isDueAgain = false
    try {
      if (this.#follow !== undefined) {
        const view = await this.#source.load({ lane: 'poll', maxAge, signal, ...this.#share })
        if (!signal.aborted) this.#publish(view)
      } else {
        const begunAt = clock.monotonic()
        // After a takeover, the process before may have polled a moment ago. A process that is alone need not wait.
        const mayPoll = lease.begin(name, minGap)
        if (mayPoll === true || (await mayPoll)) {
          await this.#pollAsHolder(signal, maxAge)
          this.#grid.notePoll(begunAt, minGap, this.#every)
        }
      }
    } catch (thrown) {
      if (!signal.aborted) this.#noteFailure(asKeyholderError(thrown))
    }
    if (signal.aborted) return
    this.#polling = false
    if (this.#isDueAgain) this.#pollAgain(signal)
    else this.#scheduleNext(signal)
  }

  async #pollAsHolder(signal: AbortSignal, maxAge: number): Promise<void> {
    const { name, lease } = this.#source
    let outcome: PollOutcome | undefined
    try {
      if (signal.aborted) return
      const { share } = this.#share
      const priority = this.#condition.state === 'reading' ? this.#source.firstPriority : 0
      const view = await this.#source.load({
        lane: 'poll',
        priority,
        maxAge,
        signal,
        ...(share && { share }),
      })
      outcome = 'answered'
      if (share !== undefined) lease.tell('answers')
      if (!signal.aborted) this.#publish(view)
    } catch (thrown) {
      if (!signal.aborted) {
        outcome = asKeyholderError(thrown).code
        if (lease.followedEvery() !== undefined) lease.tell(`failure:${outcome}`)
      }
      throw thrown
    } finally {
      lease.end(name, outcome)
    }
  }

  #publish(view: T): void {
    // A slow answer must not replace the view of a faster one that was requested later; a shared answer is
    // delivered only once.
    if (this.#running === undefined || !(this.#follow !== undefined || this.#source.lease.isHeld)) return
    if (view.sentAt < (this.#latest?.sentAt ?? 0)) return
    if (view.sentAt === this.#latest?.sentAt && isDeepStrictEqual(view, this.#latest)) return
    this.#latest = view
    this.#toldAt = this.#source.clock.monotonic()
    this.#stats.noteAnswer(view)
    for (const delivery of [...this.#deliveries.values()]) {
      const { subscriber, isHeld } = delivery
      if (isHeld && !this.#pendingReads.withhold(subscriber, view)) subscriber.snapshot(view)
    }
    const { isAlone } = this.#source.lease
    this.#setCondition({ state: 'fine', ...(isAlone === true && { isAlone: true }) })
    this.#expectAnswer()
  }

  /** Shows that there was no answer for a long time, unless there is one. */
  #expectAnswer(): void {
    const { clock, validFor } = this.#source
    this.#cancelStaleness()
    this.#cancelStaleness = clock.after(validFor(), () => {
      const { state } = this.#condition
      if (state === 'fine' || (state === 'reading' && this.#follow !== undefined)) {
        this.#setCondition({ state: 'stale' })
      }
    })
  }

  #deliverPresent({ subscriber, isHeld }: Delivery<T>): void {
    if (isHeld && this.#latest !== undefined) subscriber.snapshot(this.#latest)
  }

  #noteFailure(error: KeyholderError): void {
    this.#stats.noteFailure()
    this.#setCondition({ state: 'failing', error })
  }

  #setCondition(condition: Condition): void {
    const { name, outages } = this.#source
    const before = this.#condition.state
    this.#condition = condition
    if (condition.state === 'failing') outages.noteFailure(name, condition.error)
    if (condition.state === 'fine' && before !== 'fine') outages.noteRecovery(name)
    for (const { subscriber, isHeld } of [...this.#deliveries.values()]) {
      if (isHeld) subscriber.condition(condition)
    }
  }
}
