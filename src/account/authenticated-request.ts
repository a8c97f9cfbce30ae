import type { Verdict } from '../service/classify-error.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { Operation } from '../service/operations.ts'
import { StaleToken } from './auth/credentials.ts'
import type { BaseUrl } from './base-url.ts'
import { type ExchangeParts, exchange, type Success } from './exchange.ts'
import type { LicenseCheck } from './license-check.ts'
import type { ReadOptions } from './request-coalescer.ts'
import type { PanelKey, SignIn } from './sign-in.ts'

/** A read request to the service. */
export interface ReadRequest extends ReadOptions {
  /** Required for operations that use a session token. */
  panel?: PanelKey
  locale?: string
  /** The process token that the operation refers to. */
  token?: string
}

/** A command for a panel. */
export interface Order {
  panel: PanelKey
  body: Readonly<Record<string, unknown>>
  /** Cancels the command before it is sent. A sent command cannot be stopped. */
  signal: AbortSignal
  /** Updated while the command is in progress. */
  departure?: SendState
}

/**
 * The send state of a command. `wasSent` is true if the service may have received the command. It becomes
 * false again if the service did not accept the command and it is sent again.
 */
export interface SendState {
  wasSent: boolean
}

/** An answer of the service and the base address that it came from. */
interface Answered<T> {
  outcome: Success<T> | Verdict
  base: string
}

/** Thrown if the service may have accepted a command, so it must not be sent again. */
export class InDoubt {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

/**
 * Sends authenticated requests. A request is repeated once after each of the two failures that a repeat can
 * fix: a moved version and an expired session.
 */
export class AuthenticatedRequests {
  readonly #parts: ExchangeParts
  readonly #baseUrl: BaseUrl
  readonly #signIn: SignIn
  readonly #license: LicenseCheck

  constructor(parts: ExchangeParts, baseUrl: BaseUrl, signIn: SignIn, license: LicenseCheck) {
    this.#parts = parts
    this.#baseUrl = baseUrl
    this.#signIn = signIn
    this.#license = license
  }

  /**
   * Sends a read request.
   * @throws KeyholderError
   */
  ask<T>(operation: Operation<T>, question: ReadRequest): Promise<Success<T>> {
    return this.#withRecovery(() => this.#attempt(operation, question))
  }

  /**
   * Sends a command. It is sent again only if the service certainly did not accept it: after an expiry, or if
   * the base address has moved.
   * @throws KeyholderError if the service certainly did not accept it
   * @throws InDoubt if the service may have accepted it
   */
  command<T>(operation: Operation<T>, order: Order): Promise<Success<T>> {
    return this.#withRecovery(() => this.#sendOnce(operation, order))
  }

  async #withRecovery<T>(call: () => Promise<Answered<T>>): Promise<Success<T>> {
    const { serviceUser } = this.#parts.signInState
    const mended = { baseUrl: false, session: false }
    for (;;) {
      const { outcome, base } = await unlessOutdated(call)
      if ('value' in outcome) {
        serviceUser.answered()
        return outcome
      }
      if (isExpiry(outcome)) {
        if (mended.session) await this.#signIn.pause(outcome.error)
        if (mended.session) throw outcome.error
        mended.session = true
        continue
      }
      const hasMoved =
        outcome.meaning === 'not there' && !mended.baseUrl && (await this.#baseUrl.hasMovedFrom(base))
      if (!hasMoved) throw outcome.error
      mended.baseUrl = true
    }
  }

  /** Makes one attempt to send a command. It can be canceled until it is sent. */
  async #sendOnce<T>(operation: Operation<T>, order: Order): Promise<Answered<T>> {
    const { panel, body, signal, departure = { wasSent: false } } = order
    const recall = new AbortController()
    departure.wasSent = false
    const takeBack = () => {
      if (!departure.wasSent) recall.abort()
    }
    signal.addEventListener('abort', takeBack)
    if (signal.aborted) takeBack()
    const onSend = () => {
      departure.wasSent = true
    }
    try {
      const question = { lane: 'urgent', panel, signal: recall.signal } as const
      const answered = await this.#attempt(operation, question, { body, onSend })
      if (mayBeTaken(answered.outcome)) throw answered.outcome.error
      return answered
    } catch (thrown) {
      throw departure.wasSent ? new InDoubt(asKeyholderError(thrown)) : thrown
    } finally {
      signal.removeEventListener('abort', takeBack)
    }
  }

  async #attempt<T>(
    operation: Operation<T>,
    { lane, panel, locale = '', token = '', signal }: Omit<ReadRequest, 'maxAge'>,
    sending: { body?: Order['body']; onSend?: () => void } = {},
  ): Promise<Answered<T>> {
    const { signInState, clock } = this.#parts
    await signInState.serviceUser.recalled
    signInState.serviceUser.refuseWhileHeld()
    const base = await this.#baseUrl.base()
    const credentials = await this.#signIn.credentials(operation, panel)
    const { license } = signInState.signedIn?.value ?? {}
    if (license) this.#license.look(license, operation.name, clock.wall())
    const url = base + filledIn(operation.path, { locale, token })
    const attempt = { method: operation.method, url, credentials, ...sending }
    const place = { lane, signal, ...(panel === undefined ? {} : { panel: panel.serial }) }
    return { outcome: await exchange(this.#parts, operation, attempt, place), base }
  }
}

/** Repeats a call if its tokens were renewed while it was queued; nothing was sent in that case. */
async function unlessOutdated<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (thrown) {
      if (!(thrown instanceof StaleToken)) throw thrown
    }
  }
}

/** Replaces the placeholders of a path with the given values. */
function filledIn(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
}

function isExpiry({ meaning }: Verdict): boolean {
  return meaning === 'user token expired' || meaning === 'session token expired'
}

/**
 * Returns true if the service may have accepted a command although its answer does not confirm it: the
 * service failed, or its answer is unreadable.
 */
function mayBeTaken(outcome: Success<unknown> | Verdict): outcome is Verdict {
  if ('value' in outcome) return false
  const { status = 0 } = outcome.error
  return status < 300 || status >= 500
}
