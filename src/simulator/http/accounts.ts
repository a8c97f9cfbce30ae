import type { Clock } from '../../clock.ts'
import type { Panel } from '../world/panel.ts'
import type { Random } from '../world/random.ts'

/** How a dead session shows: real services differ (field fact). */
export type ExpiryAnswer = '440' | '400' | '401' | '403'

/** Why a sign-in or a panel login was refused. */
export type Refusal = 'blocked' | 'wrong combination' | 'wrong serial' | 'wrong user code'

/** A session with one panel, bound to the user token it was opened with (field fact). */
export interface Session {
  readonly panel: Panel
  readonly userToken: string
  readonly appId: string
}

const failuresUntilBlock = 5
const blockSeconds = 60
const wrongCodesUntilEvent = 3

/** The one account of the simulated service: its credentials, tokens, sessions and temporary block. */
export class Accounts {
  /** How a dead or unknown session is answered. */
  expiryAnswer: ExpiryAnswer = '440'
  /** True: a new sign-in ends the older tokens of the same app_id, a new panel login its older sessions. */
  invalidateOlder = false
  readonly email = 'demo@keyholder.example'
  readonly #clock: Clock
  readonly #random: Random
  readonly #panels: readonly Panel[]
  readonly #userTokens = new Map<string, string>()
  readonly #sessions = new Map<string, Session>()
  readonly #wrongCodes = new Map<Panel, number>()
  #password = 'demo-keyholder'
  #userCode = '0451'
  #failures = 0
  #blockedUntil = Number.NEGATIVE_INFINITY
  #signIns = 0
  #panelLogins = 0

  constructor(clock: Clock, random: Random, panels: readonly Panel[]) {
    this.#clock = clock
    this.#random = random
    this.#panels = panels
  }

  /** The password that is right now. */
  get password(): string {
    return this.#password
  }

  /** The code of the master user that is right now, the same for all panels. */
  get userCode(): string {
    return this.#userCode
  }

  /** Sign-ins tried since the start, refused ones included. */
  get signIns(): number {
    return this.#signIns
  }

  /** Panel logins tried since the start, refused ones included. */
  get panelLogins(): number {
    return this.#panelLogins
  }

  /** Changes the password; tokens stay valid. */
  setPassword(password: string): void {
    this.#password = password
  }

  /** Changes the user code; sessions stay valid. */
  setUserCode(userCode: string): void {
    this.#userCode = userCode
  }

  /** Every user token dies, and with it its sessions. */
  expireUserTokens(): void {
    this.#userTokens.clear()
    this.#sessions.clear()
  }

  /** Every session dies; user tokens stay valid. */
  expireSessions(): void {
    this.#sessions.clear()
  }

  /** Refuses every sign-in and panel login for so many seconds of the clock. */
  block(seconds: number): void {
    this.#blockedUntil = this.#clock.monotonic() + seconds * 1000
  }

  /** Seconds until sign-ins are taken again, rounded up; 0 while nothing is blocked. */
  get blockedFor(): number {
    return Math.max(0, Math.ceil((this.#blockedUntil - this.#clock.monotonic()) / 1000))
  }

  /** A new user token, or why there is none. */
  signIn(email: string, password: string, appId: string): { token: string } | Refusal {
    this.#signIns += 1
    if (this.blockedFor > 0) return 'blocked'
    if (email.toLowerCase() !== this.email || password !== this.#password) {
      return this.#refuse('wrong combination')
    }
    this.#failures = 0
    if (this.invalidateOlder) this.#endTokensOf(appId)
    const token = this.#token()
    this.#userTokens.set(token, appId)
    return { token }
  }

  /** A new session token, or why there is none; `userToken` must be valid. */
  logIn(userToken: string, serial: string, code: string, appId: string): { token: string } | Refusal {
    this.#panelLogins += 1
    if (this.blockedFor > 0) return 'blocked'
    const panel = this.#panels.find((one) => one.serial === serial)
    if (!panel) return 'wrong serial'
    if (code !== this.#userCode) {
      this.#countWrongCode(panel)
      return this.#refuse('wrong user code')
    }
    this.#failures = 0
    this.#wrongCodes.delete(panel)
    if (this.invalidateOlder) this.#endSessionsOf(appId, panel)
    const token = this.#token()
    this.#sessions.set(token, { panel, userToken, appId })
    return { token }
  }

  /** True while the user token is valid. */
  knows(userToken: string): boolean {
    return this.#userTokens.has(userToken)
  }

  /** The session of both tokens together; undefined when it is gone or belongs to another user token. */
  session(userToken: string, sessionToken: string): Session | undefined {
    const session = this.#sessions.get(sessionToken)
    return session?.userToken === userToken ? session : undefined
  }

  #refuse(refusal: Refusal): Refusal {
    this.#failures += 1
    if (this.#failures >= failuresUntilBlock) {
      this.#failures = 0
      this.block(blockSeconds)
    }
    return refusal
  }

  /** The panel itself notes repeated wrong codes, as event 105. */
  #countWrongCode(panel: Panel): void {
    const count = (this.#wrongCodes.get(panel) ?? 0) + 1
    this.#wrongCodes.set(panel, count % wrongCodesUntilEvent)
    if (count === wrongCodesUntilEvent) panel.log({ type_id: 105 })
  }

  #endTokensOf(appId: string): void {
    for (const [token, owner] of this.#userTokens) if (owner === appId) this.#userTokens.delete(token)
  }

  #endSessionsOf(appId: string, panel: Panel): void {
    for (const [token, session] of this.#sessions) {
      if (session.appId === appId && session.panel === panel) this.#sessions.delete(token)
    }
  }

  /** A token in the form of a UUID (field fact); from the seed, like all chance here. */
  #token(): string {
    const hex = Array.from({ length: 32 }, () => this.#random.between(0, 15).toString(16)).join('')
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')
  }
}
