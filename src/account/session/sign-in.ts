import { minute } from '../../duration.ts'
import type { ClassifiedError } from '../../service/classify-error.ts'
import { hasCode, KeyholderError } from '../../service/error.ts'
import { operations } from '../../service/operations.ts'
import type { SignInAnswer } from '../../service/responses/sessions.ts'
import { type SignInState, secretsOf } from '../account-registry.ts'
import type { AccountMode, AccountSettings } from '../account-settings.ts'
import type { ExchangeDependencies } from '../requests/exchange.ts'
import type { PanelKey } from '../requests/request.ts'
import { type Credential, Credentials, StaleToken } from '../service-user/auth/credentials.ts'
import { Refused, Rejected } from '../service-user/auth/rejected-credentials.ts'
import { type Token, TokenHolder, type TokenOptions } from '../service-user/auth/token-holder.ts'
import type { MadeToken, StoredToken } from '../service-user/auth/token-store.ts'
import type { BaseUrl } from '../version/base-url.ts'
import { minIntervalAfterSign } from '../version/version-doubt.ts'
import { codeLengthRefusal } from './code-length.ts'
import { SessionDoubt } from './session-doubt.ts'
import { attemptSignIn } from './sign-in-attempt.ts'
import { PathUnknown } from './sign-in-path.ts'

/** Signs in and opens panels, when a token is first needed or has expired (interface specification 4). */
export class SignIn {
  readonly #settings: AccountSettings
  readonly #parts: ExchangeDependencies
  readonly #signInState: SignInState
  readonly #baseUrl: BaseUrl
  readonly #mode: AccountMode

  constructor(settings: AccountSettings, parts: ExchangeDependencies, baseUrl: BaseUrl, mode: AccountMode) {
    this.#settings = settings
    this.#parts = parts
    this.#signInState = parts.signInState
    this.#baseUrl = baseUrl
    this.#mode = mode
  }

  /** True if the latest sign-in is so recent that its token is certainly valid. */
  get isSignInRecent(): boolean {
    const { signedIn } = this.#signInState
    return signedIn !== undefined && this.#parts.clock.monotonic() - signedIn.at < minute
  }

  /** Returns true if the serial or the user code of the panel was rejected; it is not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#signInState.panelTokens.get(panelKeyText(panel))?.rejection !== undefined
  }

  /** Returns true if the service has accepted the serial and the user code of the panel in this process. */
  hasAccepted(panel: PanelKey): boolean {
    return this.#signInState.panelTokens.get(panelKeyText(panel))?.isProven === true
  }

