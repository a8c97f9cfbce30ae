import type { Clock } from '../clock.ts'
import type { KeyholderError } from '../service/error.ts'
import { ownPause, unansweredPause } from './hold.ts'
import type { Purpose } from './purpose.ts'
import { Rejected, type Rejections, type Secrets } from './rejections.ts'

/** A token and its place in the row of tokens, so that a failed call knows whether its token is still the current one. */
export interface Token {
  readonly value: string
  readonly generation: number
}

/**
 * Keeps one token: makes it when it is first needed, and again when the one in use has expired.
 *
 * All callers share one sign-in. A call that failed with an older token than the present one waits for the present
 * one and signs in nothing: fifty calls in flight at an expiry cost one sign-in. Rejected secrets latch; other
 * secrets are another session.
 */
export class Session {
  readonly #rejections: Rejections
  readonly #secrets: Secrets
  readonly #clock: Clock
  #token: Token | undefined
  #generation = 0
  #signingIn: Promise<Token> | undefined
  #rejection: KeyholderError | undefined
  #failures = 0
  #putOff: { until: number; error: KeyholderError } | undefined

  /** @param secrets what the service would reject */
  constructor(rejections: Rejections, secrets: Secrets, clock: Clock) {
    this.#rejections = rejections
    this.#secrets = secrets
    this.#clock = clock
  }

  /** Whether the service has taken the secrets, in this process. */
  get isProven(): boolean {
    return this.#generation > 0
  }

  /** Whether there is a token that the service still takes, as far as we know. */
  get hasToken(): boolean {
    return this.#token !== undefined
  }

  /** Whether a sign-in runs at the moment. */
  get isSigningIn(): boolean {
    return this.#signingIn !== undefined
  }

  /** The error with which the secrets were rejected. */
  get rejection(): KeyholderError | undefined {
    return this.#rejection
  }

  /** Says that present settings have these secrets, also before anything is tried with them. */
  use(): void {
    this.#rejections.use(this.#secrets)
  }

  /**
   * The present token, or a new one.
   * @param make signs in; throws `Rejected` for secrets that stay wrong
   * @throws KeyholderError what the sign-in failed with, or what the secrets were rejected with before
   */
  token(make: () => Promise<string>, purpose: Purpose = 'deployed'): Promise<Token> {
    if (this.#token !== undefined) return Promise.resolve(this.#token)
    this.#signingIn ??= this.#sign(make, purpose).finally(() => {
      this.#signingIn = undefined
    })
    return this.#signingIn
  }

  /**
   * Notes that a sign-in was sent and failed, though nothing was rejected: the service may count it all the same, so the
   * next one waits longer each time, whoever asks. Where no answer came and the secrets were never taken, they may be
   * wrong, and it waits very long.
   */
  fail(error: KeyholderError): void {
    this.#failures += 1
    const mayBeWrong = error.code === 'TIMEOUT' && !this.isProven
    const pause = mayBeWrong ? unansweredPause(this.#failures) : ownPause(this.#failures, 1)
    this.#putOff = { until: this.#clock.monotonic() + pause, error }
  }

  /** Whether a word is the token or one of the secrets, which nobody may be told when the service says it again. */
  isSecret(word: string): boolean {
    return this.#token?.value === word || this.#secrets.secrets.includes(word)
  }

  /** Whether a token is the one in use. */
  isPresent(token: Token): boolean {
    return this.#token?.generation === token.generation
  }

  /** Forgets a token that the service no longer takes, unless a newer one stands in its place already. */
  expire(token: Token): void {
    if (this.isPresent(token)) this.#token = undefined
  }

  /** Forgets whatever token there is: the sign-in above it is a newer one. */
  forget(): void {
    this.#token = undefined
  }

  async #sign(make: () => Promise<string>, purpose: Purpose): Promise<Token> {
    if (this.#putOff && this.#clock.monotonic() < this.#putOff.until) throw this.#putOff.error
    try {
      const value = await this.#rejections.attempt(this.#secrets, make, purpose)
      this.#rejection = undefined
      this.#failures = 0
      this.#putOff = undefined
      this.#generation += 1
      this.#token = { value, generation: this.#generation }
      return this.#token
    } catch (thrown) {
      if (!(thrown instanceof Rejected)) throw thrown
      this.#rejection = thrown.error
      throw thrown.error
    }
  }
}
