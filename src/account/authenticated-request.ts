import { onAbort } from '../clock.ts'
import { type ClassifiedError, isExpiry } from '../service/classify-error.ts'
import { asKeyholderError, hasCode, type KeyholderError, unsupportedCodes } from '../service/error.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { Success } from './answer.ts'
import type { LicenseCheck } from './license.ts'
import {
  type ExchangeDependencies,
  exchange,
  refuseDuringBackoff,
  type UnsentAttempt,
} from './requests/exchange.ts'
import type { CommandRequest, PanelKey, ReadRequest, ReadSubject } from './requests/request.ts'
import { type Credentials, StaleToken } from './service-user/auth/token-holder.ts'
import type { QueuePosition } from './service-user/rate-limit/rate-limiter.ts'
import type { BaseUrl } from './service-version.ts'
import type { Session } from './session/session.ts'
import type { SignIn } from './session/sign-in.ts'

/** An answer of the service and the base address that it came from. */
interface Answered<T> {
  outcome: Success<T> | ClassifiedError
  base: string
  /** True if a request about a panel was sent with the user token alone. */
  isAlone: boolean
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
  readonly #session: Session
  readonly #parts: ExchangeDependencies
  readonly #baseUrl: BaseUrl
  readonly #signIn: SignIn
  readonly #license: LicenseCheck

  constructor(
    session: Session,
    parts: ExchangeDependencies,
    baseUrl: BaseUrl,
    signIn: SignIn,
    license: LicenseCheck,
  ) {
    this.#session = session
    this.#parts = parts
    this.#baseUrl = baseUrl
    this.#signIn = signIn
    this.#license = license
  }

