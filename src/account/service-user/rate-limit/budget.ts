import { day, hour, minute } from '../../../duration.ts'

/**
 * The priority of a request: `command` for a command and its own reads, `urgent` if a person, a flow or all
 * else about a panel waits for the answer, `poll` if it can wait.
 */
export type Lane = 'command' | 'urgent' | 'poll'

/** All lanes, the fastest first. */
export const allLanes: readonly Lane[] = ['command', 'urgent', 'poll']

/** The lanes that share what is not reserved for commands. */
const sharingLanes: readonly Lane[] = ['urgent', 'poll']

/** The figures of the request budget, for display. */
export interface BudgetFigures {
  limit: number
  usedLastMinute: number
  waiting: number
  /** The requests a minute that the polls of this process want at their targets. */
  wanted: number
  /** The requests since midnight in UTC, of all processes. */
  usedToday: number
}

/** Returns the attempts of a minute that are reserved for commands. */
export function reserveOf(limit: number): number {
  return limit > 1 ? Math.max(1, Math.floor(limit / 10)) : 0
}

/** Milliseconds. Timers and clocks round, and a window that is slightly too long is on the safe side. */
const margin = 5

/**
 * Limits the HTTP attempts: never more than `limit` in any sliding minute, evenly spread.
 *
 * An attempt leaves the window a minute after its *end*, because the service counts arrivals, and we know
 * only that the arrival lies between start and end. So the cap also holds at the service, at any latency. A
 * tenth is reserved for commands, and only the limit itself delays them. The other lanes share the rest. Each
 * of them may send a burst, which is needed at startup. Manual reads are then spaced so that burst and spacing
 * together stay within the share. The burst of polls is a quarter of what is free at the moment: it shrinks as the
 * window fills, so that the rest of the minute is spread evenly, and polls can use the whole share for ever. When
 * commands have used their reserve, polls wait until it is free again, except for a tenth of the limit.
 * Times are milliseconds of the monotonic clock, passed in.
 */
