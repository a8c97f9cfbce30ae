import type { Panel } from '../world/panel.ts'
import type { Random } from '../world/random.ts'
import type { ApiName } from './api-name.ts'
import { uuid } from './uuid.ts'

/** A session with one panel, bound to the user token it was opened with (field fact). */
export interface Session {
  readonly panel: Panel
  readonly userToken: string
  readonly appId: string
  /** Whose code opened it: the event list names this person. */
  readonly user: string
}

/** The tokens that the service has given out and still takes. */
export class Tokens {
  readonly #random: Random
  readonly #users = new Map<string, { api: ApiName; appId: string }>()
  readonly #sessions = new Map<string, Session>()

  constructor(random: Random) {
    this.#random = random
  }

  /** A new user token, for one of the two services. */
  addUser(api: ApiName, appId: string): string {
    const token = uuid(this.#random)
    this.#users.set(token, { api, appId })
    return token
  }

  /** A new session token. */
  addSession(session: Session): string {
    const token = uuid(this.#random)
    this.#sessions.set(token, session)
    return token
  }

  /** True while the user token is valid in this service. */
  knows(api: ApiName, userToken: string): boolean {
    return this.#users.get(userToken)?.api === api
  }

  /** The session of both tokens together; undefined when it is gone or belongs to another user token. */
  session(userToken: string, sessionToken: string): Session | undefined {
    const session = this.#sessions.get(sessionToken)
    return session?.userToken === userToken ? session : undefined
  }

  /** The panels that this user token has sessions with. */
  openPanels(userToken: string): ReadonlySet<Panel> {
    const sessions = [...this.#sessions.values()].filter((session) => session.userToken === userToken)
    return new Set(sessions.map(({ panel }) => panel))
  }

  /** Ends the user tokens of a device. */
  endUsersOf(appId: string): void {
    for (const [token, user] of this.#users) if (user.appId === appId) this.#users.delete(token)
  }

  /** Ends the sessions of a device with a panel. */
  endSessionsOf(appId: string, panel: Panel): void {
    for (const [token, session] of this.#sessions) {
      if (session.appId === appId && session.panel === panel) this.#sessions.delete(token)
    }
  }

  /** Ends every user token, and with it every session. */
  endUsers(): void {
    this.#users.clear()
    this.endSessions()
  }

  /** Ends every session. */
  endSessions(): void {
    this.#sessions.clear()
  }
}
