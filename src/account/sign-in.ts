import { KeyholderError } from '../service/error.ts'
import { hasCode } from '../service/error-code.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { Access } from './access.ts'
import type { Address } from './address.ts'
import { forEverybody } from './budget.ts'
import { Credentials, Outdated } from './credentials.ts'
import { type ExchangeParts, exchange } from './exchange.ts'
import type { Purpose } from './purpose.ts'
import { Rejected } from './rejections.ts'
import { Session, type Token } from './session.ts'
import type { AccountSettings } from './settings.ts'

/** A panel as the service needs it named; the code is text, since a number would lose its leading zeros. */
export interface PanelKey {
  serial: string
  userCode: string
}

/** Signs the user in and opens panels, each when its token is first needed or has died (interface specification 4). */
export class SignIn {
  readonly #settings: AccountSettings
  readonly #parts: ExchangeParts
  readonly #access: Access
  readonly #address: Address
  readonly #purpose: Purpose

  constructor(settings: AccountSettings, parts: ExchangeParts, address: Address, purpose: Purpose) {
    this.#settings = settings
    this.#parts = parts
    this.#access = parts.access
    this.#address = address
    this.#purpose = purpose
  }

  /** Whether serial or user code of the panel were rejected and are not tried again. */
  hasRejected(panel: PanelKey): boolean {
    return this.#access.panels.get(panelName(panel))?.rejection !== undefined
  }

  /** Holds the user after a fresh session that died at once: signing in on and on would only lock the account. */
  pause(error: KeyholderError): Promise<void> {
    return this.#access.conduct.hold(error, undefined, this.#parts.random())
  }

  /**
   * The user token, made where there is none.
   * @throws KeyholderError
   */
  userToken(): Promise<Token> {
    const { email, password, appId, api, deviceInfo } = this.#settings
    const { clock } = this.#parts
    const { user } = this.#access
    const device = api === 'user' ? { app_id: appId } : { device_id: appId, device_info: deviceInfo }
    return user.token(async () => {
      const body = { email, password, ...device }
      const session = await this.#attempt(operations.signIn, body, new Credentials(), user)
      const now = clock.monotonic()
      this.#access.record.signedIn()
      await this.#access.conduct.signedIn()
      this.#access.signedIn = { value: session, fetchedAt: clock.wall(), at: now, sentAt: now }
      this.#access.appId = appId
      // Session tokens belong to the user token they were made with.
      for (const panel of this.#access.panels.values()) panel.forget()
      return session.user_token
    }, this.#purpose)
  }

  /**
   * The tokens that an operation takes, made where there are none.
   * @throws KeyholderError
   */
  async credentials({ name, tokens }: Operation<unknown>, panel: PanelKey | undefined): Promise<Credentials> {
    if (tokens === 'none') return new Credentials()
    if (tokens === 'user') return new Credentials([await this.#userCredential()])
    if (panel === undefined) throw new KeyholderError('NOT_CONFIGURED', `${name} needs a panel.`)
    const token = await this.sessionToken(panel)
    // After the session token, whose making may have renewed the user token.
    const user = await this.#userCredential()
    return new Credentials([user, { header: 'Session-Token', session: this.#panelSession(panel), token }])
  }

  async #userCredential() {
    return { header: 'User-Token', session: this.#access.user, token: await this.userToken() } as const
  }

  /**
   * The panel's session token, made where there is none.
   * @throws KeyholderError
   */
  sessionToken(panel: PanelKey): Promise<Token> {
    const { api } = this.#settings
    const session = this.#panelSession(panel)
    const code = api === 'user' ? { user_code: panel.userCode } : { installer_code: panel.userCode }
    const app_type = api === 'user' ? 'com.visonic.powermaxapp' : 'com.visonic.configurator.alarm_in'
    const open = async () => {
      const credentials = new Credentials([await this.#userCredential()])
      const body = { panel_serial: panel.serial, ...code, app_id: this.#access.appId, app_type }
      return (await this.#attempt(operations.openPanel, body, credentials, session)).session_token
    }
    return session.token(async () => {
      try {
        return await open()
      } catch (thrown) {
        if (!hasCode(thrown, 'SESSION_EXPIRED') && !(thrown instanceof Outdated)) throw thrown
      }
      // The user token was dead too, and is forgotten by now: sign in once, then open once more.
      try {
        return await open()
      } catch (thrown) {
        if (hasCode(thrown, 'SESSION_EXPIRED')) await this.pause(thrown)
        throw thrown
      }
    }, this.#purpose)
  }

  /**
   * One attempt at POST /auth or POST /panel/login, in the urgent lane because everything waits for it.
   *
   * A sign-in that fails at the service, or whose answer does not come, may count there: the session then waits before
   * the next one.
   */
  async #attempt<T>(
    operation: Operation<T>,
    body: Record<string, unknown>,
    credentials: Credentials,
    session: Session,
  ): Promise<T> {
    this.#access.conduct.refuseWhileHeld()
    const base = await this.#address.base()
    const attempt = { method: operation.method, url: base + operation.path, credentials, body }
    const answered = session.isProven ? undefined : await this.#access.conduct.sending()
    const outcome = await exchange(this.#parts, operation, attempt, forEverybody())
      .catch((thrown) => {
        if (hasCode(thrown, 'TIMEOUT')) session.fail(thrown)
        throw thrown
      })
      .finally(answered)
    if ('value' in outcome) return outcome.value
    if (outcome.meaning === 'rejected') throw new Rejected(outcome.error)
    const hasMoved = outcome.meaning === 'not there' && (await this.#address.hasMovedFrom(base))
    if (outcome.meaning === 'failed' || (outcome.meaning === 'not there' && !hasMoved)) {
      session.fail(outcome.error)
    }
    throw outcome.error
  }

  #panelSession(panel: PanelKey): Session {
    const { serial, userCode } = panel
    const key = panelName(panel)
    const known = this.#access.panels.get(key)
    if (known !== undefined) return known
    const { email, password, api, url } = this.#settings
    const secrets = { subject: `panel ${serial}`, secrets: [url, api, email, password, serial, userCode] }
    const session = new Session(this.#access.conduct.rejections, secrets, this.#parts.clock)
    this.#access.panels.set(key, session)
    return session
  }
}

/** What a panel's session is kept under. */
function panelName({ serial, userCode }: PanelKey): string {
  return JSON.stringify([serial, userCode])
}
