import { delay } from '../../clock.ts'
import { hour, minute, second } from '../../duration.ts'
import { asKeyholderError } from '../../service/error.ts'
import { failureIn, following, type Hint, intervalIn, type PollOutcome, publishing } from '../lease.ts'
import type { AnswerTimes } from '../snapshot.ts'
import type { PolledSource, Subscribers } from './subscribers.ts'

/** The part of a source that is about the times of its polls. */
type PolledTimes = Pick<
  PolledSource<unknown>,
  'clock' | 'lease' | 'isConstant' | 'interval' | 'dueAt' | 'pauseLeft'
>

/** Milliseconds between the end of a poll and the next one at least, unless the interval is shorter. */
const minPause = second

/** The same after a failure, at a pace that is not constant. */
const minPauseAfterFailure = 10 * second

/** Milliseconds after the first failure of what was never read; they double with each failure, up to its interval. */
const firstUnreadPause = 5 * second

/** The part of the interval that is between a poll of a killed process and the next one at least. */
const minSpacing = 0.5

/** Milliseconds between a poll of a killed process and the next one at most: nobody has looked since. */
const maxSpacingAfterKill = 6 * second

/** The time of the next poll of one source: when it is due, but not in the pause after the latest poll. */
export class NextPoll {
  readonly #source: PolledTimes
  /** The time of the request of the latest answered poll of this process. */
  #polledAt = Number.NEGATIVE_INFINITY
  /** The time at which its answer was delivered. */
  #deliveredAt = Number.NEGATIVE_INFINITY
  /** The time before which no poll begins. */
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** The number of polls that failed in a row. */
  #failures = 0

  constructor(source: PolledTimes) {
    this.#source = source
  }

  /** Milliseconds between polls: those that this process or another one needs. */
  get every(): number {
    const { interval, lease } = this.#source
    return Math.min(interval(), lease.followedEvery() ?? Number.POSITIVE_INFINITY)
  }

