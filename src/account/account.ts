import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'
import { type SessionDetails, withoutToken } from '../service/user-session.ts'
import type { Verdict } from '../service/verdict.ts'
import type { Access, SharedAccess, Surroundings } from './access.ts'
import { Address } from './address.ts'
import { type BudgetFigures, forEverybody } from './budget.ts'
import { type ExchangeParts, exchange, type Success } from './exchange.ts'
import type { Answer, Asking } from './flights.ts'
import { LicenceWatch } from './licence-watch.ts'
import { Rejected } from './rejections.ts'
import { Session, type Token } from './session.ts'
import type { AccountSettings } from './settings.ts'
import { Transport } from './transport.ts'

/** A panel as the service needs it named; the code is text, since a number would lose its leading zeros. */
export interface PanelKey {
  serial: string
  userCode: string
}

/** A question to the service. */
export interface Question extends Asking {
  /** Needed by operations that take a session token. */
  panel?: PanelKey
  locale?: string
}

/** Where an account stands. */
export type Phase = 'signed-out' | 'signing-in' | 'ready' | 'held' | 'rejected'

interface Tokens {
  user?: Token
  session?: Token
}

/** One account at the service: asks questions, and sees to version, sign-in, tokens and holds by itself. */
export class Account {
  readonly settings: AccountSettings
  readonly clock: Clock
  readonly #access: Access
  readonly #parts: ExchangeParts
  readonly #address: Address
  readonly #licence: LicenceWatch

  /** @param onNotice takes a sentence that is worth a line in the log */
  constructor(
    settings: AccountSettings,
    shared: SharedAccess,
    surroundings: Surroundings,
    onNotice: (sentence: string) => void,
  ) {
    const { clock, folder, random } = surroundings
    this.settings = settings
    this.clock = clock
    this.#access = shared.take(settings, this, folder)
    this.#parts = { access: this.#access, transport: new Transport(settings), clock, random }
    this.#address = new Address(settings, this.#parts, onNotice)
    this.#licence = new LicenceWatch(onNotice)
    const { owners } = this.#access.conduct
    if (owners > 1) onNotice(sharing(this.#access.owners.size > 1, this.budget.limit))
  }

  /** Where the account stands now. */
  get phase(): Phase {
    const { user, conduct } = this.#access
    if (user.rejection !== undefined) return 'rejected'
    if (conduct.heldFor > 0) return 'held'
    if (user.isSigningIn) return 'signing-in'
    return user.hasToken ? 'ready' : 'signed-out'
  }

  /** When a hold ends, in milliseconds since 1970; nothing while there is none. */
  get heldUntil(): number | undefined {
    const left = this.#access.conduct.heldFor
    return left > 0 ? this.clock.wall() + left : undefined
  }

  /** Why the licence does not cover an operation that was asked, in plain words; nothing where it does. */
  licenceNotice(operation: string): string | undefined {
    return this.#licence.noticeOf(operation)
  }

  /** The budget as it stands now. */
  get budget(): BudgetFigures {
    return this.#access.conduct.budget.figures
  }

  /**
   * Asks the service; many who ask the same share one call, and an expired session is renewed once.
   * @throws KeyholderError
   */
  ask<T>(operation: Operation<T>, question: Question): Promise<Answer<T>> {
    const { panel, locale = '' } = question
    const { url, apiVersion } = this.settings
    const { name, form } = operation
    const key = JSON.stringify([url, apiVersion, name, form, panel?.serial, panel?.userCode, locale])
    return this.#access.flights.ask(key, question, operation.kept, (signal) =>
      this.#fly(operation, { ...question, signal }),
    )
  }

  /**
   * What the sign-in said, without its token; signs in where nobody has yet.
   * @throws KeyholderError
   */
  async session(): Promise<Answer<SessionDetails>> {
    await this.#access.conduct.recalled
    await this.#userToken()
    const { signedIn } = this.#access
    if (signedIn === undefined)
      throw new KeyholderError('SESSION_EXPIRED', 'There is no session at the moment.')
    return { ...signedIn, value: withoutToken(signedIn.value) }
  }

  /** Asks, and asks once more after each of the two things that a repeat can mend: a moved version, an expiry. */
  async #fly<T>(operation: Operation<T>, question: Question): Promise<Success<T>> {
    const { conduct } = this.#access
    const mended = { address: false, session: false }
    for (;;) {
      const { outcome, tokens, base } = await this.#once(operation, question)
      if ('value' in outcome) {
        conduct.answered()
        return outcome
      }
      if (isExpiry(outcome)) {
        this.#expire(outcome, tokens, question)
        if (mended.session) await this.#pauseSignIns(outcome)
        if (mended.session) throw outcome.error
        mended.session = true
        continue
      }
      const hasMoved =
        outcome.meaning === 'not there' && !mended.address && (await this.#address.hasMovedFrom(base))
      if (!hasMoved) throw outcome.error
      mended.address = true
    }
  }

  /** A fresh session that dies at once: signing in again and again would only lock the account. */
  #pauseSignIns({ error }: { error: KeyholderError }): Promise<void> {
    return this.#access.conduct.hold(error, undefined, this.#parts.random())
  }

