import { minute } from '../../duration.ts'
import { type ClassifiedError, isExpiry } from '../../service/classify-error.ts'
import { hasCode, KeyholderError } from '../../service/error.ts'
import { rejectedWithoutReason } from '../../service/error-table.ts'
import { type Operation, operations } from '../../service/operations.ts'
import type { SignInAnswer } from '../../service/responses/sessions.ts'
import type { AccountMode, AccountSettings } from '../account-settings.ts'
import { type ExchangeDependencies, exchange, refuseDuringBackoff } from '../requests/exchange.ts'
import type { PanelKey } from '../requests/request.ts'
import { Refused, Rejected } from '../service-user/auth/judgement.ts'
import {
  type Credential,
  Credentials,
  StaleToken,
  type Token,
  type TokenHolder,
  type TokenOptions,
} from '../service-user/auth/token-holder.ts'
import type { MadeToken } from '../service-user/auth/token-store.ts'
import { forAllCallers } from '../service-user/rate-limit/rate-limiter.ts'
import { type BaseUrl, minIntervalAfterSign } from '../service-version.ts'
import type { Session } from './session.ts'
import { PathUnknown } from './sign-in-path.ts'

/** Signs in and opens panels, when a token is first needed or has expired (interface specification 4). */
export class SignIn {
  readonly #settings: AccountSettings
  readonly #session: Session
  readonly #parts: ExchangeDependencies
  readonly #baseUrl: BaseUrl
  readonly #mode: AccountMode

  constructor(
    settings: AccountSettings,
    session: Session,
    parts: ExchangeDependencies,
    baseUrl: BaseUrl,
    mode: AccountMode,
  ) {
    this.#settings = settings
    this.#session = session
    this.#parts = parts
    this.#baseUrl = baseUrl
    this.#mode = mode
  }

  /** Starts a backoff after a new session expired at once: repeated sign-ins would only lock the account. */
  backOff(error: KeyholderError): Promise<void> {
    return this.#parts.serviceUser.backOff(error, {}, this.#parts.random())
  }

  /**
   * Returns the tokens that an operation needs, and creates the missing ones. Some operations are read with the user token
   * alone where no panel can be opened (interface specification 5.4).
   * @throws KeyholderError
   */
  async credentialsFor(
    { name, tokens }: Operation<unknown>,
    panel: PanelKey | undefined,
  ): Promise<Credentials> {
    if (tokens === 'none') return new Credentials()
    if (tokens === 'user') return new Credentials([await this.userCredential()])
    const mayBeAlone = tokens === 'user, or both'
    if (panel === undefined) {
      if (!mayBeAlone || this.#session.isRefusedAlone(name)) throw panelNeeded(name)
      return this.#userAlone()
    }
    let session: Credential
    try {
      session = await this.sessionCredential(panel)
    } catch (thrown) {
      if (!mayBeAlone || !hasCode(thrown, 'NOT_FOUND') || this.#session.hasAccepted(panel)) throw thrown
      // The service has no operation to open a panel, and the specification shows none (5.6).
      const { panelCount } = this.#session.knowledge
      if (panelCount > 1 || this.#session.isRefusedAlone(name)) throw panelNotOpened(name, thrown, panelCount)
      return this.#userAlone()
    }
    // After the session token, because its creation may have renewed the user token.
    return new Credentials([await this.userCredential(), session])
  }

  /** Notes that the service refused an operation with a valid user token alone; returns the error. */
  noteRefusedAlone(name: string, panel: PanelKey | undefined, error: KeyholderError): KeyholderError {
    this.#session.noteRefusedAlone(name)
    return panel === undefined ? panelNeeded(name) : panelNotOpened(name, error, 1)
  }

  /** Returns the user token for a request about a panel; a refusal may then mean that a session is missing. */
  async #userAlone(): Promise<Credentials> {
    return new Credentials([await this.userCredential()], true)
  }

  /**
   * Returns the user token; signs in if there is none.
   * @throws KeyholderError
   */
  async userCredential(): Promise<Credential> {
    const { userToken } = this.#session
    const token = userToken.current ?? (await this.#signIn(userToken))
    return { header: 'User-Token', session: userToken, token }
  }

  #signIn(userToken: TokenHolder): Promise<Token> {
    const { email, password, appId, api, deviceInfo } = this.#settings
    const device = api === 'user' ? { app_id: appId } : { device_id: appId, device_info: deviceInfo }
    const signIn = async () => {
      const body = { email, password, ...device }
      // The secrets are sent only to a version that the service offers.
      await this.#baseUrl.refreshIfOlderThan(minIntervalAfterSign)
      const answer = await this.#signInAtItsPath(body)
      this.#parts.stats.noteSignIn()
      await this.#parts.serviceUser.noteSignIn()
      return { value: answer.user_token, signIn: { appId, answer } }
    }
    return this.#create(userToken, operations.signIn.name, signIn, {
      onRenewed: (token) => this.#session.noteSignIn(token),
    })
  }

