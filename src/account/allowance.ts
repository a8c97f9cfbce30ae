/** Who asks: a person or a command that waits for the answer, or a poll that can wait its turn. */
export type Lane = 'urgent' | 'poll'

const minute = 60_000

/** Timers and clocks round; a window counted a little too long is on the safe side. */
const margin = 5

/**
 * How many HTTP attempts may still be made: never more than `limit` in any sliding minute, polls evenly spread.
 *
 * An attempt leaves the window a minute after its *end*, because the service counts arrivals and all we know is
 * that the arrival lies between start and end. So the cap holds at the service too, whatever the latency. A tenth
 * is kept for the urgent lane; polls may burst to a quarter of the rest (a start needs that) and are then spaced so
 * that burst and spacing together stay within the cap. Times are milliseconds of the monotonic clock, passed in.
 */
export class Allowance {
  #limit: number
  /** Ends of finished attempts, oldest first. */
  readonly #ends: number[] = []
  #running = 0
  /** When the polls made so far would have been made had they been evenly spaced. */
  #evenly = Number.NEGATIVE_INFINITY

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Attempts in any sliding minute; a change holds for what starts from now on. */
  get limit(): number {
    return this.#limit
  }

  set limit(limit: number) {
    this.#limit = limit
  }

  get #pollLimit(): number {
    return this.#limit > 1 ? this.#limit - Math.max(1, Math.floor(this.#limit / 10)) : this.#limit
  }

  get #burst(): number {
    return Math.max(1, Math.floor(this.#pollLimit / 4))
  }

  get #spacing(): number {
    return minute / Math.max(1, this.#pollLimit - this.#burst)
  }

  /** Attempts that count in the minute before `now`, running ones included. */
  used(now: number): number {
    while ((this.#ends[0] ?? now) < now - minute - margin) this.#ends.shift()
    return this.#ends.length + this.#running
  }

  /** Milliseconds until an attempt may start; Infinity when that depends on the end of a running one. */
  wait(lane: Lane, now: number): number {
    const limit = lane === 'urgent' ? this.#limit : this.#pollLimit
    const excess = this.used(now) - limit
    const spread = lane === 'urgent' ? 0 : this.#evenly - (this.#burst - 1) * this.#spacing - now
    if (excess < 0) return Math.max(0, spread)
    const leaves = this.#ends[excess]
    return leaves === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(leaves + minute + margin + 1 - now, spread)
  }

  /** Takes one attempt. */
  start(lane: Lane, now: number): void {
    this.#running += 1
    if (lane === 'poll') this.#evenly = Math.max(this.#evenly, now) + this.#spacing
  }

  /** Ends an attempt that was started. */
  end(now: number): void {
    this.#running -= 1
    this.#ends.push(now)
  }

  /** Counts attempts of an earlier process, by how many milliseconds ago they ended. */
  recall(ages: readonly number[], now: number): void {
    const ends = ages.map((age) => now - age).sort((a, b) => a - b)
    this.#ends.unshift(...ends)
  }
}
