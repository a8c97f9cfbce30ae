import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { hour, minute } from '../duration.ts'
import { KeyholderError } from '../service/error.ts'
import { labelOf } from '../settings.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import { RequestCoalescer } from './requests/request-coalescer.ts'
import { RequestHistory, type RequestLog, RequestStats } from './requests/request-history.ts'
import type { AttemptLog } from './service-user/rate-limit/attempt-log.ts'
import { ServiceUser } from './service-user/service-user.ts'
import type { OpenUserStores, UserStores } from './service-user/user-stores.ts'
import { ServiceVersion } from './service-version.ts'
import { Session } from './session/session.ts'

/**
 * The parts that the accounts of one sign-in share, independent of single config nodes.
 *
 * All config nodes with the same address, version, API, user and password share it, and no others: an answer of another
 * address must not end a session or reject its secrets.
 */
export interface SignInState {
  readonly serviceUser: ServiceUser
  readonly session: Session
  readonly version: ServiceVersion
  readonly coalescer: RequestCoalescer
  readonly stats: RequestStats
  /** The latest HTTP attempts, for diagnostics. */
  readonly history: RequestHistory
}

/** Milliseconds for which a sign-in without a config node is kept; a redeploy takes only a moment. */
const maxIdle = 10 * minute

/** The same for a service user; it counts the sign-ins of the last hour. */
const maxIdleUser = hour

/** The dependencies that the process passes to an account. */
export interface Dependencies {
  clock: Clock
  /** Folder for files that must survive a restart. */
  folder: string
  /** Returns a number from 0 up to 1. */
  random(): number
  /** Has what several processes share; without it, files in `folder` have it for the next process. */
  cluster?: { userStores(user: string, attemptLog: AttemptLog): UserStores }
  /** The log of the requests; without it nothing is logged. */
  log?: RequestLog
}

/** A service user, and the cluster that has its stores; undefined if they are files. */
interface KnownUser {
  readonly serviceUser: ServiceUser
  readonly cluster: object | undefined
}

/** The state that all accounts of a process share. */
export class AccountRegistry {
  readonly #clock: Clock
  readonly #serviceUsers = new Map<string, KnownUser>()
  readonly #signInStates = new Map<string, SignInState>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the sign-in state for these settings.
   * @param owner the user of the state, until `removeOwner`
   * @param openStores called if this process has not met the user at the service yet, or only with other stores
   * @param cluster the cluster that has the stores; undefined if they are files
   * @throws KeyholderError BAD_SETTING if the deployed accounts of one user would have different stores
   */
  acquire(
    settings: AccountSettings,
    owner: object,
    openStores: OpenUserStores,
    mode: AccountMode = 'deployed',
    cluster?: object,
  ): SignInState {
    const { url, apiVersion, api, email, password, requestsPerMinute, requestsPerDay } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const serviceUser = this.#serviceUser(user, openStores, mode, cluster)
    serviceUser.addOwner(owner, requestsPerMinute, mode, requestsPerDay)
    const key = digest(user, url, apiVersion, api, password)
    const signInState = this.#signInStates.get(key) ?? createSignInState(settings, serviceUser, this.#clock)
    this.#signInStates.set(key, signInState)
    // A recording ends with the account: a redeploy takes less time.
    if (signInState.session.idleTime > maxIdle) signInState.history.traces.clear()
    signInState.session.addOwner(owner, mode)
    this.#forget()
    return signInState
  }

  /**
   * Removes an owner. Tokens and the count of attempts stay for the next owner, for example after a redeploy.
   * Resolves when the process may end; never rejects.
   */
  async release(owner: object): Promise<void> {
    for (const { session, stats } of this.#signInStates.values())
      if (session.removeOwner(owner)) stats.reset()
    const users = [...this.#serviceUsers.values()]
    await Promise.all(users.map(({ serviceUser }) => serviceUser.removeOwner(owner)))
  }

  /** Returns the service user with these stores; a trial shares those of the deployed accounts, whatever they are. */
  #serviceUser(
    user: string,
    openStores: OpenUserStores,
    mode: AccountMode,
    cluster: object | undefined,
  ): ServiceUser {
    const known = this.#serviceUsers.get(user)
    const isDeployed = known !== undefined && known.serviceUser.configNodes > 0
    if (known !== undefined && (known.cluster === cluster || (isDeployed && mode === 'trial'))) {
      return known.serviceUser
    }
    if (isDeployed) throw differentStores()
    const before = known?.serviceUser
    const serviceUser = new ServiceUser(openStores(user), this.#clock, before)
    // The sign-ins of a user that has moved into a cluster, or out of it, end.
    for (const [key, state] of this.#signInStates) {
      if (state.serviceUser === before) this.#signInStates.delete(key)
    }
    this.#serviceUsers.set(user, { serviceUser, cluster })
    return serviceUser
  }

  /**
   * Drops sign-ins that had no owner for a while, so that their tokens do not stay in memory, and later their
   * service users: a check creates one for each host and e-mail that is typed.
   */
  #forget(): void {
    for (const [key, { session }] of this.#signInStates)
      if (session.idleTime > maxIdle) this.#signInStates.delete(key)
    for (const [user, { serviceUser }] of this.#serviceUsers)
      if (serviceUser.idleTime > maxIdleUser) this.#serviceUsers.delete(user)
  }
}

function createSignInState(settings: AccountSettings, serviceUser: ServiceUser, clock: Clock): SignInState {
  return {
    serviceUser,
    session: new Session(settings, serviceUser, clock),
    version: new ServiceVersion(clock),
    coalescer: new RequestCoalescer(clock),
    stats: new RequestStats(clock),
    history: new RequestHistory(),
  }
}

function differentStores(): KeyholderError {
  return new KeyholderError(
    'BAD_SETTING',
    `${labelOf('cluster')}: another alarm account node has the same e-mail at the same service, but not the same cluster. Select the same one in both, or none.`,
    {},
    { text: 'finding.differentClusters' },
  )
}

/** Returns a short hash, for texts that must not be readable. */
export function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
