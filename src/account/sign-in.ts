import { minute } from '../duration.ts'
import { type ClassifiedError, isExpiry } from '../service/classify-error.ts'
import { hasCode, KeyholderError } from '../service/error.ts'
import { rejectedWithoutReason } from '../service/error-table.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { SignInAnswer } from '../service/responses/sessions.ts'
import { type SignInState, secretsOf } from './account-registry.ts'
import type { AccountMode, AccountSettings } from './account-settings.ts'
import { codeLengthRefusal } from './auth/code-length.ts'
import { Credentials, StaleToken } from './auth/credentials.ts'
import { Refused, Rejected } from './auth/rejected-credentials.ts'
import { SessionDoubt } from './auth/session-doubt.ts'
import { PathUnknown } from './auth/sign-in-path.ts'
import { type Token, TokenHolder } from './auth/token-holder.ts'
import { panelNeeded, panelNotOpened } from './auth/unopened-reads.ts'
import type { BaseUrl } from './base-url.ts'
import { type ExchangeDependencies, exchange, refuseDuringBackoff } from './exchange.ts'
import { forAllCallers } from './rate-limit/rate-limiter.ts'
import type { PanelKey } from './request.ts'
import { minIntervalAfterSign } from './version-doubt.ts'

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

  /** Returns true if the serial or the user code of the panel was rejected; it is not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#signInState.panelTokens.get(panelKeyText(panel))?.rejection !== undefined
  }

  /**
   * Notes the outcome of a request to a panel. If the panel has refused all requests for minutes, its tokens
   * are dropped, so that the next request opens it again.
   */
  noteOutcome(panel: PanelKey, outcome: ClassifiedError | undefined): void {
    const { sessionDoubts, userToken } = this.#signInState
    const key = panelKeyText(panel)
    const doubt = sessionDoubts.get(key) ?? new SessionDoubt()
    sessionDoubts.set(key, doubt)
    if (outcome === undefined) doubt.noteSuccess()
    if (outcome === undefined || !isUnexplainedRefusal(outcome)) return
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
  userToken(): Promise<Token> {
    const { email, password, appId, api, deviceInfo } = this.#settings
    const { clock } = this.#parts
    const { userToken } = this.#signInState
    const device = api === 'user' ? { app_id: appId } : { device_id: appId, device_info: deviceInfo }
    return this.#create(userToken, operations.signIn.name, async () => {
      const body = { email, password, ...device }
      // The secrets are sent only to a version that the service offers.
      await this.#baseUrl.refreshIfOlderThan(minIntervalAfterSign)
      const session = await this.#signInAtItsPath(body)
      const now = clock.monotonic()
      this.#signInState.stats.noteSignIn()
      await this.#signInState.serviceUser.noteSignIn()
      this.#signInState.signedIn = { value: session, fetchedAt: clock.wall(), at: now, sentAt: now }
      this.#signInState.appId = appId
      // Session tokens belong to the user token that they were created with.
      for (const panel of this.#signInState.panelTokens.values()) panel.forget()
      return session.user_token
    })
  }

  /**
   * Signs in at the path that the service has. The secrets are sent to the second path only if the service does
   * not have the first one; a refusal without a known reason there cannot reject them.
   */
  async #signInAtItsPath(body: Record<string, unknown>): Promise<SignInAnswer> {
    const { userToken, signInPath } = this.#signInState
    const [first, second] = signInPath.candidates(this.#settings.api, userToken.isProven)
    const attempt = async (operation: Operation<SignInAnswer>, isFurther: boolean) => {
      try {
        const session = await this.#post(operation, body, new Credentials(), userToken, { isFurther })
        signInPath.noteFound(operation)
        return session
      } catch (thrown) {
        if (thrown instanceof Rejected) signInPath.noteFound(operation)
        throw thrown
      }
    }
    if (second === undefined) return attempt(first, false)
    try {
      return await attempt(first, true)
    } catch (thrown) {
      if (!(thrown instanceof PathUnknown)) throw thrown
      this.#parts.log.trace?.(`${first.name}: the service does not have ${first.path}; trying ${second.path}`)
      try {
        return await attempt(second, true)
      } catch (further) {
        if (further instanceof Refused) throw new Refused(further.error, further.isProven)
        if (!(further instanceof PathUnknown)) throw further
        userToken.noteFailure(thrown.error)
        throw thrown.error
      }
    }
  }

  /**
   * Returns the tokens that an operation needs, and creates the missing ones.
   * @throws KeyholderError
   */
  async credentials({ name, tokens }: Operation<unknown>, panel: PanelKey | undefined): Promise<Credentials> {
    if (tokens === 'none') return new Credentials()
    if (tokens === 'user') return new Credentials([await this.#userCredential()])
    const mayBeAlone = tokens === 'user, or both'
    if (panel === undefined) {
      if (!mayBeAlone || this.#isRefusedAlone(name)) throw panelNeeded(name)
      return this.#userAlone()
    }
    let token: Token
    try {
      token = await this.sessionToken(panel)
    } catch (thrown) {
      if (!mayBeAlone || !hasCode(thrown, 'NOT_FOUND') || this.#panelToken(panel).isProven) throw thrown
      // The service has no operation to open a panel, and the specification shows none (5.6).
      const { size } = this.#signInState.serials
      if (size > 1 || this.#isRefusedAlone(name)) throw panelNotOpened(name, thrown, size)
      return this.#userAlone()
    }
    // After the session token, because its creation may have renewed the user token.
    const user = await this.#userCredential()
    return new Credentials([user, { header: 'Session-Token', session: this.#panelToken(panel), token }])
  }

  /** Returns the user token for a request about a panel; a refusal may then mean that a session is missing. */
  async #userAlone(): Promise<Credentials> {
    const user = await this.#userCredential()
    return new Credentials([user], this.#isSignInRecent)
  }

  /** Notes that the service refused an operation with a new user token alone; returns the error. */
  noteRefusedAlone(name: string, panel: PanelKey | undefined, error: KeyholderError): KeyholderError {
    this.#signInState.unopenedReads.noteRefusal(name, this.#parts.clock.monotonic())
    return panel === undefined ? panelNeeded(name) : panelNotOpened(name, error, 1)
  }

  #isRefusedAlone(name: string): boolean {
    return this.#signInState.unopenedReads.isRefused(name, this.#parts.clock.monotonic())
  }

  async #userCredential() {
    return {
      header: 'User-Token',
      session: this.#signInState.userToken,
      token: await this.userToken(),
    } as const
  }

  /**
   * Returns the session token of the panel; opens the panel if there is none.
   * @throws KeyholderError
   */
  sessionToken(panel: PanelKey): Promise<Token> {
    const { api } = this.#settings
    const session = this.#panelToken(panel)
    // The lengths are those of user codes, and not of the codes of installers.
    const lengths = api === 'user' ? this.#signInState.codeLengths.get(panel.serial) : undefined
    const refusal = session.isProven ? undefined : codeLengthRefusal(panel.userCode, lengths)
    if (refusal !== undefined) return Promise.reject(refusal)
    const code = api === 'user' ? { user_code: panel.userCode } : { installer_code: panel.userCode }
    const app_type = api === 'user' ? 'com.visonic.powermaxapp' : 'com.visonic.configurator.alarm_in'
    // A sign-in that fails has a pause of its own, and must not be tried twice or lengthen the pause of the account.
    let isSignedIn = false
    const open = async () => {
      isSignedIn = false
      const user = await this.#userCredential()
      isSignedIn = true
      // The version may be gone, and the pauses after failures are long.
      if (session.hasFailed) await this.#baseUrl.refreshIfOlderThan(minute)
      const credentials = new Credentials([user])
      const body = { panel_serial: panel.serial, ...code, app_id: this.#signInState.appId, app_type }
      try {
        const place = { panel: panel.serial }
        return (await this.#post(operations.openPanel, body, credentials, session, place)).session_token
      } catch (thrown) {
        // The user token may have ended; the next try, after the pause, signs in again first.
        if (thrown instanceof Refused && !this.#isSignInRecent) user.session.expire(user.token)
        const isListed = thrown instanceof Rejected && this.#isListed(panel.serial, thrown.error.code)
        throw isListed ? new Refused(serialUnknown(), true) : thrown
      }
    }
    return this.#create(session, operations.openPanel.name, async () => {
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
    })
  }

  /** Returns the token of a holder, and notes in the log why it cannot be created without an attempt. */
  async #create(holder: TokenHolder, operation: string, make: () => Promise<string>): Promise<Token> {
    let isTried = holder.isSigningIn
    try {
      return await holder.token(() => {
        isTried = true
        return make()
      }, this.#mode)
    } catch (thrown) {
      const why = holder.rejection ? 'was rejected before' : 'failed a short time ago'
      if (!isTried) this.#parts.log.trace?.(`"${operation}": not sent, because it ${why}`)
      throw thrown
    }
  }

  /**
   * Makes one attempt at a sign-in or at POST /panel/login. All other requests wait for it.
   *
   * The service may count a sign-in that fails or gets no answer. The token holder therefore waits before the
   * next one.
   * @param isFurther true if another path is tried if the service does not have this one; it throws PathUnknown
   */
  async #post<T>(
    operation: Operation<T>,
    body: Record<string, unknown>,
    credentials: Credentials,
    session: TokenHolder,
    { panel, isFurther = false }: { panel?: string; isFurther?: boolean },
  ): Promise<T> {
    refuseDuringBackoff(this.#parts, operation.name, forAllCallers(panel))
    const base = await this.#baseUrl.base()
    let wasSent = false
    const onSend = () => {
      wasSent = true
    }
    const attempt = { method: operation.method, url: base + operation.path, credentials, body, onSend }
    const answered = session.isProven ? undefined : await this.#signInState.serviceUser.noteUnprovenSignIn()
    const outcome = await exchange(this.#parts, operation, attempt, forAllCallers(panel))
      .catch((thrown) => {
        if (wasSent && hasCode(thrown, 'TIMEOUT')) session.noteFailure(thrown)
        throw thrown
      })
      .finally(answered)
    if ('value' in outcome) return outcome.value
    const { effect, error } = outcome
    if (effect === 'rejected') throw new Rejected(error)
    if (effect === 'refused') throw new Refused(error, session.isProven, thirdTime(operation.name, outcome))
    const hasMoved = effect === 'not there' && (await this.#baseUrl.hasMovedFrom(base))
    if (isFurther && !hasMoved && effect === 'not there' && error.code === 'NOT_FOUND')
      throw new PathUnknown(error)
    const isRepeated = hasMoved || effect === 'hold' || (isExpiry(outcome) && credentials.hasTokens)
    if (!isRepeated) session.noteFailure(error)
    throw error
  }

  /** True if the latest sign-in is so recent that its token is certainly valid. */
  get #isSignInRecent(): boolean {
    const { signedIn } = this.#signInState
    return signedIn !== undefined && this.#parts.clock.monotonic() - signedIn.at < minute
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
    const session = new TokenHolder(
      this.#signInState.serviceUser.rejectedCredentials,
      secrets,
      this.#parts.clock,
    )
    this.#signInState.panelTokens.set(key, session)
    return session
  }
}

/** Returns the error for a serial that is in the account's list of panels and unknown at the sign-in. */
function serialUnknown(): KeyholderError {
  return new KeyholderError(
    'BAD_RESPONSE',
    'The service lists this panel, but does not accept its serial number yet. This can happen with a new panel.',
  )
}

/** Returns the error of the third refusal within an hour; undefined if the service names a reason for it. */
function thirdTime(operation: string, { error, namesReason }: ClassifiedError): KeyholderError | undefined {
  const rejected = rejectedWithoutReason[operation]
  if (namesReason || rejected === undefined) return undefined
  const { status } = error
  return new KeyholderError(rejected.code, rejected.sentence, { status })
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
