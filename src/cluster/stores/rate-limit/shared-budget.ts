import { randomUUID } from 'node:crypto'
import { minute, second } from '../../../duration.ts'
import { membershipTimes } from '../../membership/membership.ts'
import type { Argument } from '../../redis/connection.ts'
import type { Reply, Script, UserParts } from '../../redis/scripts.ts'

/** Milliseconds by which attempts are limited. */
export interface RateLimitTimes {
  window: number
  /** Added to the window for steps of the server's clock, and rounding. */
  margin: number
  /** An attempt without an end counts as ended this long after its timeout: its process was killed. */
  overdue: number
  /** An attempt that was asked for this long ago is not sent any more; shorter than `overdue`. */
  fresh: number
}

/** The times of the product. */
export const rateLimitTimes: RateLimitTimes = {
  window: minute,
  margin: second,
  overdue: 10 * second,
  // As long as the session is valid: a slow server is no reason not to send.
  fresh: membershipTimes.validity,
}

/** The backoff as the server tells it: milliseconds since its begin, until its end and until the end of what was requested. */
export type ToldBackoff = readonly [
  since: number,
  until: number,
  requested: number,
  code: string,
  status: string,
  by: string | undefined,
]

/** The attempts that all instances together may make in a minute and have made, as the server tells it. */
export class SharedBudget {
  /** Milliseconds for which an attempt counts after its end. */
  readonly counts: number
  /** The keys of the logs of attempts: of commands, and of the other lanes. */
  readonly logKeys: readonly string[]
  readonly #keys: readonly string[]
  readonly #parts: UserParts
  readonly #times: RateLimitTimes
  readonly #onBackoff: (told: ToldBackoff) => void
  readonly #id = randomUUID()
  #ids = 0
  #cap = 1
  /** The time when the last config node left; undefined while there are some. */
  #endedAt: number | undefined
  /** True when the server does not have the cap of this instance any more. */
  #isWithdrawn = false
  /**
   * The attempts of all instances in the last minute, and since midnight in UTC, as far as known; the limit is undefined if the
   * server does not know the cap yet.
   */
  figures: { limit?: number | undefined; used: number; usedToday: number } = { used: 0, usedToday: 0 }

  /** @param onBackoff gets the backoff of each answer */
  constructor(parts: UserParts, times: RateLimitTimes, onBackoff: (told: ToldBackoff) => void) {
    this.#parts = parts
    this.#times = times
    this.#onBackoff = onBackoff
    const key = (part: string) => userKey(parts, part)
    this.counts = times.window + times.margin
    this.logKeys = ['commands', 'others'].map(key)
    const own = [...['caps', 'state', 'guards'].map(key), ...this.logKeys]
    this.#keys = ['server', 'members', ...own, 'changed']
  }

  /** Returns a new id of this instance, of an attempt or of a backoff. */
  nextId(): string {
    this.#ids += 1
    return `${this.#id}.${this.#ids}`
  }

  /** Sets the cap of this instance. Returns false if the server has it already. */
  setCap(cap: number): boolean {
    const isNew = cap !== this.#cap || this.#endedAt !== undefined
    this.#endedAt = undefined
    this.#isWithdrawn = false
    if (!isNew) return false
    this.#cap = cap
    this.figures = { ...this.figures, limit: undefined }
    return true
  }

  /** Notes that no account of this instance sets the cap any more. */
  endCap(): void {
    this.#endedAt ??= this.#parts.clock.monotonic()
  }

  /** True if the next script would take the cap of this instance back: its last requests do not count any more. */
  get isCapDue(): boolean {
    return this.#isOverdue && !this.#isWithdrawn
  }

  /** The limit of all instances together, as far as known. */
  get limit(): number {
    return Math.min(this.#cap, this.figures.limit ?? this.#cap)
  }

  /**
   * Runs a script that tells limit, use and backoff, and notes them.
   * @throws KeyholderError
   */
  async ask(
    script: Script,
    args: readonly Argument[],
    through = this.#parts.scripts,
  ): Promise<Reply<string>[]> {
    const { membership, user } = this.#parts
    const { window, margin } = this.#times
    const isWithdrawn = this.#isOverdue
    const cap = isWithdrawn ? -this.#cap : this.#cap
    const all = [membership.session, cap, window, margin, user, ...args]
    const answer = await through.run(script, this.#keys, all)
    this.#isWithdrawn = isWithdrawn && this.#endedAt !== undefined
    const [, , limit, used, usedToday, ...backoff] = answer as [
      ...[string, number, number, number, number],
      ...ToldBackoff,
    ]
    this.figures = { limit, used, usedToday }
    this.#onBackoff(backoff)
    return answer
  }

  get #isOverdue(): boolean {
    return this.#endedAt !== undefined && this.#parts.clock.monotonic() - this.#endedAt > this.counts
  }
}

/** Returns the key of a part of what the server has of a service user. */
export function userKey({ user }: UserParts, part: string): string {
  return `user:${user}:${part}`
}
