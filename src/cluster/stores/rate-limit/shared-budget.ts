import type { Clock } from '../../../clock.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import type { Argument } from '../../redis/connection.ts'
import { away } from '../../redis/redis-error.ts'
import { type Reply, type Script, type Scripts, script } from '../../redis/scripts.ts'
import type { RateLimitTimes } from './rate-limit-times.ts'

const refresh = script(lua.refresh)

/** The backoff as the server tells it: milliseconds since its begin, until its end and until the end of what was requested. */
export type ToldBackoff = readonly [
  since: number,
  until: number,
  requested: number,
  code: string,
  status: string,
  by: string | undefined,
]

/** The dependencies of the budget of a service user. */
export interface BudgetOptions {
  scripts: Scripts
  clock: Clock
  /** A short hash of host and e-mail. */
  user: string
  /** Returns the number of the session of this instance. */
  session(): number
  /** Called if the server has forgotten the handshake. */
  onForgotten(): void
}

/** The attempts that all instances together may make in a minute and have made, as the server tells it. */
export class SharedBudget {
  /** The keys of the logs of attempts: of commands, and of the other lanes. */
  readonly logKeys: readonly string[]
  readonly #keys: readonly string[]
  readonly #options: BudgetOptions
  readonly #times: RateLimitTimes
  readonly #onBackoff: (told: ToldBackoff) => void
  #cap = 1
  /** The time when the last config node left; undefined while there are some. */
  #endedAt: number | undefined
  /** True when the server does not have the cap of this instance any more. */
  #isWithdrawn = false
  /** The latest answer of the server; the limit is undefined if it does not know the cap yet. */
  #told: { limit?: number | undefined; used: number; usedToday: number } = { used: 0, usedToday: 0 }

  /** @param onBackoff gets the backoff of each answer */
  constructor(options: BudgetOptions, times: RateLimitTimes, onBackoff: (told: ToldBackoff) => void) {
    this.#options = options
    this.#times = times
    this.#onBackoff = onBackoff
    const key = (part: string) => userKey(options.user, part)
    this.logKeys = ['commands', 'others'].map(key)
    const own = [...['caps', 'state', 'guards'].map(key), ...this.logKeys]
    this.#keys = ['server', 'members', ...own, 'changed']
  }

  /** Sets the cap of this instance. Returns false if the server has it already. */
  setCap(cap: number): boolean {
    const isNew = cap !== this.#cap || this.#endedAt !== undefined
    this.#endedAt = undefined
    this.#isWithdrawn = false
    if (!isNew) return false
    this.#cap = cap
    this.#told = { ...this.#told, limit: undefined }
    return true
  }

  /** Notes that no account of this instance sets the cap any more. */
  endCap(): void {
    this.#endedAt ??= this.#now
  }

  /** True if the next script would take the cap of this instance back: its last requests do not count any more. */
  get isCapDue(): boolean {
    return this.#isOverdue && !this.#isWithdrawn
  }

  /** The limit of all instances together, as far as known. */
  get limit(): number {
    return Math.min(this.#cap, this.#told.limit ?? this.#cap)
  }

  /** The attempts of all instances in the last minute, and since midnight in UTC, as far as known. */
  get figures(): { readonly used: number; readonly usedToday: number } {
    return this.#told
  }

  /**
   * Asks for limit, use and backoff.
   * @throws KeyholderError
   */
  async refresh(): Promise<void> {
    await this.ask(refresh, [])
  }

  /**
   * Runs a script that tells limit, use and backoff, and notes them.
   * @throws KeyholderError
   */
  async ask(script: Script, args: readonly Argument[], through?: Scripts): Promise<Reply<string>[]> {
    const { scripts, session, user, onForgotten } = this.#options
    const { window, margin } = this.#times
    const isWithdrawn = this.#isOverdue
    const cap = isWithdrawn ? -this.#cap : this.#cap
    const all = [session(), cap, window, margin, user, ...args]
    const answer = await (through ?? scripts).run(script, this.#keys, all)
    this.#isWithdrawn = isWithdrawn && this.#endedAt !== undefined
    if (answer[0] === 'forgotten') {
      onForgotten()
      throw away('the server has lost its data')
    }
    const [, , limit, used, usedToday, ...backoff] = answer as [
      ...[string, number, number, number, number],
      ...ToldBackoff,
    ]
    this.#told = { limit, used, usedToday }
    this.#onBackoff(backoff)
    return answer
  }

  get #isOverdue(): boolean {
    const { window, margin } = this.#times
    return this.#endedAt !== undefined && this.#now - this.#endedAt > window + margin
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }
}

/** Returns the key of a part of what the server has of a service user. */
export function userKey(user: string, part: string): string {
  return `user:${user}:${part}`
}
