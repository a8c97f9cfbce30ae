import type { AttemptLog } from '../account/service-user/rate-limit/attempt-log.ts'
import type { UserStores } from '../account/service-user/user-stores.ts'
import { minute, second } from '../duration.ts'
import { noteUsers } from './lua/unused.lua.ts'
import { type Scripts, type StoreParts, script, usersKey } from './redis/scripts.ts'
import { SharedAnswers } from './stores/answers.ts'
import { SharedRateLimits } from './stores/rate-limit/rate-limits.ts'
import type { RateLimitTimes } from './stores/rate-limit/shared-budget.ts'
import { SharedRejections } from './stores/rejections.ts'
import { SharedTokens } from './stores/tokens.ts'

const note = script(noteUsers)

/** Milliseconds after which a cluster that has not told its users again is taken for one that is gone. */
const maxNoteAge = 3 * minute

/** The stores of a user, with what only a cluster has. */
export type SharedUserStores = UserStores & { rateLimits: SharedRateLimits; rejections: SharedRejections }

/** The state about the users at the service that the instances of a cluster share. */
export class ClusterUsers {
  readonly #parts: StoreParts
  readonly #times: RateLimitTimes | undefined
  readonly #users = new Map<string, SharedUserStores>()

  constructor(parts: StoreParts, times: RateLimitTimes | undefined) {
    this.#parts = parts
    this.#times = times
  }

  /** Returns the stores of a user; the same object for each call, until it is closed. */
  stores(user: string, attemptLog?: AttemptLog): SharedUserStores {
    const known = this.#users.get(user)
    if (known !== undefined && !known.rateLimits.isOver) return known
    const parts = { ...this.#parts, user }
    const rejections = new SharedRejections(parts)
    const made = {
      rateLimits: new SharedRateLimits(parts, this.#times, attemptLog),
      rejections,
      tokens: new SharedTokens(parts, rejections),
      answers: new SharedAnswers(parts),
    }
    this.#users.set(user, made)
    return made
  }

  /**
   * Follows a heartbeat.
   * @param changed the users whose backoff has changed
   */
  noteHeartbeat(changed: readonly string[]): void {
    for (const { rejections } of this.#users.values()) void rejections.unlockLeft()
    for (const user of changed) this.#users.get(user)?.rateLimits.refresh()
    for (const one of this.#rateLimits) if (one.isLimitDue) one.refresh()
  }

  /**
   * Returns the names of the other clusters on the server that have a user of this one, and tells them about this one.
   * @throws KeyholderError
   */
  async findOtherClusters(): Promise<string[]> {
    const { scripts, clusterName } = this.#parts
    const used = [...this.#users].filter(([, { rateLimits }]) => !rateLimits.isOver).map(([user]) => user)
    if (used.length === 0) return []
    const [names] = await scripts.run(note, [], [usersKey, maxNoteAge / second, clusterName, ...used])
    return [...new Set(names as string[])].sort()
  }

  /** Asks for all limits again, because the instances have changed. */
  refresh(): void {
    for (const one of this.#rateLimits) one.refresh()
  }

  /** Lets all who wait for room ask at once, because the connection is lost. */
  noteLoss(): void {
    for (const one of this.#rateLimits) one.noteLoss()
  }

  /**
   * Puts back what this instance did or knows, on a server right after the handshake.
   * @param hasLost true if the server has other data than before
   * @throws KeyholderError
   */
  async restore(through: Scripts, hasLost: boolean): Promise<void> {
    for (const { rateLimits, rejections } of this.#users.values()) {
      await rateLimits.restore(through)
      await rejections.restore(through, hasLost)
    }
  }

  get #rateLimits(): SharedRateLimits[] {
    return [...this.#users.values()].map(({ rateLimits }) => rateLimits)
  }
}
