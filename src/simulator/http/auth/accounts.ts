import type { Clock } from '../../../clock.ts'
import { second } from '../../../duration.ts'
import type { Panel } from '../../world/panel.ts'
import { type ApiName, type Session, type TokenSource, Tokens } from './tokens.ts'

/** Responses for an expired session: real services differ (field fact). */
export type ExpiryStatus = '440' | '400' | '401' | '403'

/** Reasons for which a sign-in or a panel login is refused. */
export type SignInRefusal = 'blocked' | 'wrong combination' | 'wrong serial' | 'wrong user code'

/** The fields of a panel login. */
interface PanelLogin {
  readonly userToken: string
  readonly serial: string
  readonly code: string
  readonly appId: string
}

const maxWrongCodes = 3

/** Name of the installer in the event list. */
const installerName = 'Installer'

/** The only account of the simulated service: its credentials, tokens, sessions and temporary block. */
export class Accounts {
  /** The response for an expired or unknown session. */
  expiryStatus: ExpiryStatus = '440'
  /**
   * True if a new sign-in ends the older tokens of the same app_id, and a new panel login its older sessions.
   */
  endsOlderTokens = false
  readonly email = 'demo@keyholder.example'
  /** The installer code, the same for all panels. */
  readonly installerCode = '8642'
  /** The user codes by panel. */
  readonly codes: UserCodes
  readonly #panels: readonly Panel[]
  readonly #tokens: Tokens
  readonly #block: SignInBlock
  readonly #wrongCodes = new Map<Panel, number>()
  #password = 'demo-keyholder'
  #signIns = 0
  #panelLogins = 0

  constructor(clock: Clock, tokens: TokenSource, panels: readonly Panel[]) {
    this.#panels = panels
    this.codes = new UserCodes(panels)
    this.#tokens = new Tokens(tokens)
    this.#block = new SignInBlock(clock)
  }

  /** The current password. */
  get password(): string {
    return this.#password
  }

  /** The current code of the master user, at the first panel. */
  get userCode(): string {
    return this.codes.get(1)
  }

  /** Number of sign-ins since the start, including refused ones. */
  get signIns(): number {
    return this.#signIns
  }

  /** Number of panel logins since the start, including refused ones. */
  get panelLogins(): number {
    return this.#panelLogins
  }

  /** Changes the password; tokens stay valid. */
  setPassword(password: string): void {
    this.#password = password
  }

