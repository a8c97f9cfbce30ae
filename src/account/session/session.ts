import type { Clock } from '../../clock.ts'
import { hour, minute } from '../../duration.ts'
import type { ClassifiedError } from '../../service/classify-error.ts'
import { KeyholderError } from '../../service/error.ts'
import type { AccountPanel } from '../../service/responses/panels.ts'
import type { SignInAnswer } from '../../service/responses/sessions.ts'
import type { AccountMode, AccountSettings } from '../account-settings.ts'
import type { Answer } from '../answer.ts'
import type { PanelKey } from '../requests/request.ts'
import { TokenHolder, type TokenSources } from '../service-user/auth/token-holder.ts'
import type { StoredToken } from '../service-user/auth/token-store.ts'
import { SignInPath } from './sign-in-path.ts'

/** The settings that make a session: accounts that have them in common share it. */
type SessionSettings = Pick<AccountSettings, 'url' | 'apiVersion' | 'api' | 'email' | 'password'>

/** Milliseconds of refusals after which a panel is opened again; the time doubles with each try. */
const firstTry = 3 * minute

/** The refusals of a panel since its latest answer. */
interface SessionDoubt {
  /** The time of the first one since the latest try (milliseconds of the monotonic clock). */
  refusedSince: number | undefined
  tries: number
}

/**
 * The session of one sign-in: the user token, the sessions of the panels that depend on it, and the answer with its
 * license. The accounts of all config nodes with the same address, version, API, user and password share it.
 *
 * It outlives a redeploy within the process, so a redeploy needs no new sign-in. Tokens are kept here, in memory only.
 */
export class Session {
  readonly knowledge = new AccountKnowledge()
  /** The answer to the latest sign-in and its time; undefined before the first one. */
  signedIn: Answer<SignInAnswer> | undefined
  /** The appId of the latest sign-in; every panel must be opened with it, by any config node (4.2.2). */
  appId = ''
  /** The path of the sign-in. */
  readonly path = new SignInPath()
  readonly #settings: SessionSettings
  readonly #sources: TokenSources
  readonly #clock: Clock
  /** The holder of the user token. It may be another one for the next owner. */
  userToken: TokenHolder
  /** Token holders of the panel sessions, by serial and user code. */
  readonly #panelTokens = new Map<string, TokenHolder>()
  /** The refusals of the panel sessions, by serial and user code. */
  readonly #doubts = new Map<string, SessionDoubt>()
  /** The times until which operations are not sent with the user token alone, by operation. */
  readonly #refusedAloneUntil = new Map<string, number>()
  readonly #owners = new Set<object>()
  #leftAt: number

  /** @param sources what the service user has of tokens and rejected secrets */
  constructor(settings: SessionSettings, sources: TokenSources, clock: Clock) {
    this.#settings = settings
    this.#sources = sources
    this.#clock = clock
    this.userToken = this.#createUserToken()
    this.#leftAt = clock.monotonic()
  }

  /** The number of accounts that use the session. */
  get ownerCount(): number {
    return this.#owners.size
  }

  /** Milliseconds since the last owner left; 0 while there are owners. */
  get idleTime(): number {
    return this.#owners.size > 0 ? 0 : this.#clock.monotonic() - this.#leftAt
  }

