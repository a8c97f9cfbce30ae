import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { UserSession } from '../service/user-session.ts'
import { Conduct } from './conduct.ts'
import { type Answer, Flights } from './flights.ts'
import type { Purpose } from './purpose.ts'
import { QuestionRecord } from './question-record.ts'
import { Session } from './session.ts'
import type { AccountSettings } from './settings.ts'

/**
 * What belongs to a sign-in and not to a config node: tokens, known version, answers under way.
 *
 * It outlives a redeploy within the process, so that a redeploy costs no sign-in, and is shared by all config nodes
 * that sign in as the same user at the same host. Tokens live here, in memory only.
 */
export interface Access {
  readonly conduct: Conduct
  readonly flights: Flights
  user: Session
  readonly record: QuestionRecord
  /** What the latest sign-in said, with the moment at which it did. */
  signedIn: Answer<UserSession> | undefined
  /** The appId of the latest sign-in: panels are opened with the same one, whoever opens them (4.2.2). */
  appId: string
  /** Sessions of the panels by serial and user code. */
  readonly panels: Map<string, Session>
  /** The negotiated version. */
  version: Promise<string> | undefined
  /** What the negotiation came to last, for people to look at. */
  agreedVersion: string | undefined
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
  readonly #clock: Clock
  readonly #conducts = new Map<string, Conduct>()
  readonly #accesses = new Map<string, Access>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The access for these settings.
   * @param owner whoever uses it, until `release`
   * @param folder for what must survive a restart
   */
  take(settings: AccountSettings, owner: object, folder: string, purpose: Purpose = 'deployed'): Access {
    const { url, api, email, password, requestsPerMinute } = settings
    const user = digest(new URL(url).host, email.toLowerCase())
    const conduct = this.#conducts.get(user) ?? new Conduct(join(folder, `user-${user}`), this.#clock)
    this.#conducts.set(user, conduct)
    conduct.limitBy(owner, requestsPerMinute, purpose)
    const key = digest(user, api, password)
    const access = this.#accesses.get(key) ?? newAccess(settings, conduct, this.#clock)
    this.#accesses.set(key, access)
    // What was rejected may be right with another url, which a new owner may come with.
    if (access.owners.size === 0 && access.user.rejection !== undefined) {
      access.user = userSession(settings, conduct, this.#clock)
    }
    access.owners.add(owner)
    if (purpose === 'deployed') access.user.use()
    this.#forget()
    return access
  }

  /** Ends an owner's use; tokens and the count of attempts stay for the next one, as after a redeploy. */
  release(owner: object): void {
    for (const access of this.#accesses.values()) {
      if (!access.owners.delete(owner) || access.owners.size > 0) continue
      access.leftAt = this.#clock.monotonic()
      access.record.forget()
      // As for the user: see `take`.
      for (const [name, panel] of access.panels) if (panel.rejection !== undefined) access.panels.delete(name)
    }
    for (const conduct of this.#conducts.values()) conduct.release(owner)
  }

  /** Settings that nobody has had for a while were changed: their tokens need not stay in memory. */
  #forget(): void {
    for (const [key, { owners, leftAt }] of this.#accesses) {
      if (owners.size === 0 && this.#clock.monotonic() - leftAt > kept) this.#accesses.delete(key)
    }
  }
}

/** Whether a word is a token or a secret of this sign-in, which nobody may be told when the service says it again. */
export function isSecret({ user, panels }: Access, word: string): boolean {
  return [user, ...panels.values()].some((session) => session.isSecret(word))
}

function userSession(
  { url, api, email, password }: AccountSettings,
  { rejections }: Conduct,
  clock: Clock,
): Session {
  return new Session(rejections, { subject: 'sign-in', secrets: [url, api, email, password] }, clock)
}

function newAccess(settings: AccountSettings, conduct: Conduct, clock: Clock): Access {
  return {
    conduct,
    flights: new Flights(clock),
    user: userSession(settings, conduct, clock),
    record: new QuestionRecord(clock),
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

/** A short name for texts that must not be readable. */
function digest(...texts: string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
