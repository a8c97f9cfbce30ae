import { hour, minute } from '../../../duration.ts'
import type { PollDue } from './attempt-queue.ts'

/** A polled resource of a panel. */
interface PolledResource {
  panel: string | undefined
  /** Requests a minute that are wanted, whatever the budget of the day is. */
  wanted: number
  /** The time after which it is not polled any more; Infinity while a poll waits. */
  until: number
}

/** What the polls of a process want of the budget, and what they get. Times are milliseconds of the monotonic clock. */
export class PollDemand {
  readonly #resources = new Map<string, PolledResource>()
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
    this.#resources.set(`${panel} ${resource}`, polled)
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
    let wanted = 0
    for (const resource of this.#current(now)) wanted += resource.wanted
    return Math.round(10 * wanted) / 10
  }

  /** Returns the number of panels that are polled. */
  panels(now: number): number {
    return new Set(this.#current(now).map(({ panel }) => panel)).size
  }

  /** Returns the polls that started in the last minute. */
  started(now: number): number {
    this.#starts = this.#starts.filter((at) => now - at < minute)
    return this.#starts.length
  }

  #current(now: number): PolledResource[] {
    for (const [key, { until }] of this.#resources) if (until < now) this.#resources.delete(key)
    return [...this.#resources.values()]
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