  /** Changes the master user's code at all panels; sessions stay valid. */
  setUserCode(userCode: string): void {
    for (const panel of this.#panels) this.codes.set(panel, 1, userCode)
  }

  /** Ends all user tokens and their sessions. */
  expireUserTokens(): void {
    this.#tokens.endUsers()
  }

  /** Ends all sessions; user tokens stay valid. */
  expireSessions(): void {
    this.#tokens.endSessions()
  }

  /** Refuses all sign-ins and panel logins for this many seconds of the clock. */
  block(seconds: number): void {
    this.#block.start(seconds)
  }

  /** Seconds until sign-ins are accepted again, rounded up; 0 if not blocked. */
  get blockedSeconds(): number {
    return this.#block.remainingSeconds
  }

  /** Returns a new user token, or the reason for the refusal. */
  signIn(api: ApiName, email: string, password: string, appId: string): { token: string } | SignInRefusal {
    this.#signIns += 1
    if (this.blockedSeconds > 0) return 'blocked'
    if (email.toLowerCase() !== this.email || password !== this.#password) {
      this.#block.countFailure()
      return 'wrong combination'
    }
    this.#block.resetFailures()
    if (this.endsOlderTokens) this.#tokens.endUsersOf(appId)
    return { token: this.#tokens.addUser(api, appId) }
  }

  /** Returns a new session token, or the reason for the refusal; `userToken` must be valid. */
  logIn(api: ApiName, login: PanelLogin): { token: string } | SignInRefusal {
    this.#panelLogins += 1
    if (this.blockedSeconds > 0) return 'blocked'
    const { serial, code, appId, userToken } = login
    const panel = this.#panels.find((one) => one.serial === serial)
    if (!panel) return 'wrong serial'
    const user = api === 'installer' ? this.#findInstaller(code) : this.#findUser(panel, code)
    if (user === undefined) {
      this.#countWrongCode(panel)
      this.#block.countFailure()
      return 'wrong user code'
    }
    this.#block.resetFailures()
    this.#wrongCodes.delete(panel)
    if (this.endsOlderTokens) this.#tokens.endSessionsOf(appId, panel)
    return { token: this.#tokens.addSession({ panel, userToken, appId, user }) }
  }

  /** Returns true if the user token is valid in this service. */
  hasUserToken(api: ApiName, userToken: string): boolean {
    return this.#tokens.hasUser(api, userToken)
  }

  /** Returns the session of the two tokens; undefined if it has ended or belongs to another user token. */
  session(userToken: string, sessionToken: string): Session | undefined {
    return this.#tokens.session(userToken, sessionToken)
  }

  /**
   * Returns the panel for a request without session token: the one that this user token has opened, or the
   * only one of the account; undefined if this is ambiguous.
   */
  findDefaultPanel(userToken: string): Panel | undefined {
    const opened = this.#tokens.openPanels(userToken)
    const [panel, another] = opened.size > 0 ? opened : this.#panels
    return another === undefined ? panel : undefined
  }

  #findInstaller(code: string): string | undefined {
    return code === this.installerCode ? installerName : undefined
  }

  #findUser(panel: Panel, code: string): string | undefined {
    const number = this.codes.findUser(panel, code)
    return number === undefined ? undefined : panel.plan.users[number - 1]
  }

  /** The panel itself reports repeated wrong codes as event 105. */
  #countWrongCode(panel: Panel): void {
    const count = (this.#wrongCodes.get(panel) ?? 0) + 1
    this.#wrongCodes.set(panel, count % maxWrongCodes)
    if (count === maxWrongCodes) panel.log({ type_id: 105 })
  }
}

const maxFailures = 5
const blockSeconds = 60

/** Counts failed sign-ins and panel logins; refuses all for a while after five in a row (field fact). */
class SignInBlock {
  readonly #clock: Clock
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Seconds until sign-ins are accepted again, rounded up; 0 if not blocked. */
  get remainingSeconds(): number {
    return Math.max(0, Math.ceil((this.#until - this.#clock.monotonic()) / second))
  }

  /** Blocks for this many seconds of the clock. */
  start(seconds: number): void {
    this.#until = this.#clock.monotonic() + seconds * second
  }

  /** Counts a failed sign-in. */
  countFailure(): void {
    this.#failures += 1
    if (this.#failures < maxFailures) return
    this.#failures = 0
    this.start(blockSeconds)
  }

  /** Resets the count after a successful sign-in. */
  resetFailures(): void {
    this.#failures = 0
  }
}

/**
 * The initial codes, by user; the first begins with a zero, because codes are text, not numbers (field fact).
 */
const initialCodes = [
  [1, '0451'],
  [2, '1728'],
] as const

/** The codes of all users by panel; users are numbered from 1, the master user first. */
class UserCodes {
  readonly #codes: ReadonlyMap<Panel, Map<number, string>>

  constructor(panels: readonly Panel[]) {
    this.#codes = new Map(panels.map((panel) => [panel, new Map<number, string>(initialCodes)]))
  }

  /** Returns the code of a user at the first panel; empty if the user has no code. */
  get(user: number): string {
    const [codes] = this.#codes.values()
    return codes?.get(user) ?? ''
  }

  /** Returns the user with this code, or undefined. */
  findUser(panel: Panel, code: string): number | undefined {
    const entries = [...(this.#codes.get(panel) ?? [])]
    return entries.find(([, known]) => known === code)?.[0]
  }

  /** Changes the code of a user at one panel. */
  set(panel: Panel, user: number, code: string): void {
    this.#codes.get(panel)?.set(user, code)
  }
}