  /** Adds the account of a config node or of a trial. */
  addOwner(owner: object, mode: AccountMode): void {
    // The rejection may be forgotten meanwhile.
    if (this.#owners.size === 0 && this.userToken.rejection !== undefined)
      this.userToken = this.#createUserToken()
    this.#owners.add(owner)
    if (mode === 'deployed') this.userToken.use()
  }

  /** Removes an owner; returns true if it was the last one. The tokens stay for the next, as after a redeploy. */
  removeOwner(owner: object): boolean {
    if (!this.#owners.delete(owner) || this.#owners.size > 0) return false
    this.#leftAt = this.#clock.monotonic()
    // For the same reason as the user token in `addOwner`.
    for (const [key, panel] of this.#panelTokens)
      if (panel.rejection !== undefined) this.#panelTokens.delete(key)
    return true
  }

  /** True if the latest sign-in is so recent that its token is certainly valid. */
  get isSignInRecent(): boolean {
    return this.signedIn !== undefined && this.#clock.monotonic() - this.signedIn.at < minute
  }

  /** Returns the holder of a panel's session token. */
  panelToken(panel: PanelKey): TokenHolder {
    const { serial, userCode } = panel
    const key = keyOf(panel)
    const known = this.#panelTokens.get(key)
    if (known !== undefined) return known
    const secrets = {
      subject: `panel ${serial}`,
      secrets: secretsOf(this.#settings, serial, userCode),
      signIn: secretsOf(this.#settings),
      isContradicted: (code: string) => this.isContradicted(serial, code),
    }
    const token = new TokenHolder(this.#sources, secrets, this.#clock)
    this.#panelTokens.set(key, token)
    return token
  }

  /** Returns true if the serial or the user code of the panel was rejected; it is not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#panelTokens.get(keyOf(panel))?.rejection !== undefined
  }

  /** Returns true if the service has accepted the serial and the user code of the panel in this process. */
  hasAccepted(panel: PanelKey): boolean {
    return this.#panelTokens.get(keyOf(panel))?.isProven === true
  }

  /** Returns true if a rejection is one of the serial, although the account's list of panels has it. */
  isContradicted(serial: string, code: string): boolean {
    return code === 'BAD_SETTING' && this.knowledge.isListed(serial)
  }

  /** Returns true for tokens and secrets of this sign-in: never show them, even if the service sends them. */
  isSecret(word: string): boolean {
    return [this.userToken, ...this.#panelTokens.values()].some((token) => token.isSecret(word))
  }

  /** Notes a sign-in, of this process or of another one. */
  noteSignIn({ signIn, madeAt }: StoredToken): void {
    const fetchedAt = this.#clock.wall() - Math.round(this.#clock.monotonic() - madeAt)
    if (signIn !== undefined) {
      this.signedIn = { value: signIn.answer, fetchedAt, at: madeAt, sentAt: madeAt }
      this.appId = signIn.appId
    }
    // Session tokens belong to the user token that they were created with.
    for (const panel of this.#panelTokens.values()) panel.forget()
  }

  /**
   * Notes the outcome of a request to a panel. If the panel has refused all requests for minutes, its tokens are
   * dropped, so that the next request opens it again: its session may have ended, and the service may say so in words
   * that nobody knows. The user token, on which the session depends, follows at all tries but the first.
   * @param outcome undefined for an answer, which ends the doubt
   */
  noteOutcome(panel: PanelKey, outcome: ClassifiedError | undefined): void {
    const key = keyOf(panel)
    if (outcome === undefined) this.#doubts.delete(key)
    if (outcome === undefined || !isUnexplainedRefusal(outcome)) return
    const now = this.#clock.monotonic()
    const doubt = this.#doubts.get(key) ?? { refusedSince: undefined, tries: 0 }
    this.#doubts.set(key, doubt)
    doubt.refusedSince ??= now
    if (now - doubt.refusedSince < Math.min(hour, firstTry * 2 ** doubt.tries)) return
    doubt.refusedSince = undefined
    doubt.tries += 1
    this.panelToken(panel).forget()
    if (doubt.tries > 1) this.userToken.forget()
  }

  /**
   * Notes that the service refused an operation that was sent with a new user token alone, although the interface
   * specification (5.4) allows that. It refuses the token as if it had expired, so each further attempt would cost a
   * sign-in.
   */
  noteRefusedAlone(operation: string): void {
    this.#refusedAloneUntil.set(operation, this.#clock.monotonic() + hour)
  }

  /** Returns true if an operation was refused in that way within the last hour. */
  isRefusedAlone(operation: string): boolean {
    return this.#clock.monotonic() < (this.#refusedAloneUntil.get(operation) ?? Number.NEGATIVE_INFINITY)
  }

  #createUserToken(): TokenHolder {
    const secrets = { subject: 'sign-in', secrets: secretsOf(this.#settings) }
    return new TokenHolder(this.#sources, secrets, this.#clock)
  }
}

/**
 * Returns the values that the service rejects or accepts together.
 * @param panel serial and user code, if they belong to them
 */
function secretsOf(
  { url, apiVersion, api, email, password }: SessionSettings,
  ...panel: readonly string[]
): string[] {
  // The version stands last and only if it is set, so that the files of version 0.1.0 stay valid.
  return [url, api, email, password, ...panel, ...(apiVersion === '' ? [] : [apiVersion])]
}

/** Returns true if the refusal of a request may have any reason, even an ended session. */
function isUnexplainedRefusal({ effect, error: { code, status = 0 } }: ClassifiedError): boolean {
  const isRefusal = status >= 400 && status < 500 && effect !== 'hold'
  return isRefusal && code !== 'PANEL_OFFLINE'
}

/** Returns the key of what is known of a panel's session. */
function keyOf({ serial, userCode }: PanelKey): string {
  return JSON.stringify([serial, userCode])
}

/** The panels of an account, as the service has told them to any account of the sign-in. */
export class AccountKnowledge {
  /** The number of panels in the latest list; 0 before the first one. */
  panelCount = 0
  #panels: readonly AccountPanel[] | undefined
  #serials: ReadonlySet<string> = new Set()
  /** The types in the latest list, one for each panel; undefined until it was read. */
  panelTypes: readonly string[] | undefined
  readonly #codeLengths = new Map<string, readonly number[]>()

  /** Notes the account's list of panels: a rejection of one of their serials no longer applies. */
  notePanels(panels: readonly AccountPanel[]): void {
    // Each panel of the account notes the same list.
    if (this.#panels === panels) return
    this.#panels = panels
    this.#serials = new Set(panels.map(({ panel_serial }) => panel_serial))
    this.panelTypes = panels.map(({ type }) => type)
    this.panelCount = this.#serials.size
  }

  /** Returns true if the latest list has the serial of a panel. */
  isListed(serial: string): boolean {
    return this.#serials.has(serial)
  }

  /** Notes the possible lengths of the user codes of a panel; empty if they are unknown. */
  noteCodeLengths(serial: string, lengths: readonly number[]): void {
    this.#codeLengths.set(serial, lengths)
  }

  /**
   * Returns the error for a user code of a length that the panel does not have (interface specification 8.3): the
   * panel counts wrong codes, so it is not sent. Undefined if the length is possible.
   */
  codeLengthRefusal(serial: string, userCode: string): KeyholderError | undefined {
    const lengths = this.#codeLengths.get(serial) ?? []
    if (lengths.length === 0 || lengths.includes(userCode.length)) return undefined
    return new KeyholderError(
      'BAD_SETTING',
      `User code: the user codes of this panel have ${lengths.join(' or ')} digits, so this one was not sent. Enter exactly the code that you type at the panel.`,
      {},
      { text: 'finding.codeLength', values: { lengths: lengths.join(', ') } },
    )
  }
}
