import type { UserFiles, UserStores } from '../account/service-user/user-stores.ts'
import type { Clock } from '../clock.ts'
import type { Membership } from './membership/membership.ts'
import type { Reserve } from './membership/reserve.ts'
import type { Scripts } from './redis/scripts.ts'
import type { SharedClock } from './redis/shared-clock.ts'
import { SharedAnswers } from './stores/answers.ts'
import type { RateLimitTimes } from './stores/rate-limit/rate-limit-times.ts'
import { SharedRateLimits } from './stores/rate-limit/rate-limits.ts'
import { SharedRejections } from './stores/rejections.ts'
import { SharedTokens } from './stores/tokens.ts'

/** The stores of a user, with what only a cluster has. */
export type SharedUserStores = UserStores & { rateLimits: SharedRateLimits; rejections: SharedRejections }

/** The dependencies of the users of a cluster. */
export interface ClusterUsersOptions {
  clock: Clock
  sharedClock: SharedClock
  scripts: Scripts
  membership: Membership
  reserve: Reserve
  clusterName: string
  times?: RateLimitTimes | undefined
  /** Returns true while this instance is cut off and goes on alone. */
  isAlone(): boolean
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

  /** Returns the stores of a user; the same object for each call, until it is handed over. */
  stores(user: string, files?: UserFiles): SharedUserStores {
    const known = this.#users.get(user)
    if (known !== undefined && !known.rateLimits.isOver) return known
    const { membership, times, ...shared } = this.#options
    const options = { ...shared, user, session: () => membership.session }
    const rejections = new SharedRejections({
      ...options,
      former: files?.rejections,
      copy: files?.sharedRejections,
    })
    const made = {
      rateLimits: new SharedRateLimits({
        ...options,
        attemptLog: files?.attemptLog,
        reserveLog: files?.reserveLog,
        ...(times === undefined ? {} : { times }),
      }),
      rejections,
      tokens: new SharedTokens({ ...options, lockOf: (hash) => rejections.lockOf(hash) }),
      answers: new SharedAnswers(options),
    }
    this.#users.set(user, made)
    return made
  }

  /** Milliseconds for which what was sent of the reserve still counts. */
  get reserveCounts(): number {
    return Math.max(0, ...this.#rateLimits.map(({ reserveCounts }) => reserveCounts))
  }

  /** The limit of all reserves together, except those of dead instances: half of the cap is left for the common work. */
  get mostReserves(): number {
    const caps = this.#rateLimits.map(({ cap }) => cap)
    return caps.length === 0 ? 0 : Math.floor(Math.min(...caps) / 2)
  }

  /**
   * Follows a heartbeat.
   * @param changed the users whose backoff has changed
   */
  noteHeartbeat(changed: readonly string[]): void {
    for (const { rejections } of this.#users.values()) void rejections.unlockLeft()
    for (const user of changed) this.#users.get(user)?.rateLimits.refresh()
    const { left } = this.#options.reserve
    for (const one of this.#rateLimits) if ((left > 0 && !one.isCovered) || one.isLimitDue) one.refresh()
  }

  /** Asks for all limits again, because the instances or their reserves have changed. */
  refresh(): void {
    for (const one of this.#rateLimits) one.refresh()
  }

  /** Lets all who wait for room ask at once, because the connection is lost or this instance goes on alone. */
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
