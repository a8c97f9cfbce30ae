import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { Operation } from '../service/operations.ts'
import type { Verdict } from '../service/verdict.ts'
import type { Address } from './address.ts'
import { Outdated } from './credentials.ts'
import { type ExchangeParts, exchange, type Success } from './exchange.ts'
import type { Asking } from './flights.ts'
import type { LicenceWatch } from './licence-watch.ts'
import type { PanelKey, SignIn } from './sign-in.ts'

/** A question to the service. */
export interface Question extends Asking {
  /** Needed by operations that take a session token. */
  panel?: PanelKey
  locale?: string
  /** The process token that the operation is about. */
  token?: string
}

/** A command for a panel. */
export interface Order {
  panel: PanelKey
  body: Readonly<Record<string, unknown>>
  /** Takes the command back as long as it has not left; what is on its way goes on, since nobody could stop it. */
  signal: AbortSignal
  /** Is kept up to date while the command is on its way. */
  departure?: Departure
}

/** Whether a command may be at the service; no more when it was not taken, and is to be sent again. */
export interface Departure {
  hasLeft: boolean
}

/** An answer of the service, and the address that it came from. */
interface Answered<T> {
  outcome: Success<T> | Verdict
  base: string
}

/** Thrown where a command may have been taken, and so must not be sent again. */
export class InDoubt {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

/** Calls the service, once more after each of the two things that a repeat can mend: a moved version, an expiry. */
export class Calls {
  readonly #parts: ExchangeParts
  readonly #address: Address
  readonly #signIn: SignIn
  readonly #licence: LicenceWatch

  constructor(parts: ExchangeParts, address: Address, signIn: SignIn, licence: LicenceWatch) {
    this.#parts = parts
    this.#address = address
    this.#signIn = signIn
    this.#licence = licence
  }

  /**
   * Asks.
   * @throws KeyholderError
   */
  ask<T>(operation: Operation<T>, question: Question): Promise<Success<T>> {
    return this.#mended(() => this.#attempt(operation, question))
  }

  /**
   * Commands. It is sent again only where the service certainly did not take it: after an expiry, at a moved address.
   * @throws KeyholderError where it was certainly not taken
   * @throws InDoubt where it may have been
   */
  command<T>(operation: Operation<T>, order: Order): Promise<Success<T>> {
    return this.#mended(() => this.#sendOnce(operation, order))
  }

  async #mended<T>(call: () => Promise<Answered<T>>): Promise<Success<T>> {
    const { conduct } = this.#parts.access
    const mended = { address: false, session: false }
    for (;;) {
      const { outcome, base } = await unlessOutdated(call)
      if ('value' in outcome) {
        conduct.answered()
        return outcome
      }
      if (isExpiry(outcome)) {
        if (mended.session) await this.#signIn.pause(outcome.error)
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

  /** One attempt with a command, which can be taken back until it leaves. */
  async #sendOnce<T>(operation: Operation<T>, order: Order): Promise<Answered<T>> {
    const { panel, body, signal, departure = { hasLeft: false } } = order
    const recall = new AbortController()
    departure.hasLeft = false
    const takeBack = () => {
      if (!departure.hasLeft) recall.abort()
    }
    signal.addEventListener('abort', takeBack)
    if (signal.aborted) takeBack()
    const onLeaving = () => {
      departure.hasLeft = true
    }
    try {
      const question = { lane: 'urgent', panel, signal: recall.signal } as const
      const answered = await this.#attempt(operation, question, { body, onLeaving })
      if (mayBeTaken(answered.outcome)) throw answered.outcome.error
      return answered
    } catch (thrown) {
      throw departure.hasLeft ? new InDoubt(asKeyholderError(thrown)) : thrown
    } finally {
      signal.removeEventListener('abort', takeBack)
    }
  }

  async #attempt<T>(
    operation: Operation<T>,
    { lane, panel, locale = '', token = '', signal }: Omit<Question, 'maxAge'>,
    sending: { body?: Order['body']; onLeaving?: () => void } = {},
  ): Promise<Answered<T>> {
    const { access, clock } = this.#parts
    await access.conduct.recalled
    access.conduct.refuseWhileHeld()
    const base = await this.#address.base()
    const credentials = await this.#signIn.credentials(operation, panel)
    const { license } = access.signedIn?.value ?? {}
    if (license) this.#licence.look(license, operation.name, clock.wall())
    const url = base + filledIn(operation.path, { locale, token })
    const attempt = { method: operation.method, url, credentials, ...sending }
    const place = { lane, signal, ...(panel === undefined ? {} : { panel: panel.serial }) }
    return { outcome: await exchange(this.#parts, operation, attempt, place), base }
  }
}

/** The same call again, as long as nothing was sent, where its tokens were renewed while it stood in line. */
async function unlessOutdated<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (thrown) {
      if (!(thrown instanceof Outdated)) throw thrown
    }
  }
}

/** A path with what the question gives in its places. */
function filledIn(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
}

function isExpiry({ meaning }: Verdict): boolean {
  return meaning === 'user token expired' || meaning === 'session token expired'
}

/** Whether a command may have been taken although this is no answer to it: the service failed on the way, or mumbles. */
function mayBeTaken(outcome: Success<unknown> | Verdict): outcome is Verdict {
  if ('value' in outcome) return false
  const { status = 0 } = outcome.error
  return status < 300 || status >= 500
}
