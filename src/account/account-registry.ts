import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { hour, minute } from '../duration.ts'
import { KeyholderError } from '../service/error.ts'
import type { AccountPanel } from '../service/responses/panels.ts'
import type { SignInAnswer } from '../service/responses/sessions.ts'
import { labels } from '../settings.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import type { Answer } from './answer.ts'
import { RequestCoalescer } from './requests/request-coalescer.ts'
import { RequestHistory } from './requests/request-history.ts'
import type { RequestLog } from './requests/request-log.ts'
import { RequestStats } from './requests/request-stats.ts'
import { TokenHolder } from './service-user/auth/token-holder.ts'
import { ServiceUser } from './service-user/service-user.ts'
import type { OpenUserStores, UserFiles, UserStores } from './service-user/user-stores.ts'
import type { SessionDoubt } from './session/session-doubt.ts'
import { SignInPath } from './session/sign-in-path.ts'
import { UnopenedReads } from './session/unopened-reads.ts'
import { VersionDoubt } from './version/version-doubt.ts'

/**
 * The state of a sign-in, independent of single config nodes: tokens, negotiated version, requests in flight.
 *
 * It outlives a redeploy within the process, so a redeploy needs no new sign-in. All config nodes with the
 * same address, version, API, user and password share it, and no others: an answer of another address must not
 * end a session or reject its secrets. Tokens are stored here, in memory only.
 */
export interface SignInState {
  readonly serviceUser: ServiceUser
  readonly coalescer: RequestCoalescer
  userToken: TokenHolder
  readonly stats: RequestStats
  /** The latest HTTP attempts, for diagnostics. */
  readonly history: RequestHistory
  /** The answer to the latest sign-in and its time. */
  signedIn: Answer<SignInAnswer> | undefined
  /** The appId of the latest sign-in; every panel must be opened with it, by any config node (4.2.2). */
  appId: string
  /** The latest list of the account's panels. */
  panels: readonly AccountPanel[] | undefined
  /** The serials in that list. */
  serials: ReadonlySet<string>
  /** The possible lengths of the user codes, by serial, as far as the panels have told them. */
  readonly codeLengths: Map<string, readonly number[]>
  /** The types in that list, one for each panel; undefined until it was read. */
  panelTypes: readonly string[] | undefined
  /** Token holders of the panel sessions, by serial and user code. */
  readonly panelTokens: Map<string, TokenHolder>
  /** The refusals of the panel sessions, by serial and user code. */
  readonly sessionDoubts: Map<string, SessionDoubt>
  readonly unopenedReads: UnopenedReads
  readonly signInPath: SignInPath
  /** The negotiated version. */
  version: Promise<string> | undefined
  /** The result of the latest negotiation, for display. */
  agreedVersion: string | undefined
  /** The time of the latest version request (milliseconds of the monotonic clock). */
  versionAskedAt: number
  readonly versionDoubt: VersionDoubt
  readonly owners: Set<object>
  /** The time when the last owner left (milliseconds of the monotonic clock). */
  leftAt: number
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
  cluster?: { userStores(user: string, files: UserFiles): UserStores }
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
    const { url, apiVersion, api, email, password, requestsPerMinute } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const serviceUser = this.#serviceUser(user, openStores, mode, cluster)
    serviceUser.addOwner(owner, requestsPerMinute, mode)
    const key = digest(user, url, apiVersion, api, password)
    const signInState = this.#signInStates.get(key) ?? createSignInState(settings, serviceUser, this.#clock)
    this.#signInStates.set(key, signInState)
    // The rejection may be forgotten meanwhile.
    if (signInState.owners.size === 0 && signInState.userToken.rejection !== undefined) {
      signInState.userToken = createUserTokenHolder(settings, serviceUser, this.#clock)
    }
    signInState.owners.add(owner)
    if (mode === 'deployed') signInState.userToken.use()
    this.#forget()
    return signInState
  }

  /**
   * Removes an owner. Tokens and the count of attempts stay for the next owner, for example after a redeploy.
   */
  release(owner: object): void {
    for (const signInState of this.#signInStates.values()) {
      if (!signInState.owners.delete(owner) || signInState.owners.size > 0) continue
      signInState.leftAt = this.#clock.monotonic()
      signInState.stats.reset()
      // For the same reason as the user token in `acquire`.
      for (const [name, panel] of signInState.panelTokens)
        if (panel.rejection !== undefined) signInState.panelTokens.delete(name)
    }
    for (const { serviceUser } of this.#serviceUsers.values()) serviceUser.removeOwner(owner)
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
    for (const [key, { owners, leftAt }] of this.#signInStates) {
      if (owners.size === 0 && this.#clock.monotonic() - leftAt > maxIdle) this.#signInStates.delete(key)
    }
    for (const [user, { serviceUser }] of this.#serviceUsers)
      if (serviceUser.idleTime > maxIdleUser) this.#serviceUsers.delete(user)
  }
}

/** Returns true for tokens and secrets of this sign-in: never show them, even if the service sends them. */
export function isSecret({ userToken, panelTokens }: SignInState, word: string): boolean {
  return [userToken, ...panelTokens.values()].some((session) => session.isSecret(word))
}

/**
 * Returns the values that the service rejects or accepts together.
 * @param panel serial and user code, if they belong to them
 */
export function secretsOf(
  { url, apiVersion, api, email, password }: AccountSettings,
  ...panel: readonly string[]
): string[] {
  // The version stands last and only if it is set, so that the files of version 0.1.0 stay valid.
  return [url, api, email, password, ...panel, ...(apiVersion === '' ? [] : [apiVersion])]
}

function createUserTokenHolder(
  settings: AccountSettings,
  serviceUser: ServiceUser,
  clock: Clock,
): TokenHolder {
  const secrets = { subject: 'sign-in', secrets: secretsOf(settings) }
  return new TokenHolder(serviceUser, secrets, clock)
}

function createSignInState(settings: AccountSettings, serviceUser: ServiceUser, clock: Clock): SignInState {
  return {
    serviceUser,
    coalescer: new RequestCoalescer(clock),
    userToken: createUserTokenHolder(settings, serviceUser, clock),
    stats: new RequestStats(clock),
    history: new RequestHistory(),
    signedIn: undefined,
    appId: '',
    panels: undefined,
    serials: new Set(),
    codeLengths: new Map(),
    panelTypes: undefined,
    panelTokens: new Map(),
    sessionDoubts: new Map(),
    unopenedReads: new UnopenedReads(),
    signInPath: new SignInPath(),
    version: undefined,
    agreedVersion: undefined,
    versionAskedAt: Number.NEGATIVE_INFINITY,
    versionDoubt: new VersionDoubt(),
    owners: new Set(),
    leftAt: 0,
  }
}

function differentStores(): KeyholderError {
  return new KeyholderError(
    'BAD_SETTING',
    `${labels.cluster}: another alarm account node has the same e-mail at the same service, but not the same cluster. Select the same one in both, or none.`,
    {},
    { text: 'finding.differentClusters' },
  )
}

/** Returns a short hash, for texts that must not be readable. */
export function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
