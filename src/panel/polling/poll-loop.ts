import { delay } from '../../clock.ts'
import { hour, minute, second } from '../../duration.ts'
import { asKeyholderError } from '../../service/error.ts'
import { failureIn, following, type Hint, intervalIn, type PollOutcome, publishing } from '../lease.ts'
import type { AnswerTimes } from '../snapshot.ts'
import type { PolledSource, Subscribers } from './subscribers.ts'

/** The part of a source that is about the times of its polls. */
type PolledTimes = Pick<
  PolledSource<unknown>,
  'clock' | 'lease' | 'phase' | 'interval' | 'dueAt' | 'pauseLeft'
>

/** Milliseconds between the end of a poll and the next one at least, if no grid decides. */
const minPause = second

/** The same after a failure. */
const minPauseAfterFailure = 10 * second

/** Milliseconds after the first failure of what was never read; they double with each failure, up to its interval. */
const firstUnreadPause = 5 * second

/**
 * The part of the interval that is between two requests of polls at least. Without it, a slot may follow at once on a
 * takeover, or on a request that has waited.
 */
const minSpacing = 0.5

/** Milliseconds between a poll of a killed process and the next one at most: nobody has looked since. */
const maxSpacingAfterKill = 6 * second

/**
 * The times of the polls of one source. With a fixed interval they are a grid on the clock that all processes share, of
 * which this one knows the slots that were polled here. Without one, the source says when it is due.
 */
export class PollGrid {
  readonly #source: PolledTimes
  /** The time of the request of the latest answered poll of this process. */
  #polledAt = Number.NEGATIVE_INFINITY
  /** The time at which its answer was delivered. */
  #deliveredAt = Number.NEGATIVE_INFINITY
  /** The time before which no poll begins that no grid decides. */
  #pausedUntil = Number.NEGATIVE_INFINITY
  /** The time of the next poll at the latest, as the poll of another process has left it. */
  #latestAt = Number.POSITIVE_INFINITY
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

