import type { AttemptLog } from '../account/service-user/rate-limit/attempt-log.ts'
import type { UserStores } from '../account/service-user/user-stores.ts'
import { minute, second } from '../duration.ts'
import { noteUsers } from './lua/unused.lua.ts'
import type { Membership } from './membership/membership.ts'
import { type Scripts, type StoreParts, script, usersKey } from './redis/scripts.ts'
import { SharedAnswers } from './stores/answers.ts'
import type { RateLimitTimes } from './stores/rate-limit/rate-limit-times.ts'
import { SharedRateLimits } from './stores/rate-limit/rate-limits.ts'
import { SharedRejections } from './stores/rejections.ts'
import { SharedTokens } from './stores/tokens.ts'

const note = script(noteUsers)

/** Milliseconds after which a cluster that has not told its users again is taken for one that is gone. */
const maxNoteAge = 3 * minute

/** The stores of a user, with what only a cluster has. */
export type SharedUserStores = UserStores & { rateLimits: SharedRateLimits; rejections: SharedRejections }

/** The dependencies of the users of a cluster. */
export interface ClusterUsersOptions extends StoreParts {
  membership: Membership
  clusterName: string
  /** The name of this instance. */
  instance: string
  times?: RateLimitTimes | undefined
  /** Returns the generation of the server's data; undefined before the first handshake. */
  generation(): string | undefined
  /** Called if the server has forgotten the handshake. */
  onForgotten(): void
}

/** The state about the users at the service that the instances of a cluster share. */
export class ClusterUsers {
  readonly #options: ClusterUsersOptions
  readonly #users = new Map<string, SharedUserStores>()

  constructor(options: ClusterUsersOptions) {
    this.#options = options
  }

  /** Returns the stores of a user; the same object for each call, until it is closed. */
  stores(user: string, attemptLog?: AttemptLog): SharedUserStores {
    const known = this.#users.get(user)
    if (known !== undefined && !known.rateLimits.isOver) return known
    const { membership, times, ...shared } = this.#options
    const options = { ...shared, user, session: () => membership.session }
    const rejections = new SharedRejections(options)
    const made = {
      rateLimits: new SharedRateLimits({
        ...options,
        attemptLog,
        ...(times === undefined ? {} : { times }),
      }),
      rejections,
      tokens: new SharedTokens({ ...options, lockOf: (hash) => rejections.lockOf(hash) }),
      answers: new SharedAnswers(options),
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
    const { scripts, clusterName } = this.#options
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