export class SlidingWindow {
  /**
   * True after a backoff: no attempt starts while another is in flight, until the service answers one without
   * asking for a new backoff.
   */
  isProbing = false
  /** End times of finished attempts, oldest first. */
  readonly #ends: Record<Lane, number[]> = { command: [], urgent: [], poll: [] }
  readonly #running: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }
  /** The time at which the next attempt would be due if all attempts so far had been evenly spaced. */
  readonly #evenly: Record<Lane, number> = {
    command: Number.NEGATIVE_INFINITY,
    urgent: Number.NEGATIVE_INFINITY,
    poll: Number.NEGATIVE_INFINITY,
  }

  /** The time at which all polls would be due that commands cannot delay; a minute ahead at most. */
  #assured = Number.NEGATIVE_INFINITY
  #limit = 0
  /** The part of the limit that only commands may use. */
  #reserve = 0
  /** The part of the limit that the lanes other than that of commands share. */
  #share = 0
  /** The number of manual reads that may start at once after a quiet time. */
  #urgentBurst = 0
  /** The milliseconds between two attempts once the burst is used up. */
  #spacing: Readonly<Record<Lane, number>> = { command: 0, urgent: 0, poll: 0 }
  /** The milliseconds between polls that do not leave the reserve to commands: a tenth of the limit, at least one a minute. */
  #assuredSpacing = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Attempts in any sliding minute. A change applies to all later starts. */
  get limit(): number {
    return this.#limit
  }

  set limit(limit: number) {
    this.#limit = limit
    this.#reserve = reserveOf(limit)
    this.#share = limit - this.#reserve
    this.#urgentBurst = Math.max(1, Math.floor(this.#share / 2))
    const even = minute / Math.max(1, this.#share)
    const afterBurst = minute / Math.max(1, this.#share - this.#urgentBurst)
    this.#spacing = { command: even, urgent: afterBurst, poll: even }
    this.#assuredSpacing = minute / Math.max(1, this.#reserve)
  }

  /** Returns the number of attempts of some lanes in the minute before `now`, including the running ones. */
  used(now: number, lanes = allLanes): number {
    let used = 0
    for (const lane of lanes) {
      const ends = this.#ends[lane]
      while ((ends[0] ?? now) < now - minute - margin) ends.shift()
      used += ends.length + this.#running[lane]
    }
    return used
  }

  /** Returns the milliseconds until an attempt may start; Infinity if that depends on a running attempt. */
  wait(lane: Lane, now: number): number {
    if (this.isProbing && allLanes.some((other) => this.#running[other] > 0)) return Number.POSITIVE_INFINITY
    const room = this.#leaving(allLanes, this.#limit, now) + minute + margin + 1 - now
    if (lane === 'command') return Math.max(0, room)
    const shared = this.#leaving(sharingLanes, this.#share, now) + minute + margin + 1 - now
    const spread = this.#evenly[lane] - this.#mayPrecede(lane, now) - now
    if (lane === 'urgent') return Math.max(0, room, shared, spread)
    const reserve = this.#leaving(allLanes, this.#share, now) + minute + margin + 1 - now
    const assured = this.#assured - minute + this.#assuredSpacing - now
    return Math.max(0, room, shared, spread, Math.min(reserve, assured))
  }

  /** Counts the start of an attempt. */
  start(lane: Lane, now: number): void {
    this.#running[lane] += 1
    this.#evenly[lane] = Math.max(this.#evenly[lane], now) + this.#spacing[lane]
    if (lane === 'poll')
      this.#assured = Math.min(Math.max(this.#assured, now) + this.#assuredSpacing, now + minute)
  }

  /** Counts the end of a started attempt. */
  end(lane: Lane, now: number): void {
    this.#running[lane] -= 1
    this.#ends[lane].push(now)
  }

  /**
   * Counts attempts of an earlier process.
   * @param ages milliseconds since the end of each attempt
   */
  recall(ages: readonly number[], now: number): void {
    const ends = ages.map((age) => now - age).sort((a, b) => a - b)
    this.#ends.poll.unshift(...ends)
  }

  /** Returns the milliseconds by which attempts may start before they would be due if all were evenly spaced. */
  #mayPrecede(lane: Lane, now: number): number {
    if (lane === 'urgent') return (this.#urgentBurst - 1) * this.#spacing.urgent
    return (Math.max(0, this.#share - this.used(now, sharingLanes)) / 4) * this.#spacing[lane]
  }

  /** Returns the end that must leave the window before these lanes use less than `limit`. */
  #leaving(lanes: readonly Lane[], limit: number, now: number): number {
    const excess = this.used(now, lanes) - limit
    if (excess < 0) return Number.NEGATIVE_INFINITY
    // Each list is in order, so they are merged only as far as needed.
    const places: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }
    for (let left = excess; ; left -= 1) {
      let oldest = Number.POSITIVE_INFINITY
      let from: Lane | undefined
      for (const lane of lanes) {
        const end = this.#ends[lane][places[lane]] ?? Number.POSITIVE_INFINITY
        if (end < oldest) [oldest, from] = [end, lane]
      }
      if (left === 0 || from === undefined) return oldest
      places[from] += 1
    }
  }
}

/** The attempts of this process that run, for the end of their store. */
export class RunningAttempts {
  /** True after the call of `over`: no attempt may begin. */
  isOver = false
  #count = 0
  #settle: (() => void) | undefined

  /** Notes that an attempt begins; call the returned function once at its end. */
  begin(): () => void {
    this.#count += 1
    return () => {
      this.#count -= 1
      if (this.#count === 0) this.#settle?.()
    }
  }

  /** Ends the use; resolves when no attempt runs. */
  over(): Promise<void> {
    this.isOver = true
    return new Promise((resolve) => {
      this.#settle = resolve
      if (this.#count === 0) resolve()
    })
  }
}

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
    return paceFactorOf(this.#lead - (now - (this.#at ?? now)))
  }
}
