import { hour, minute, second } from '../../../duration.ts'
import type { PollDue } from './attempt-queue.ts'

/** A polled resource of a panel. */
interface PolledResource {
  panel: string | undefined
  /** Requests a minute that are wanted, whatever the budget of the day is. */
  wanted: number
  /** The time after which it is not polled any more; Infinity while a poll waits. */
  until: number
}

/** The requests that the polls of a process want, and those that they get. Times are milliseconds of the monotonic clock. */
export class PollDemand {
  readonly #resources = new Map<string, PolledResource>()
  #wanted = 0
  /** The time at which resources were last forgotten: each poll asks, and with many panels there are many. */
  #forgottenAt = Number.NEGATIVE_INFINITY
  /** The starts of the last minute. */
  #starts: number[] = []

  /**
   * Notes that a poll waits. Returns a function to call once when it has started or left.
   * @param resource names what is polled
   */
  wait(
    panel: string | undefined,
    resource: string,
    { targetMs, factor = 1 }: PollDue,
  ): (now: number) => void {
    const polled = { panel, wanted: (factor * minute) / targetMs, until: Number.POSITIVE_INFINITY }
    const key = `${panel} ${resource}`
    this.#wanted += polled.wanted - (this.#resources.get(key)?.wanted ?? 0)
    this.#resources.set(key, polled)
    return (now) => {
      polled.until = now + 3 * targetMs + minute
    }
  }

  /** Notes that a poll has started. */
  noteStart(now: number): void {
    this.#starts.push(now)
  }

  /** Returns the requests a minute that the polls want at their targets, without the factor of the day. */
  wanted(now: number): number {
    this.#forget(now)
    return Math.round(10 * this.#wanted) / 10
  }

  /** Returns the number of panels that are polled. */
  panels(now: number): number {
    this.#forget(now)
    return new Set([...this.#resources.values()].map(({ panel }) => panel)).size
  }

  /** Returns the polls that started in the last minute. */
  started(now: number): number {
    this.#starts = this.#starts.filter((at) => now - at < minute)
    return this.#starts.length
  }

  /** Forgets what is not polled any more, at most once a second. */
  #forget(now: number): void {
    if (now - this.#forgottenAt < second) return
    this.#forgottenAt = now
    this.#wanted = 0
    for (const [key, { until, wanted }] of this.#resources) {
      if (until < now) this.#resources.delete(key)
      else this.#wanted += wanted
    }
  }
}

/** Milliseconds for which polls must be held back before it is told: a burst or a start is over by then. */
const tellAfter = 10 * minute

/** Milliseconds for which polls must not be held back before it is told again. */
const overAfter = hour

/** Decides when it is told that the budget holds the polls back: once, until it is over for an hour. */
export class HeldBackWarning {
  #since: number | undefined
  #latest = Number.NEGATIVE_INFINITY
  #isTold = false

  /** Notes if the polls are held back now. Returns true if it is to be told. */
  note(isHeldBack: boolean, now: number): boolean {
    if (!isHeldBack) {
      this.#since = undefined
      if (now - this.#latest >= overAfter) this.#isTold = false
      return false
    }
    this.#latest = now
    this.#since ??= now
    if (this.#isTold || now - this.#since < tellAfter) return false
    this.#isTold = true
    return true
  }
}
