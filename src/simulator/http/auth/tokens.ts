import type { Panel } from '../../world/panel.ts'

/** The two services on one host: each has its own base path, tokens and operations (field fact). */
export type ApiName = 'end user' | 'installer'

/** A session with one panel; it belongs to the user token that opened it (field fact). */
export interface Session {
  readonly panel: Panel
  readonly userToken: string
  readonly appId: string
  /** Name of the user whose code opened the session, for the event list. */
  readonly user: string
}

/** Creates tokens. */
export interface TokenSource {
  /** Returns a text in the form of a UUID, like all tokens of the service (field fact). */
  uuid(): string
}

/** The valid tokens of the service. */
export class Tokens {
  readonly #source: TokenSource
  readonly #users = new Map<string, { api: ApiName; appId: string }>()
  readonly #sessions = new Map<string, Session>()

  constructor(source: TokenSource) {
    this.#source = source
  }

  /** Returns a new user token for one of the two services. */
  addUser(api: ApiName, appId: string): string {
    const token = this.#source.uuid()
    this.#users.set(token, { api, appId })
    return token
  }

  /** Returns a new session token. */
  addSession(session: Session): string {
    const token = this.#source.uuid()
    this.#sessions.set(token, session)
    return token
  }

  /** Returns true if the user token is valid in this service. */
  hasUser(api: ApiName, userToken: string): boolean {
    return this.#users.get(userToken)?.api === api
  }

  /** Returns the session of the two tokens; undefined if it has ended or belongs to another user token. */
  session(userToken: string, sessionToken: string): Session | undefined {
    const session = this.#sessions.get(sessionToken)
    return session?.userToken === userToken ? session : undefined
  }

  /** Returns the panels that this user token has sessions with. */
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

  /** Ends all user tokens, and with them all sessions. */
  endUsers(): void {
    this.#users.clear()
    this.endSessions()
  }

  /** Ends all sessions. */
  endSessions(): void {
    this.#sessions.clear()
  }
}