  /** Signs in at the path that the service has. If it has neither, both together count as one failure. */
  async #signInAtItsPath(body: Record<string, unknown>): Promise<SignInAnswer> {
    const { userToken, path } = this.#session
    const circumstances = { api: this.#settings.api, isProven: userToken.isProven, log: this.#parts.log }
    const attempt = { body, credentials: new Credentials(), session: userToken }
    try {
      return await path.signIn(circumstances, (operation, isOneOfTwo) =>
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
    const session = this.#session.panelToken(panel)
    return { header: 'Session-Token', session, token: session.current ?? (await this.#open(panel, session)) }
  }

  async #open(panel: PanelKey, session: TokenHolder): Promise<Token> {
    const { api } = this.#settings
    const code = api === 'user' ? { user_code: panel.userCode } : { installer_code: panel.userCode }
    const app_type = api === 'user' ? 'com.visonic.powermaxapp' : 'com.visonic.configurator.alarm_in'
    const open = async (isAgain = false): Promise<MadeToken> => {
      // Not before: another process may share a token, and the code is accepted then. The lengths are those of user codes,
      // and not of the codes of installers.
      if (api === 'user' && !session.isProven) {
        const refusal = this.#session.knowledge.codeLengthRefusal(panel.serial, panel.userCode)
        if (refusal !== undefined) throw refusal
      }
      // A sign-in that fails has a pause of its own, and must not be tried twice or lengthen the pause of the account.
      const user = await this.userCredential()
      // The version may be gone, and the pauses after failures are long.
      if (session.hasFailed) await this.#baseUrl.refreshIfOlderThan(minute)
      const credentials = new Credentials([user])
      const body = { panel_serial: panel.serial, ...code, app_id: this.#session.appId, app_type }
      try {
        const attempt = { body, credentials, session, panel: panel.serial }
        const opened = await attemptSignIn(this.#parts, this.#baseUrl, operations.openPanel, attempt)
        return { value: opened.session_token, userGeneration: user.token.generation }
      } catch (thrown) {
        // The user token may have ended; the next try, after the pause, signs in again first.
        if (thrown instanceof Refused && !this.#session.isSignInRecent) user.session.expire(user.token)
        if (thrown instanceof Rejected && this.#session.isContradicted(panel.serial, thrown.error.code))
          throw new Refused(serialUnknown(), true)
        const hasExpired = hasCode(thrown, 'SESSION_EXPIRED')
        // The user token had expired too and has been dropped: sign in once, then open the panel once more.
        if (!isAgain && (hasExpired || thrown instanceof StaleToken)) return open(true)
        if (hasExpired) await this.backOff(thrown)
        throw thrown
      }
    }
    const userGeneration = async () => (await this.userCredential()).token.generation
    return this.#create(session, operations.openPanel.name, open, { userGeneration })
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
}

/** Returns the error for an operation that cannot be answered before a panel is opened. */
function panelNeeded(operation: string): KeyholderError {
  return new KeyholderError(
    'NOT_CONFIGURED',
    `Panel: the service answers "${operation}" only for a panel. Choose one in the node.`,
  )
}

/** Returns the error for a panel that cannot be opened, because the service has no operation for it. */
function panelNotOpened(operation: string, opening: KeyholderError, panels: number): KeyholderError {
  const cause =
    panels > 1
      ? `The account has ${panels} panels, and the service has no operation to open one of them, so "${operation}" could be about any`
      : `The service answers "${operation}" only for an opened panel, and has no operation to open one`
  return new KeyholderError('NOT_FOUND', `${cause}. Ask your provider.`, { status: opening.status })
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

/** One attempt at a sign-in or at the opening of a panel. */
interface SignInAttempt {
  body: Record<string, unknown>
  credentials: Credentials
  /** The holder of the token that the attempt is to get. */
  session: TokenHolder
  /** The serial of the panel to open. */
  panel?: string
  /** True if the sign-in may be at this path or at another one. */
  isOneOfTwo?: boolean
}

/**
 * Makes one attempt at a sign-in or at POST /panel/login. All other requests wait for it.
 *
 * The service may count a sign-in that fails or gets no answer. The token holder therefore waits before the
 * next one.
 * @throws Rejected for secrets that stay wrong, and Refused for those that may be right
 * @throws PathUnknown for one of two paths, if the service does not have it
 * @throws KeyholderError
 */
async function attemptSignIn<T>(
  parts: ExchangeDependencies,
  baseUrl: BaseUrl,
  operation: Operation<T>,
  { body, credentials, session, panel, isOneOfTwo = false }: SignInAttempt,
): Promise<T> {
  const place = forAllCallers(panel)
  refuseDuringBackoff(parts, operation.name, place)
  const base = await baseUrl.base()
  let wasSent = false
  const onSend = () => {
    wasSent = true
  }
  const attempt = { method: operation.method, url: base + operation.path, credentials, body, onSend }
  await session.noteSending()
  const outcome = await exchange(parts, operation, attempt, place).catch((thrown) => {
    if (wasSent && hasCode(thrown, 'TIMEOUT')) session.noteFailure(thrown)
    throw thrown
  })
  if ('value' in outcome) return outcome.value
  const { effect, error } = outcome
  if (effect === 'rejected') throw new Rejected(error)
  if (effect === 'refused') throw new Refused(error, session.isProven, thirdTime(operation.name, outcome))
  const hasMoved = effect === 'not there' && (await baseUrl.hasMovedFrom(base))
  if (isOneOfTwo && !hasMoved && effect === 'not there' && error.code === 'NOT_FOUND')
    throw new PathUnknown(error)
  const isRepeated = hasMoved || effect === 'hold' || (isExpiry(outcome) && credentials.hasTokens)
  if (!isRepeated) session.noteFailure(error)
  throw error
}

/** Returns the error of the third refusal within an hour; undefined if the service names a reason for it. */
function thirdTime(operation: string, { error, namesReason }: ClassifiedError): KeyholderError | undefined {
  const rejected = rejectedWithoutReason[operation]
  if (namesReason || rejected === undefined) return undefined
  return new KeyholderError(rejected.code, rejected.sentence, { status: error.status })
}
