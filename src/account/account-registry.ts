import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { UserSession } from '../service/responses/sessions.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import { TokenHolder } from './auth/token-holder.ts'
import { type Answer, RequestCoalescer } from './request-coalescer.ts'
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
  user: TokenHolder
  readonly record: RequestStats
  /** The answer to the latest sign-in and its time. */
  signedIn: Answer<UserSession> | undefined
  /** The appId of the latest sign-in; every panel must be opened with it, by any config node (4.2.2). */
  appId: string
  /** Token holders of the panel sessions, by serial and user code. */
  readonly panels: Map<string, TokenHolder>
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
const keptFor = 10 * 60_000

/** The dependencies that the process passes to an account. */
export interface Dependencies {
  clock: Clock
  /** Folder for files that must survive a restart. */
  folder: string
  /** Returns a number from 0 up to 1. */
  random(): number
}

/** The state that all accounts of a process share. */
export class AccountRegistry {
  readonly #clock: Clock
  readonly #conducts = new Map<string, ServiceUser>()
  readonly #accesses = new Map<string, SignInState>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the sign-in state for these settings.
   * @param owner the user of the state, until `release`
   * @param folder for files that must survive a restart
   */
  take(
    settings: AccountSettings,
    owner: object,
    folder: string,
    mode: AccountMode = 'deployed',
  ): SignInState {
    const { url, api, email, password, requestsPerMinute } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const serviceUser = this.#conducts.get(user) ?? new ServiceUser(join(folder, `user-${user}`), this.#clock)
    this.#conducts.set(user, serviceUser)
    serviceUser.limitBy(owner, requestsPerMinute, mode)
    const key = digest(user, api, password)
    const signInState = this.#accesses.get(key) ?? newAccess(settings, serviceUser, this.#clock)
    this.#accesses.set(key, signInState)
    // A new owner may have another url, and the rejected credentials may be right there.
    if (signInState.owners.size === 0 && signInState.user.rejection !== undefined) {
      signInState.user = userSession(settings, serviceUser, this.#clock)
    }
    signInState.owners.add(owner)
    if (mode === 'deployed') signInState.user.use()
    this.#forget()
    return signInState
  }

  /**
   * Removes an owner. Tokens and the count of attempts stay for the next owner, for example after a redeploy.
   */
  release(owner: object): void {
    for (const signInState of this.#accesses.values()) {
      if (!signInState.owners.delete(owner) || signInState.owners.size > 0) continue
      signInState.leftAt = this.#clock.monotonic()
      signInState.record.forget()
      // The same reason as for the user token in `take`.
      for (const [name, panel] of signInState.panels)
        if (panel.rejection !== undefined) signInState.panels.delete(name)
    }
    for (const serviceUser of this.#conducts.values()) serviceUser.release(owner)
  }

  /** Drops sign-ins that had no owner for a while, so that their tokens do not stay in memory. */
  #forget(): void {
    for (const [key, { owners, leftAt }] of this.#accesses) {
      if (owners.size === 0 && this.#clock.monotonic() - leftAt > keptFor) this.#accesses.delete(key)
    }
  }
}

/** Returns true for tokens and secrets of this sign-in: never show them, even if the service sends them. */
export function isSecret({ user, panels }: SignInState, word: string): boolean {
  return [user, ...panels.values()].some((session) => session.isSecret(word))
}

function userSession(
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

function newAccess(settings: AccountSettings, serviceUser: ServiceUser, clock: Clock): SignInState {
  return {
    serviceUser,
    coalescer: new RequestCoalescer(clock),
    user: userSession(settings, serviceUser, clock),
    record: new RequestStats(clock),
    signedIn: undefined,
    appId: '',
    panels: new Map(),
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
