import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { UserSession } from '../service/responses/sessions.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import { TokenHolder } from './auth/token-holder.ts'
import type { Answer } from './request.ts'
import { RequestCoalescer } from './request-coalescer.ts'
import type { RequestLog } from './request-log.ts'
import { RequestStats } from './request-stats.ts'
import { ServiceUser } from './service-user.ts'

/**
 * The state of a sign-in, independent of single config nodes: tokens, negotiated version, requests in flight.
 *
 * It outlives a redeploy within the process, so a redeploy needs no new sign-in. All config nodes with the
 * same host, user, password and API share it. Tokens are stored here, in memory only.
 */
export interface SignInState {
  readonly serviceUser: ServiceUser
  readonly coalescer: RequestCoalescer
  userToken: TokenHolder
  readonly stats: RequestStats
  /** The answer to the latest sign-in and its time. */
  signedIn: Answer<UserSession> | undefined
  /** The appId of the latest sign-in; every panel must be opened with it, by any config node (4.2.2). */
  appId: string
  /** The serials in the latest list of the account's panels. */
  serials: ReadonlySet<string>
  /** Token holders of the panel sessions, by serial and user code. */
  readonly panelTokens: Map<string, TokenHolder>
  /** The negotiated version. */
  version: Promise<string> | undefined
  /** The result of the latest negotiation, for display. */
  agreedVersion: string | undefined
  /** The time of the latest version request (milliseconds of the monotonic clock). */
  versionAskedAt: number
  readonly owners: Set<object>
  /** The time when the last owner left (milliseconds of the monotonic clock). */
  leftAt: number
}

/** Milliseconds for which a sign-in without a config node is kept; a redeploy takes only a moment. */
const maxIdle = 10 * 60_000

/** The dependencies that the process passes to an account. */
export interface Dependencies {
  clock: Clock
  /** Folder for files that must survive a restart. */
  folder: string
  /** Returns a number from 0 up to 1. */
  random(): number
  /** The log of the requests; without it nothing is logged. */
  log?: RequestLog
}

/** The state that all accounts of a process share. */
export class AccountRegistry {
  readonly #clock: Clock
  readonly #serviceUsers = new Map<string, ServiceUser>()
  readonly #signInStates = new Map<string, SignInState>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the sign-in state for these settings.
   * @param owner the user of the state, until `removeOwner`
   * @param folder for files that must survive a restart
   */
  acquire(
    settings: AccountSettings,
    owner: object,
    folder: string,
    mode: AccountMode = 'deployed',
  ): SignInState {
    const { url, api, email, password, requestsPerMinute } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const serviceUser =
      this.#serviceUsers.get(user) ?? new ServiceUser(join(folder, `user-${user}`), this.#clock)
    this.#serviceUsers.set(user, serviceUser)
    serviceUser.addOwner(owner, requestsPerMinute, mode)
    const key = digest(user, api, password)
    const signInState = this.#signInStates.get(key) ?? createSignInState(settings, serviceUser, this.#clock)
    this.#signInStates.set(key, signInState)
    // A new owner may have another url, and the rejected credentials may be right there.
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
      // The same reason as for the user token in `acquire`.
      for (const [name, panel] of signInState.panelTokens)
        if (panel.rejection !== undefined) signInState.panelTokens.delete(name)
    }
    for (const serviceUser of this.#serviceUsers.values()) serviceUser.removeOwner(owner)
  }

  /** Drops sign-ins that had no owner for a while, so that their tokens do not stay in memory. */
  #forget(): void {
    for (const [key, { owners, leftAt }] of this.#signInStates) {
      if (owners.size === 0 && this.#clock.monotonic() - leftAt > maxIdle) this.#signInStates.delete(key)
    }
  }
}

/** Returns true for tokens and secrets of this sign-in: never show them, even if the service sends them. */
export function isSecret({ userToken, panelTokens }: SignInState, word: string): boolean {
  return [userToken, ...panelTokens.values()].some((session) => session.isSecret(word))
}

function createUserTokenHolder(
  { url, api, email, password }: AccountSettings,
  { rejectedCredentials }: ServiceUser,
  clock: Clock,
): TokenHolder {
  return new TokenHolder(
    rejectedCredentials,
    { subject: 'sign-in', secrets: [url, api, email, password] },
    clock,
  )
}

function createSignInState(settings: AccountSettings, serviceUser: ServiceUser, clock: Clock): SignInState {
  return {
    serviceUser,
    coalescer: new RequestCoalescer(clock),
    userToken: createUserTokenHolder(settings, serviceUser, clock),
    stats: new RequestStats(clock),
    signedIn: undefined,
    appId: '',
    serials: new Set(),
    panelTokens: new Map(),
    version: undefined,
    agreedVersion: undefined,
    versionAskedAt: Number.NEGATIVE_INFINITY,
    owners: new Set(),
    leftAt: 0,
  }
}

/** Returns a short hash, for texts that must not be readable. */
function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
