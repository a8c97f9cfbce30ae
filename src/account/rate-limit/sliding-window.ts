/** Who asks: a person or a command that waits for the answer, or a poll that can wait its turn. */
export type Lane = 'urgent' | 'poll'

const minute = 60_000

/** Timers and clocks round; a window counted a little too long is on the safe side. */
const margin = 5

/**
 * How many HTTP attempts may still be made: never more than `limit` in any sliding minute, evenly spread.
 *
 * An attempt leaves the window a minute after its *end*, because the service counts arrivals and all we know is that
 * the arrival lies between start and end. So the cap holds at the service too, whatever the latency. A tenth is kept
 * for each lane, so that neither polls nor somebody who asks without end starves the other. Each lane may burst (a
 * start needs that) and is then spaced so that burst and spacing together stay within its share.
 * Times are milliseconds of the monotonic clock, passed in.
 */
export class Allowance {
  /** Attempts in any sliding minute; a change holds for what starts from now on. */
  limit: number
  /** After a hold: nothing starts beside an attempt that is under way, until one of them was answered well. */
  isProbing = false
  /** Ends of finished attempts, oldest first. */
  readonly #ends: Record<Lane, number[]> = { urgent: [], poll: [] }
  readonly #running: Record<Lane, number> = { urgent: 0, poll: 0 }
  /** When the attempts made so far would have been made had they been evenly spaced. */
  readonly #evenly: Record<Lane, number> = {
    urgent: Number.NEGATIVE_INFINITY,
    poll: Number.NEGATIVE_INFINITY,
  }

  constructor(limit: number) {
    this.limit = limit
  }

  /** Attempts that count in the minute before `now`, running ones included. */
  used(now: number): number {
    return this.#usedBy('urgent', now) + this.#usedBy('poll', now)
  }

  /** Milliseconds until an attempt may start; Infinity when that depends on the end of a running one. */
  wait(lane: Lane, now: number): number {
    if (this.isProbing && this.#running.urgent + this.#running.poll > 0) return Number.POSITIVE_INFINITY
    const used = { own: this.#usedBy(lane, now), all: this.used(now) }
    const { urgent, poll } = this.#ends
    const leaves = Math.max(
      leaving([this.#ends[lane]], used.own - this.#share),
      leaving([urgent, poll], used.all - this.limit),
    )
    const room = leaves + minute + margin + 1
    const burst = this.#burst(lane)
    const spread = this.#evenly[lane] - (burst - 1) * this.#spacing(burst)
    return Math.max(0, room - now, spread - now)
  }

  /** Takes one attempt. */
  start(lane: Lane, now: number): void {
    this.#running[lane] += 1
    this.#evenly[lane] = Math.max(this.#evenly[lane], now) + this.#spacing(this.#burst(lane))
  }

  /** Ends an attempt that was started. */
  end(lane: Lane, now: number): void {
    this.#running[lane] -= 1
    this.#ends[lane].push(now)
  }

  /** Counts attempts of an earlier process, by how many milliseconds ago they ended. */
  recall(ages: readonly number[], now: number): void {
    const ends = ages.map((age) => now - age).sort((a, b) => a - b)
    this.#ends.poll.unshift(...ends)
  }

  /** What one lane may use of the limit. */
  get #share(): number {
    return this.limit > 1 ? this.limit - Math.max(1, Math.floor(this.limit / 10)) : this.limit
  }

  /** How many may leave at once after a pause: half of the share for whoever waits, a quarter for polls. */
  #burst(lane: Lane): number {
    return Math.max(1, Math.floor(this.#share / (lane === 'urgent' ? 2 : 4)))
  }

  /** Milliseconds between two attempts once the burst is used up. */
  #spacing(burst: number): number {
    return minute / Math.max(1, this.#share - burst)
  }

  #usedBy(lane: Lane, now: number): number {
    const ends = this.#ends[lane]
    while ((ends[0] ?? now) < now - minute - margin) ends.shift()
    return ends.length + this.#running[lane]
  }
}

/** The end that must leave the window so that there is room again, where `excess` is how far beyond the limit it is. */
function leaving(ends: readonly (readonly number[])[], excess: number): number {
  if (excess < 0) return Number.NEGATIVE_INFINITY
  return ends.flat().sort((a, b) => a - b)[excess] ?? Number.POSITIVE_INFINITY
}