  /**
   * Sends a read request.
   * @param signal ends it; that of its caller does not, because others may wait for the same answer
   * @throws KeyholderError
   */
  read<T>(operation: Operation<T>, request: ReadRequest, signal: AbortSignal): Promise<Success<T>> {
    const { lane, panel } = request
    const recovered = this.#withRecovery(
      operation.name,
      panel,
      () => this.#attempt(operation, request, request, signal),
      () => this.#isUserTokenValid(request, signal),
    )
    return this.#parts.stats.count(lane === 'command' ? this.#hurry(recovered, panel) : recovered)
  }

  /**
   * Sends a command. It is sent again only if the service certainly did not accept it: after an expiry, or if
   * the base address has moved.
   * @throws KeyholderError if the service certainly did not accept it
   * @throws InDoubt if the service may have accepted it
   */
  performOnce<T>(operation: Operation<T>, order: CommandRequest): Promise<Success<T>> {
    const recovered = this.#withRecovery(operation.name, order.panel, () =>
      this.#attemptOnce(operation, order),
    )
    return this.#hurry(recovered, order.panel)
  }

  /** Lets the sign-ins that a request of a command waits for start before manual reads and polls. */
  #hurry<T>(request: Promise<T>, panel: PanelKey | undefined): Promise<T> {
    return request.finally(this.#parts.serviceUser.rateLimiter.hurry(panel?.serial))
  }

  async #withRecovery<T>(
    name: string,
    panel: PanelKey | undefined,
    call: () => Promise<Answered<T>>,
    isUserTokenValid = async () => false,
  ): Promise<Success<T>> {
    const { serviceUser, log } = this.#parts
    const recovered = { baseUrl: false, session: false }
    for (;;) {
      let answered: Answered<T>
      try {
        answered = await call()
      } catch (thrown) {
        if (!(thrown instanceof StaleToken)) throw thrown
        log.trace?.(`"${name}": not sent, a token was renewed while the request waited; trying again`)
        continue
      }
      const { outcome, base, isAlone } = answered
      if ('value' in outcome) {
        serviceUser.noteSuccess()
        return outcome
      }
      if (isExpiry(outcome)) {
        const isValid = isAlone && !recovered.session && (await isUserTokenValid())
        if (recovered.session || isValid) {
          log.trace?.(
            `"${name}": ${outcome.effect}${isValid ? ', although the sign-in is valid' : ' again'}; not repeated`,
          )
          if (isAlone) throw this.#signIn.noteRefusedAlone(name, panel, outcome.error)
          await this.#signIn.backOff(outcome.error)
          throw outcome.error
        }
        log.trace?.(`"${name}": ${outcome.effect}; repeating the request once with a new token`)
        recovered.session = true
        continue
      }
      const hasMoved =
        outcome.effect === 'not there' && !recovered.baseUrl && (await this.#baseUrl.hasMovedFrom(base))
      if (!hasMoved) throw outcome.error
      log.trace?.(`"${name}": the version of the service has changed; repeating the request once`)
      recovered.baseUrl = true
    }
  }

  /**
   * Returns true if the service accepts the user token for the list of panels. A token that has expired is dropped. A
   * refusal of the token alone looks the same whether it has expired or a panel must be opened first, and a sign-in to
   * find that out would end the sessions of all panels.
   * @throws KeyholderError if the service does not tell
   */
  async #isUserTokenValid(
    position: Pick<QueuePosition, 'lane' | 'priority' | 'due'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#session.isSignInRecent) return true
    try {
      const { outcome } = await this.#attempt(operations.panels, position, {}, signal)
      if ('value' in outcome) return true
      if (isExpiry(outcome)) return false
      if (!hasCode(outcome.error, ...unsupportedCodes)) throw outcome.error
      // Without a list of panels, only a sign-in can tell.
      this.#session.userToken.forget()
    } catch (thrown) {
      if (!(thrown instanceof StaleToken)) throw thrown
    }
    return false
  }

  /** Makes one attempt to send a command. It can be canceled until it is sent. */
  async #attemptOnce<T>(operation: Operation<T>, order: CommandRequest): Promise<Answered<T>> {
    const { panel, body, signal, sendState = { wasSent: false }, maySend = () => true } = order
    const recall = new AbortController()
    sendState.wasSent = false
    const leave = onAbort(signal, () => {
      if (!sendState.wasSent) recall.abort()
    })
    const onSend = () => {
      if (maySend()) sendState.wasSent = true
      else recall.abort()
    }
    try {
      const answered = await this.#attempt(operation, { lane: 'command' }, { panel }, recall.signal, {
        body,
        onSend,
      })
      if (mayBeAccepted(answered.outcome)) throw answered.outcome.error
      return answered
    } catch (thrown) {
      throw sendState.wasSent ? new InDoubt(asKeyholderError(thrown)) : thrown
    } finally {
      leave()
    }
  }

  async #attempt<T>(
    operation: Operation<T>,
    { lane, priority, due }: Pick<QueuePosition, 'lane' | 'priority' | 'due'>,
    { panel, locale = '', token = '' }: ReadSubject,
    signal: AbortSignal,
    { body, onSend }: Pick<UnsentAttempt, 'body' | 'onSend'> = {},
  ): Promise<Answered<T>> {
    const { serviceUser, clock } = this.#parts
    await serviceUser.recalled
    refuseDuringBackoff(this.#parts, operation.name, { lane })
    const endProbe = lane === 'command' ? serviceUser.beginProbe() : undefined
    let credentials: Credentials
    let base: string
    try {
      credentials = await this.#signIn.credentialsFor(operation, panel)
      // After the sign-in, which may find another version.
      base = await this.#baseUrl.base()
    } finally {
      endProbe?.()
    }
    const { signedIn, knowledge } = this.#session
    const license = signedIn?.value.license
    if (license) this.#license.check(license, operation.name, knowledge.panelTypes, clock.wall())
    const url = base + fillPath(operation.path, { locale, token })
    const attempt = { method: operation.method, url, credentials, body, onSend, locale }
    const outcome = await exchange(this.#parts, operation, attempt, {
      lane,
      priority,
      due,
      resource: operation.name,
      signal,
      panel: panel?.serial,
    })
    if (panel !== undefined && credentials.hasSession) {
      this.#session.noteOutcome(panel, 'value' in outcome ? undefined : outcome)
    }
    return { outcome, base, isAlone: operation.isAboutPanel && !credentials.hasSession }
  }
}

/** Replaces the placeholders of a path with the given values. */
function fillPath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
}

/**
 * Returns true if the service may have accepted a command although its answer does not confirm it: the
 * service failed, or its answer is unreadable.
 */
function mayBeAccepted(outcome: Success<unknown> | ClassifiedError): outcome is ClassifiedError {
  if ('value' in outcome) return false
  const { status = 0 } = outcome.error
  return status < 300 || status >= 500
}