  /** Milliseconds until it is due. */
  get left(): number {
    const { clock, lease } = this.#source
    const needed = lease.followedEvery()
    let dueAt = this.#source.dueAt()
    // A follower with a fixed interval may need more.
    if (needed !== undefined) dueAt = Math.min(dueAt, this.#polledAt + needed)
    return Math.max(0, this.#pausedUntil - clock.monotonic(), dueAt - clock.monotonic())
  }

  /** Returns true if this process has polled less than an interval ago, and got an answer. */
  hasPolled(): boolean {
    return this.#source.clock.monotonic() - this.#polledAt < this.every
  }

  /** Returns true if the answer to the latest poll of this process was delivered before a time. */
  hasDeliveredBefore(time: number): boolean {
    return this.#deliveredAt <= time
  }

  /**
   * Notes a poll whose answer was delivered.
   * @param sentAt the time of the request, which may have been sent before the poll began
   */
  notePoll(sentAt: number): void {
    const now = this.#source.clock.monotonic()
    this.#failures = 0
    const pause = Math.min(minPause, this.every)
    // From the request on, a constant pace stays at its multiples however short the interval is. An answer that was read again is older,
    // and without a pause would be read again and again.
    const fromRequest = this.#source.isConstant ? sentAt + pause : now
    this.#pausedUntil = fromRequest > now ? fromRequest : now + pause
    if (this.#source.lease.answersOf === undefined) return
    this.#polledAt = sentAt
    this.#deliveredAt = now
  }

  /** Notes that another process has polled a short time ago, and the milliseconds after which the next poll is due. */
  noteOther(left: number): void {
    this.#pausedUntil = this.#source.clock.monotonic() + left
  }

  /**
   * Notes that a poll has failed. What was never read is read again when the account may send again, else after a pause that
   * grows; not in a cluster, where the panel passes on to another process after a few failures.
   */
  noteFailure(hasAnswer: boolean): void {
    const { clock, lease, isConstant, pauseLeft } = this.#source
    const isUnread = !hasAnswer && lease.answersOf === undefined
    const usual = Math.max(isConstant ? 0 : minPauseAfterFailure, Math.min(this.every, minute))
    const growing = firstUnreadPause * 2 ** this.#failures
    this.#failures += 1
    this.#pausedUntil = clock.monotonic() + (isUnread ? Math.min(usual, pauseLeft?.() || growing) : usual)
  }
}

/** Milliseconds between the answers that a process needs that leaves the pace to the process that polls. */
const anyInterval = hour

/**
 * The polls of one source while this process holds the lease: when it is due, one at a time. After a
 * failure it polls every minute at least: the pauses of the account are long enough.
 *
 * In a process that follows, it is the reads of the answers that the process with the lease has published, after each
 * poll of that one.
 */
export class PollLoop<T extends AnswerTimes> {
  readonly #source: PolledSource<T>
  readonly #next: NextPoll
  readonly #subscribers: Subscribers<T>
  /** Notes how often this process needs answers; exists if it follows. */
  #follow: ((every: number | undefined) => void) | undefined
  #isOver = false
  /** Ends the poll under way. Not kept between the polls, because it takes as much memory as all else of a loop. */
  #polling: AbortController | undefined
  /** True if it must poll again as soon as the present poll has ended. */
  #isDueAgain = false
  #cancelTimer: (() => void) | undefined

  constructor(source: PolledSource<T>, next: NextPoll, subscribers: Subscribers<T>) {
    this.#source = source
    this.#next = next
    this.#subscribers = subscribers
  }

  /** True if it reads the answers of another process. */
  get isFollowing(): boolean {
    return this.#follow !== undefined
  }

  /** Begins to poll if this process holds the lease, else to follow. */
  begin(): void {
    const { clock, lease, interval, isCached, dueAt } = this.#source
    this.#subscribers.expectFirst()
    const hasFollowed = this.#subscribers.latest !== undefined && dueAt() > clock.monotonic()
    if (!lease.isHeld) {
      this.#follow = lease.follow()
      this.#follow(this.#neededEvery)
      this.#subscribers.expectAnswer()
    } else if ((this.#next.hasPolled() && !isCached) || hasFollowed) {
      // It has lost the lease for a moment, or has the answers of the process before it.
      this.#scheduleNext()
    } else {
      // After a redeploy, an answer that is still recent is reused.
      void this.#poll(interval(), true)
    }
  }

  /** Ends and aborts the polls, or the wish for the answers of another process. */
  end(): void {
    this.#isOver = true
    this.#polling?.abort()
    this.#follow?.(undefined)
    this.#cancelTimer?.()
  }

  /**
   * Polls at once instead of when it is due, for a subscriber that needs data that no view keeps.
   * @param maxAge milliseconds for which an answer is read again instead of a request, though it was told
   * @param servedUntil the time until which the subscriber got the data of all polls
   */
  pollNow(maxAge: number, servedUntil: number): void {
    const hasData = this.#next.hasPolled() && this.#next.hasDeliveredBefore(servedUntil)
    // After a takeover, the next poll may suffice.
    if (this.#polling === undefined && !hasData) this.#scheduleIn(0, true, maxAge)
  }

  /** Determines the time of the next poll again, unless a poll is under way or the loop has ended. */
  reschedule(): void {
    if (this.#polling === undefined && !this.#isOver) this.#scheduleNext()
  }

  /** Delivers a view, unless the lease was lost meanwhile. */
  deliver(view: T): void {
    if (this.isFollowing || this.#source.lease.isHeld) this.#subscribers.deliver(view)
  }

  /** Follows a word of another process. */
  heed(hint: Hint): void {
    const { lease, noteChange, noteInterval } = this.#source
    if (hint === 'change' && lease.isHeld) noteChange?.()
    const failure = this.#follow && failureIn(hint, lease.holder)
    if (failure !== undefined) this.#subscribers.noteFailure(failure)
    const every = intervalIn(hint)
    if (every !== undefined && !lease.isHeld) noteInterval?.(every)
    // A new follower needs the latest answers, however long it is until the next poll.
    if (lease.isHeld ? hint !== 'follower' : every === undefined) return
    if (this.#polling !== undefined) this.#isDueAgain = true
    else this.#pollAgain()
  }

  /** Polls again where that is no request; what was not answered yet, or is not cached, comes with the next poll. */
  #pollAgain(): void {
    const isCached = this.#source.isCached && this.#subscribers.latest !== undefined
    if (!this.isFollowing && !isCached) {
      this.#scheduleNext()
      return
    }
    this.#cancelTimer?.()
    void this.#poll(this.isFollowing ? 0 : this.#next.every)
  }

  #scheduleNext(): void {
    if (this.#follow !== undefined) {
      this.#follow(this.#neededEvery)
      return
    }
    const isFailing = this.#subscribers.condition.state === 'failing'
    this.#scheduleIn(Math.min(this.#next.left, isFailing ? minute : Number.POSITIVE_INFINITY))
  }

  /** Milliseconds between the answers that this process needs while it follows. */
  get #neededEvery(): number {
    return this.#source.isConstant ? this.#source.interval() : anyInterval
  }

  #scheduleIn(ms: number, isTakeover = false, maxAge = 0): void {
    const { clock, interval } = this.#source
    this.#cancelTimer?.()
    this.#cancelTimer = clock.after(ms, () => {
      // Another poller of the same panel may have read the source meanwhile. No part of a view that this poller
      // has already delivered is reused, except on demand.
      const sinceDelivery = clock.monotonic() - this.#subscribers.deliveredAt
      void this.#poll(Math.max(maxAge, Math.min(interval() / 2, sinceDelivery)), isTakeover)
    })
  }

  /**
   * Polls once, unless another process has polled less than half an interval ago or, at a takeover, less than a whole one,
   * and schedules the next poll; never rejects.
   */
  async #poll(maxAge: number, isTakeover = false): Promise<void> {
    const { name, clock, lease, interval, takeoverDelay = 0 } = this.#source
    this.#polling = new AbortController()
    const { signal } = this.#polling
    this.#isDueAgain = false
    let nextAt: number | undefined
    try {
      if (this.isFollowing) {
        const share = following(lease, interval())
        const view = await this.#source.load({ lane: 'poll', maxAge, signal, ...share })
        if (!signal.aborted) this.deliver(view)
      } else {
        if (isTakeover && takeoverDelay > 0 && lease.answersOf !== undefined)
          await delay(clock, takeoverDelay, signal)
        const begunAt = clock.monotonic()
        const { every } = this.#next
        const gap = isTakeover ? every : every / 2
        const begun = lease.begin(name, gap, Math.min(minSpacing * every, maxSpacingAfterKill))
        // A process that is alone need not wait.
        const left = typeof begun === 'number' ? begun : await begun
        if (left === 0) {
          const sentAt = await this.#pollAsHolder(maxAge, begunAt, signal)
          if (!signal.aborted) {
            this.#next.notePoll(sentAt)
            this.#source.noteInterval?.(undefined)
          }
        } else if (left < Number.POSITIVE_INFINITY) {
          this.#next.noteOther(left)
        } else {
          nextAt = begunAt + interval() / 2
        }
      }
    } catch (thrown) {
      if (!signal.aborted) {
        this.#next.noteFailure(this.#subscribers.latest !== undefined)
        this.#subscribers.noteFailure(asKeyholderError(thrown))
      }
    }
    if (signal.aborted) return
    this.#polling = undefined
    if (this.#isDueAgain) this.#pollAgain()
    else if (nextAt !== undefined) this.#scheduleIn(Math.max(0, nextAt - clock.monotonic()))
    else this.#scheduleNext()
  }

  /** Returns the time of the request that was answered, which another caller may have sent before. */
  async #pollAsHolder(maxAge: number, begunAt: number, signal: AbortSignal): Promise<number> {
    const { name, lease, firstPriority } = this.#source
    let outcome: PollOutcome | undefined
    let sentAt = begunAt
    try {
      if (signal.aborted) return begunAt
      const sharing = publishing(lease)
      const priority = this.#subscribers.condition.state === 'reading' ? firstPriority : 0
      const view = await this.#source.load({ lane: 'poll', priority, maxAge, signal, ...sharing })
      outcome = 'answered'
      sentAt = view.sentAt
      if (sharing.share !== undefined) lease.tell(`answers:${Math.ceil(this.#next.every)}`)
      if (!signal.aborted) this.deliver(view)
      return sentAt
    } catch (thrown) {
      if (!signal.aborted) {
        outcome = asKeyholderError(thrown).code
        if (lease.followedEvery() !== undefined) lease.tell(`failure:${outcome}`)
      }
      throw thrown
    } finally {
      lease.end(name, outcome, begunAt - sentAt)
    }
  }
}