  /**
   * Returns the milliseconds to the next slot that needs a poll.
   * @param most milliseconds between the slots at most
   */
  untilNextPoll(most = Number.POSITIVE_INFINITY): number {
    const { clock, lease } = this.#source
    const now = clock.monotonic()
    const dueAt = this.#source.dueAt?.()
    if (dueAt !== undefined) {
      // A follower with a fixed interval may need more.
      const needed = lease.followedEvery()
      const nextAt = needed === undefined ? dueAt : Math.min(dueAt, this.#polledAt + needed)
      return Math.max(0, this.#pausedUntil - now, nextAt - now)
    }
    const every = Math.min(this.every, most)
    const untilSlot = this.#untilNextSlot(every)
    const sincePoll = now - this.#polledAt
    // After a correction of the shared clock, the slot that was just polled would come once more.
    const isPolled = sincePoll + untilSlot < every / 10
    const untilNext = isPolled ? untilSlot + every : Math.max(untilSlot, minSpacing * every - sincePoll)
    // A slot for which a recent answer was enough leaves the next one more than an interval after its request.
    const latest = sincePoll < every ? every - sincePoll : Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(untilNext, latest, this.#latestAt - now))
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
   * Notes a poll whose answer was delivered. A process that is alone polls at each slot, whatever it has read before.
   * @param sentAt the time of the request, which may have been sent before the poll began
   */
  notePoll(sentAt: number): void {
    const now = this.#source.clock.monotonic()
    this.#failures = 0
    this.#pausedUntil = now + minPause
    this.#latestAt = Number.POSITIVE_INFINITY
    if (this.#source.lease.answersOf === undefined) return
    this.#polledAt = sentAt
    this.#deliveredAt = now
  }

  /** Notes that another process has polled a short time ago, and the milliseconds after which the next poll is due. */
  noteOther(left: number): void {
    this.#latestAt = this.#source.clock.monotonic() + left
    this.#pausedUntil = this.#latestAt
  }

  /**
   * Notes that a poll has failed. What was never read is read again when the account may send again, else after a pause that
   * grows; not in a cluster, where the panel passes on to another process after a few failures.
   */
  noteFailure(hasAnswer: boolean): void {
    const { clock, lease, pauseLeft } = this.#source
    const isUnread = !hasAnswer && lease.answersOf === undefined
    const usual = Math.max(minPauseAfterFailure, Math.min(this.every, minute))
    const growing = firstUnreadPause * 2 ** this.#failures
    this.#failures += 1
    const pause = isUnread ? Math.min(usual, pauseLeft?.() || growing) : usual
    this.#pausedUntil = clock.monotonic() + pause
    this.#latestAt = isUnread ? this.#pausedUntil : Number.POSITIVE_INFINITY
  }

  /**
   * Returns the milliseconds to the next slot of the grid on the monotonic clock.
   *
   * Unlike setInterval, a grid neither drifts by the latency of each answer nor overlaps: missed slots are
   * skipped. Each panel has its own phase, so that the panels of an account do not poll at the same time.
   */
  #untilNextSlot(every: number): number {
    const { lease, phase } = this.#source
    const [now, offset] = [lease.now(), phase * every]
    const slot = Math.floor((now - offset) / every) + 1
    return slot * every + offset - now
  }
}

/** Milliseconds between the answers that a process needs that leaves the pace to the process that polls. */
const anyInterval = hour

/**
 * The polls of one source while this process holds the lease: on the grid, or when it is due, one at a time. After a
 * failure it polls every minute at least: the pauses of the account are long enough.
 *
 * In a process that follows, it is the reads of the answers that the process with the lease has published, after each
 * poll of that one.
 */
export class PollLoop<T extends AnswerTimes> {
  readonly #source: PolledSource<T>
  readonly #grid: PollGrid
  readonly #subscribers: Subscribers<T>
  /** Notes how often this process needs answers; exists if it follows. */
  #follow: ((every: number | undefined) => void) | undefined
  #isOver = false
  /** Ends the poll under way. Not kept between the polls, because it takes as much memory as all else of a loop. */
  #polling: AbortController | undefined
  /** True if it must poll again as soon as the present poll has ended. */
  #isDueAgain = false
  #cancelTimer: (() => void) | undefined
  /** The time of the next poll; Infinity while none is scheduled. */
  #scheduledAt = Number.POSITIVE_INFINITY

  constructor(source: PolledSource<T>, grid: PollGrid, subscribers: Subscribers<T>) {
    this.#source = source
    this.#grid = grid
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
    const hasFollowed = this.#subscribers.latest !== undefined && (dueAt?.() ?? 0) > clock.monotonic()
    if (!lease.isHeld) {
      this.#follow = lease.follow()
      this.#follow(this.#neededEvery)
      this.#subscribers.expectAnswer()
    } else if ((this.#grid.hasPolled() && !isCached) || hasFollowed) {
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
   * Polls at once instead of at the next slot, for a subscriber that needs data that no view keeps.
   * @param maxAge milliseconds for which an answer is read again instead of a request, though it was told
   * @param servedUntil the time until which the subscriber got the data of all polls
   */
  pollNow(maxAge: number, servedUntil: number): void {
    const hasData = this.#grid.hasPolled() && this.#grid.hasDeliveredBefore(servedUntil)
    // After a takeover, the next poll may suffice.
    if (this.#polling === undefined && !hasData) this.#scheduleIn(0, true, maxAge)
  }

  /** Determines the time of the next poll again, unless a poll is under way or the loop has ended. */
  reschedule(): void {
    if (this.#polling !== undefined || this.#isOver) return
    const { clock, dueAt } = this.#source
    // In a busy process, a timer is late: the next slot is that after the one that it is for.
    const isLate = dueAt === undefined && this.#scheduledAt <= clock.monotonic()
    if (!isLate) this.#scheduleNext()
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
    void this.#poll(this.isFollowing ? 0 : this.#grid.every)
  }

  #scheduleNext(): void {
    if (this.#follow !== undefined) {
      this.#follow(this.#neededEvery)
      return
    }
    this.#scheduleIn(this.#untilNextPoll)
  }

  /** Milliseconds between the answers that this process needs while it follows. */
  get #neededEvery(): number {
    return this.#source.dueAt === undefined ? this.#source.interval() : anyInterval
  }

  get #untilNextPoll(): number {
    const isFailing = this.#subscribers.condition.state === 'failing'
    return this.#grid.untilNextPoll(isFailing ? minute : undefined)
  }

  #scheduleIn(ms: number, isTakeover = false, maxAge = 0): void {
    const { clock, interval } = this.#source
    this.#cancelTimer?.()
    this.#scheduledAt = clock.monotonic() + ms
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
    const { name, clock, lease, interval, dueAt, takeoverDelay = 0 } = this.#source
    this.#polling = new AbortController()
    const { signal } = this.#polling
    this.#scheduledAt = Number.POSITIVE_INFINITY
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
        const slot = begunAt + (dueAt === undefined ? this.#untilNextPoll : interval() / 2)
        const { every } = this.#grid
        const gap = isTakeover ? every : every / 2
        const begun = lease.begin(name, gap, Math.min(minSpacing * every, maxSpacingAfterKill))
        // A process that is alone need not wait.
        const left = typeof begun === 'number' ? begun : await begun
        if (left === 0) {
          const sentAt = await this.#pollAsHolder(maxAge, begunAt, signal)
          if (!signal.aborted) {
            this.#grid.notePoll(sentAt)
            this.#source.noteInterval?.(undefined)
          }
        } else if (left < Number.POSITIVE_INFINITY) {
          this.#grid.noteOther(left)
        } else {
          // That slot may have come while the answer was awaited.
          nextAt = slot
        }
      }
    } catch (thrown) {
      if (!signal.aborted) {
        this.#grid.noteFailure(this.#subscribers.latest !== undefined)
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
      if (sharing.share !== undefined) lease.tell(`answers:${Math.ceil(this.#grid.every)}`)
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