  /** Forgets what the service no longer takes: the session token alone, or the user token above it too. */
  #expire({ meaning }: Verdict, { user, session }: Tokens, { panel }: Question): void {
    const panelSession = panel && this.#panelSession(panel)
    if (session !== undefined) panelSession?.expire(session)
    if (user !== undefined && (meaning === 'user token expired' || session === undefined)) {
      this.#access.user.expire(user)
    }
  }

  async #once<T>(
    operation: Operation<T>,
    question: Question,
  ): Promise<{ outcome: Success<T> | Verdict; tokens: Tokens; base: string }> {
    const { lane, panel, locale = '', signal } = question
    await this.#access.conduct.recalled
    this.#access.conduct.refuseWhileHeld()
    const base = await this.#address.base()
    const tokens: Tokens = {}
    if (operation.tokens === 'user and session') {
      if (panel === undefined) throw new KeyholderError('NOT_CONFIGURED', `${operation.name} needs a panel.`)
      tokens.session = await this.#sessionToken(panel)
    }
    // After the session token, whose making may have renewed the user token.
    if (operation.tokens !== 'none') tokens.user = await this.#userToken()
    const { license } = this.#access.signedIn?.value ?? {}
    if (license) this.#licence.look(license, operation.name, this.clock.wall())
    const outcome = await exchange(
      this.#parts,
      operation,
      {
        method: operation.method,
        url: base + operation.path.replace('{locale}', encodeURIComponent(locale)),
        headers: headers(tokens),
      },
      { lane, signal, ...(panel === undefined ? {} : { panel: panel.serial }) },
    )
    return { outcome, tokens, base }
  }

  #userToken(): Promise<Token> {
    const { email, password, appId, api, deviceInfo } = this.settings
    const device = api === 'user' ? { app_id: appId } : { device_id: appId, device_info: deviceInfo }
    return this.#access.user.token(async () => {
      const session = await this.#signIn(operations.signIn, { email, password, ...device }, {})
      const now = this.clock.monotonic()
      this.#access.signedIn = { value: session, fetchedAt: this.clock.wall(), at: now, sentAt: now }
      this.#access.appId = appId
      // Session tokens belong to the user token they were made with.
      for (const panel of this.#access.panels.values()) panel.forget()
      return session.user_token
    })
  }

  #sessionToken(panel: PanelKey): Promise<Token> {
    const { api } = this.settings
    const code = api === 'user' ? { user_code: panel.userCode } : { installer_code: panel.userCode }
    const app_type = api === 'user' ? 'com.visonic.powermaxapp' : 'com.visonic.configurator.alarm_in'
    const open = async () => {
      const user = await this.#userToken()
      const body = { panel_serial: panel.serial, ...code, app_id: this.#access.appId, app_type }
      return (await this.#signIn(operations.openPanel, body, { user })).session_token
    }
    return this.#panelSession(panel).token(async () => {
      try {
        return await open()
      } catch (thrown) {
        if (!isExpired(thrown)) throw thrown
      }
      // The user token was dead too, and is forgotten by now: sign in once, then open once more.
      try {
        return await open()
      } catch (thrown) {
        if (isExpired(thrown)) await this.#pauseSignIns({ error: thrown })
        throw thrown
      }
    })
  }

  /** One attempt at POST /auth or POST /panel/login, in the urgent lane because everything waits for it. */
  async #signIn<T>(operation: Operation<T>, body: Record<string, unknown>, tokens: Tokens): Promise<T> {
    this.#access.conduct.refuseWhileHeld()
    const base = await this.#address.base()
    const attempt = { method: operation.method, url: base + operation.path, headers: headers(tokens), body }
    const outcome = await exchange(this.#parts, operation, attempt, forEverybody())
    if ('value' in outcome) return outcome.value
    if (outcome.meaning === 'rejected') throw new Rejected(outcome.error)
    if (isExpiry(outcome) && tokens.user !== undefined) this.#access.user.expire(tokens.user)
    if (outcome.meaning === 'not there') await this.#address.hasMovedFrom(base)
    throw outcome.error
  }

  #panelSession({ serial, userCode }: PanelKey): Session {
    const key = JSON.stringify([serial, userCode])
    const known = this.#access.panels.get(key)
    if (known !== undefined) return known
    const { email, password, api, url } = this.settings
    const secrets = { subject: `panel ${serial}`, secrets: [url, api, email, password, serial, userCode] }
    const session = new Session(this.#access.conduct.rejections, secrets)
    this.#access.panels.set(key, session)
    return session
  }
}

/** What is said to whoever joins: the lowest of the caps holds for all, which would otherwise be a riddle. */
function sharing(isSession: boolean, limit: number): string {
  const what = isSession ? 'one session and one budget' : 'one budget'
  return `Another account node signs in with this e-mail at this host: they share ${what}, of ${limit} requests a minute.`
}

function isExpired(thrown: unknown): thrown is KeyholderError {
  return thrown instanceof KeyholderError && thrown.code === 'SESSION_EXPIRED'
}

function isExpiry({ meaning }: Verdict): boolean {
  return meaning === 'user token expired' || meaning === 'session token expired'
}

function headers({ user, session }: Tokens): Record<string, string> {
  return {
    ...(user === undefined ? {} : { 'User-Token': user.value }),
    ...(session === undefined ? {} : { 'Session-Token': session.value }),
  }
}