  /**
   * Notes the outcome of a request to a panel. If the panel has refused all requests for minutes, its tokens
   * are dropped, so that the next request opens it again.
   */
  noteOutcome(panel: PanelKey, outcome: ClassifiedError | undefined): void {
    const { sessionDoubts, userToken } = this.#signInState
    const key = panelKeyText(panel)
    if (outcome === undefined) sessionDoubts.delete(key)
    if (outcome === undefined || !isUnexplainedRefusal(outcome)) return
    const doubt = sessionDoubts.get(key) ?? new SessionDoubt()
    sessionDoubts.set(key, doubt)
    const renewed = doubt.noteRefusal(this.#parts.clock.monotonic())
    if (renewed !== undefined) this.#panelToken(panel).forget()
    if (renewed === 'user') userToken.forget()
  }

  /** Starts a backoff after a new session expired at once: repeated sign-ins would only lock the account. */
  backOff(error: KeyholderError): Promise<void> {
    return this.#signInState.serviceUser.backOff(error, {}, this.#parts.random())
  }

  /**
   * Returns the user token; signs in if there is none.
   * @throws KeyholderError
   */
  async userCredential(): Promise<Credential> {
    const session = this.#signInState.userToken
    return { header: 'User-Token', session, token: session.current ?? (await this.#signIn(session)) }
  }

  #signIn(session: TokenHolder): Promise<Token> {
    const { email, password, appId, api, deviceInfo } = this.#settings
    const device = api === 'user' ? { app_id: appId } : { device_id: appId, device_info: deviceInfo }
    const signIn = async () => {
      const body = { email, password, ...device }
      // The secrets are sent only to a version that the service offers.
      await this.#baseUrl.refreshIfOlderThan(minIntervalAfterSign)
      const answer = await this.#signInAtItsPath(body)
      this.#signInState.stats.noteSignIn()
      await this.#signInState.serviceUser.noteSignIn()
      return { value: answer.user_token, signIn: { appId, answer } }
    }
    const onRenewed = (token: StoredToken) => this.#noteSignIn(token)
    return this.#create(session, operations.signIn.name, signIn, { onRenewed })
  }

  /** Notes a sign-in, of this process or of another one. */
  #noteSignIn({ signIn, madeAt }: StoredToken): void {
    const { clock } = this.#parts
    const { panelTokens } = this.#signInState
    const fetchedAt = clock.wall() - Math.round(clock.monotonic() - madeAt)
    if (signIn !== undefined) {
      this.#signInState.signedIn = { value: signIn.answer, fetchedAt, at: madeAt, sentAt: madeAt }
      this.#signInState.appId = signIn.appId
    }
    // Session tokens belong to the user token that they were created with.
    for (const panel of panelTokens.values()) panel.forget()
  }

  /** Signs in at the path that the service has. If it has neither, both together count as one failure. */
  async #signInAtItsPath(body: Record<string, unknown>): Promise<SignInAnswer> {
    const { userToken, signInPath } = this.#signInState
    const circumstances = { api: this.#settings.api, isProven: userToken.isProven, log: this.#parts.log }
    const attempt = { body, credentials: new Credentials(), session: userToken }
    try {
      return await signInPath.signIn(circumstances, (operation, isOneOfTwo) =>
        attemptSignIn(this.#parts, this.#baseUrl, operation, { ...attempt, isOneOfTwo }),
      )
    } catch (thrown) {
      if (!(thrown instanceof PathUnknown)) throw thrown
      userToken.noteFailure(thrown.error)
      throw thrown.error
    }
  }

  /**
   * Returns the session token of the panel; opens the panel if there is none.
   * @throws KeyholderError
   */
  async sessionCredential(panel: PanelKey): Promise<Credential> {
    const session = this.#panelToken(panel)
    return { header: 'Session-Token', session, token: session.current ?? (await this.#open(panel, session)) }
  }

  async #open(panel: PanelKey, session: TokenHolder): Promise<Token> {
    const { api } = this.#settings
    // The lengths are those of user codes, and not of the codes of installers.
    const lengths = api === 'user' ? this.#signInState.codeLengths.get(panel.serial) : undefined
    const refusal = session.isProven ? undefined : codeLengthRefusal(panel.userCode, lengths)
    if (refusal !== undefined) throw refusal
    const code = api === 'user' ? { user_code: panel.userCode } : { installer_code: panel.userCode }
    const app_type = api === 'user' ? 'com.visonic.powermaxapp' : 'com.visonic.configurator.alarm_in'
    // A sign-in that fails has a pause of its own, and must not be tried twice or lengthen the pause of the account.
    let isSignedIn = false
    const open = async () => {
      isSignedIn = false
      const user = await this.userCredential()
      isSignedIn = true
      // The version may be gone, and the pauses after failures are long.
      if (session.hasFailed) await this.#baseUrl.refreshIfOlderThan(minute)
      const credentials = new Credentials([user])
      const body = { panel_serial: panel.serial, ...code, app_id: this.#signInState.appId, app_type }
      try {
        const attempt = { body, credentials, session, panel: panel.serial }
        const opened = await attemptSignIn(this.#parts, this.#baseUrl, operations.openPanel, attempt)
        return { value: opened.session_token, userGeneration: user.token.generation }
      } catch (thrown) {
        // The user token may have ended; the next try, after the pause, signs in again first.
        if (thrown instanceof Refused && !this.isSignInRecent) user.session.expire(user.token)
        const isListed = thrown instanceof Rejected && this.#isListed(panel.serial, thrown.error.code)
        throw isListed ? new Refused(serialUnknown(), true) : thrown
      }
    }
    const openTwice = async () => {
      try {
        return await open()
      } catch (thrown) {
        const hasExpired = hasCode(thrown, 'SESSION_EXPIRED') || thrown instanceof StaleToken
        if (!isSignedIn || !hasExpired) throw thrown
      }
      // The user token had expired too and has been dropped: sign in once, then open the panel once more.
      try {
        return await open()
      } catch (thrown) {
        if (isSignedIn && hasCode(thrown, 'SESSION_EXPIRED')) await this.backOff(thrown)
        throw thrown
      }
    }
    const userGeneration = async () => (await this.userCredential()).token.generation
    return this.#create(session, operations.openPanel.name, openTwice, { userGeneration })
  }

  /** Returns the token of a holder, and notes in the log why it cannot be created without an attempt. */
  async #create(
    holder: TokenHolder,
    operation: string,
    make: () => Promise<MadeToken>,
    options: TokenOptions,
  ): Promise<Token> {
    let isTried = holder.isSigningIn
    const onTry = () => {
      isTried = true
    }
    try {
      return await holder.token(make, { ...options, mode: this.#mode, onTry })
    } catch (thrown) {
      const why = holder.rejection ? 'was rejected before' : 'failed a short time ago'
      if (!isTried) this.#parts.log.trace?.(`"${operation}": not sent, because it ${why}`)
      throw thrown
    }
  }

  /** Returns true if a rejection is one of the serial, although the account's list of panels has it. */
  #isListed(serial: string, code: string): boolean {
    return code === 'BAD_SETTING' && this.#signInState.serials.has(serial)
  }

  #panelToken(panel: PanelKey): TokenHolder {
    const { serial, userCode } = panel
    const key = panelKeyText(panel)
    const known = this.#signInState.panelTokens.get(key)
    if (known !== undefined) return known
    const secrets = {
      subject: `panel ${serial}`,
      secrets: secretsOf(this.#settings, serial, userCode),
      isContradicted: (code: string) => this.#isListed(serial, code),
    }
    const session = new TokenHolder(this.#signInState.serviceUser, secrets, this.#parts.clock)
    this.#signInState.panelTokens.set(key, session)
    return session
  }
}

/** Returns the error for a serial that is in the account's list of panels and unknown at the sign-in. */
function serialUnknown(): KeyholderError {
  return new KeyholderError(
    'BAD_RESPONSE',
    'The service lists this panel, but does not accept its serial number yet. This can happen with a new panel.',
    {},
    { text: 'finding.serialPending' },
  )
}

/** Returns true if the refusal of a request may have any reason, even an ended session. */
function isUnexplainedRefusal({ effect, error: { code, status = 0 } }: ClassifiedError): boolean {
  const isRefusal = status >= 400 && status < 500 && effect !== 'hold'
  return isRefusal && code !== 'PANEL_OFFLINE'
}

/** Returns the key of a panel's token holder. */
function panelKeyText({ serial, userCode }: PanelKey): string {
  return JSON.stringify([serial, userCode])
}
