import { day, hour } from '../../../duration.ts'

/** The requests a day for each panel of an account that sets none: somewhat more than the pace of a panel needs. */
export const requestsPerDayOfPanel = 15_000

/** Milliseconds by which the requests may be ahead of the day before the polls slow down: enough for an alarm. */
const freeLead = 2 * hour
/** Milliseconds of further lead that double all targets. */
const doublingLead = 3 * hour
/** A longer lead is not remembered, so that the targets grow tenfold at most, and the time after it is not lost. */
const maxLead = 12 * hour

/**
 * Returns the factor by which all targets of polls grow: 1 up to two hours of lead, then twice as much for each three
 * hours.
 * @param lead milliseconds by which the requests are ahead of the day: the time in which the budget would refill
 */
export function paceFactorOf(lead: number): number {
  return 2 ** (Math.max(0, lead - freeLead) / doublingLead)
}

/**
 * Returns the lead after some time and some requests.
 * @param lead before, in milliseconds
 * @param perDay the requests of a day; Infinity without a limit
 */
export function leadAfter(lead: number, passed: number, requests: number, perDay: number): number {
  return Math.min(maxLead, Math.max(0, lead - passed) + requests * (day / perDay))
}

/** Returns the number of a day in UTC. */
export function dayOf(wall: number): number {
  return Math.floor(wall / day)
}

/** Counts the requests since midnight, in UTC. */
export class DayCount {
  #day = Number.NaN
  #count = 0

  /** Returns the requests of the day. */
  of(wall: number): number {
    return dayOf(wall) === this.#day ? this.#count : 0
  }

  /** Adds requests; negative to take some back. */
  add(requests: number, wall: number): void {
    this.#count = Math.max(0, this.of(wall) + requests)
    this.#day = dayOf(wall)
  }
}

/**
 * The budget of a day: a token account that the time fills, without a beginning or an end of the day.
 *
 * A count since midnight would let the polls rush after midnight and crawl before it, and a sliding day would repeat what
 * was done a day ago. Only the factor for the targets follows from it; it holds back no single request.
 */
export class DailyBudget {
  #lead = 0
  #at: number | undefined
  #usedToday = 0

  /**
   * Notes how many requests were made today. At the first time, the lead is what they are ahead of the day since midnight.
   * @param at the time on both clocks, in milliseconds
   */
  note(usedToday: number, perDay: number, at: { readonly wall: number; readonly monotonic: number }): void {
    // After midnight, the count has begun again.
    const requests = usedToday - (usedToday < this.#usedToday ? 0 : this.#usedToday)
    this.#lead =
      this.#at === undefined
        ? leadAfter(usedToday * (day / perDay), at.wall % day, 0, perDay)
        : leadAfter(this.#lead, at.monotonic - this.#at, requests, perDay)
    this.#usedToday = usedToday
    this.#at = at.monotonic
  }

  /** Returns the factor by which all targets of polls grow now. */
  paceFactor(now: number): number {
    return paceFactorOf(Math.max(0, this.#lead - Math.max(0, now - (this.#at ?? now))))
  }
}
