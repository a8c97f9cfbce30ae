import type { Clock } from '../../clock.ts'
import { minute, second } from '../../duration.ts'
import type { PollLease } from '../lease.ts'

/**
 * Returns the milliseconds from `now` to the next slot of a grid on the monotonic clock.
 *
 * Unlike setInterval, a grid neither drifts by the latency of each answer nor overlaps: missed slots are
 * skipped. Each panel has its own phase, so that the panels of an account do not poll at the same time.
 * @param phase the position of the slots in the interval, from 0 up to 1
 */
function untilNextSlot(now: number, interval: number, phase: number): number {
  const offset = phase * interval
  const slot = Math.floor((now - offset) / interval) + 1
  return slot * interval + offset - now
}

/** The part of a source that is about the times of its polls. */
interface PolledTimes {
  clock: Clock
  lease: PollLease
  phase: number
  interval(): number
  dueAt?: (() => number) | undefined
}

/** Milliseconds between the end of a poll and the next one at least, if no grid decides. */
const minPause = second

/** The same after a failure. */
const minPauseAfterFailure = 10 * second

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
  /** The time until which slots need no poll of their own. */
  #slotsPolledUntil = Number.NEGATIVE_INFINITY
  /** The time before which no poll begins that no grid decides. */
  #pausedUntil = Number.NEGATIVE_INFINITY

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
    const dueAt = this.#source.dueAt?.()
    if (dueAt !== undefined) {
      // A follower with a fixed interval may need more.
      const needed = this.#source.lease.followedEvery()
      const nextAt = needed === undefined ? dueAt : Math.min(dueAt, this.#polledAt + needed)
      return Math.max(0, this.#pausedUntil - this.#now, nextAt - this.#now)
    }
    const every = Math.min(this.every, most)
    const delay = this.#untilNextSlot(every)
    return this.#now + delay < this.#slotsPolledUntil ? delay + every : delay
  }

  /**
   * Returns how long ago another process must have polled last for a poll at a takeover: before the latest slot, which
   * was missed then. If the next slot is near, that one suffices, unless the slot before was missed too. Without a grid,
   * it is the interval in force.
   */
  takeoverGap(): number {
    const { every } = this
    if (this.#source.dueAt !== undefined) return every
    const untilNext = this.#untilNextSlot(every)
    const isNear = untilNext < every / 2
    // The clocks of two processes differ by milliseconds.
    return every - untilNext + (isNear ? every : 0) + every / 10
  }

  /** Returns true if this process has polled at the latest slot or since, and got an answer. */
  hasPolledSlot(): boolean {
    return this.#now - this.#polledAt < this.takeoverGap()
  }

  /** Returns true if the answer to the latest poll of this process was delivered before a time. */
  hasDeliveredBefore(time: number): boolean {
    return this.#deliveredAt <= time
  }

  /**
   * Notes a poll whose answer was delivered. A process that is alone polls at each slot, whatever it has read before.
   * @param sentAt the time of the request, which may have been sent before the poll began
   * @param isTakeover true for a poll at once, which makes up for a missed slot
   */
  notePoll(sentAt: number, isTakeover: boolean): void {
    if (this.#source.lease.answersOf === undefined) return
    const { every } = this
    this.#polledAt = sentAt
    this.#deliveredAt = this.#now
    // A poll at a takeover stands for a slot that is near. After a correction of the shared clock, the slot that was
    // just polled would come once more.
    this.#slotsPolledUntil = sentAt + (isTakeover ? every / 2 : every / 10)
  }

  /** Notes the end of a poll, which was answered or has failed. */
  noteEnd(isFailure: boolean): void {
    const pause = Math.max(minPauseAfterFailure, Math.min(this.every, minute))
    this.#pausedUntil = this.#now + (isFailure ? pause : minPause)
  }

  get #now(): number {
    return this.#source.clock.monotonic()
  }

  #untilNextSlot(every: number): number {
    const { lease, phase } = this.#source
    return untilNextSlot(lease.now(), every, phase)
  }
}
