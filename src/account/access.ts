import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { UserSession } from '../service/user-session.ts'
import { Conduct } from './conduct.ts'
import { type Answer, Flights } from './flights.ts'
import { Session } from './session.ts'
import type { AccountSettings } from './settings.ts'

/**
 * What belongs to a sign-in and not to a config node: tokens, known version, answers under way.
 *
 * It outlives a redeploy within the process, so that a redeploy costs no sign-in, and is shared by config nodes that
 * sign in with the same settings. Tokens live here, in memory only.
 */
export interface Access {
  readonly conduct: Conduct
  readonly flights: Flights
  readonly user: Session
  /** What the latest sign-in said, with the moment at which it did. */
  signedIn: Answer<UserSession> | undefined
  /** Sessions of the panels by serial and user code. */
  readonly panels: Map<string, Session>
  /** The negotiated version. */
  version: Promise<string> | undefined
  /** When the versions were last asked (milliseconds of the monotonic clock). */
  versionAskedAt: number
  readonly owners: Set<object>
  /** When the last owner left (milliseconds of the monotonic clock). */
  leftAt: number
}

/** Milliseconds for which a sign-in is kept that no config node has any more; a redeploy takes a moment. */
const kept = 10 * 60_000

/** What an account needs from the process around it. */
export interface Surroundings {
  clock: Clock
  /** Folder for what must survive a restart. */
  folder: string
  /** From 0 up to 1. */
  random(): number
}

/** Everything that accounts share within one process. */
export class SharedAccess {
  readonly #conducts = new Map<string, Conduct>()
  readonly #accesses = new Map<string, Access>()

  /**
   * The access for these settings.
   * @param owner whoever uses it, until `release`
   */
  take(settings: AccountSettings, owner: object, { clock, folder }: Surroundings): Access {
    const { url, api, apiVersion, email, password, appId, requestsPerMinute } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const conduct =
      this.#conducts.get(user) ?? new Conduct(join(folder, `user-${user}`), requestsPerMinute, clock)
    this.#conducts.set(user, conduct)
    conduct.limitBy(owner, requestsPerMinute)
    const key = digest(url, api, apiVersion, email, password, appId)
    const access = this.#accesses.get(key) ?? newAccess(settings, conduct, clock)
    this.#accesses.set(key, access)
    access.owners.add(owner)
    this.#forget(clock)
    return access
  }

  /** Ends an owner's use; tokens and the count of attempts stay for the next one, as after a redeploy. */
  release(owner: object, clock: Clock): void {
    for (const access of this.#accesses.values()) {
      if (access.owners.delete(owner)) access.leftAt = clock.monotonic()
    }
    for (const conduct of this.#conducts.values()) conduct.release(owner)
  }

  /** Settings that nobody has had for a while were changed: their tokens need not stay in memory. */
  #forget(clock: Clock): void {
    for (const [key, { owners, leftAt }] of this.#accesses) {
      if (owners.size === 0 && clock.monotonic() - leftAt > kept) this.#accesses.delete(key)
    }
  }
}

function newAccess({ url, api, email, password }: AccountSettings, conduct: Conduct, clock: Clock): Access {
  return {
    conduct,
    flights: new Flights(clock),
    user: new Session(conduct.rejections, { subject: 'sign-in', secrets: [url, api, email, password] }),
    signedIn: undefined,
    panels: new Map(),
    version: undefined,
    versionAskedAt: Number.NEGATIVE_INFINITY,
    owners: new Set(),
    leftAt: 0,
  }
}

/** A short name for texts that must not be readable. */
function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
