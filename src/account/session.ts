import type { KeyholderError } from '../service/error.ts'
import type { Rejections } from './rejections.ts'

/** A token and its place in the row of tokens, so that a failed call knows whether its token is still the current one. */
export interface Token {
  readonly value: string
  readonly generation: number
}

/** One sign-in at a time: what makes a token, and the secrets with which it does so. */
export interface SignIn {
  /** Makes the attempt; a KeyholderError marked as rejected latches. */
  make(): Promise<string>
  /** What the service would reject: hashed and remembered when it does. */
  secrets: readonly string[]
}

/** Thrown by `SignIn.make` for what stays wrong until the settings change. */
export class Rejected {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

/**
 * Keeps one token: makes it when it is first needed, and again when the one in use has expired.
 *
 * All callers share one sign-in. A call that failed with an older token than the present one waits for the present
 * one and signs in nothing: fifty calls in flight at an expiry cost one sign-in. Rejected secrets latch: nothing but
 * other secrets opens the latch, and it is remembered over restarts.
 */
export class Session {
  readonly #rejections: Rejections
  #token: Token | undefined
  #generation = 0
  #signingIn: Promise<Token> | undefined
  #rejected: { secrets: readonly string[]; error: KeyholderError } | undefined
  #signIns = 0

  constructor(rejections: Rejections) {
    this.#rejections = rejections
  }

  /** How often a sign-in was attempted. */
  get signIns(): number {
    return this.#signIns
  }

  /** Whether there is a token that the service still takes, as far as we know. */
  get hasToken(): boolean {
    return this.#token !== undefined
  }

  /** Whether a sign-in runs at the moment. */
  get isSigningIn(): boolean {
    return this.#signingIn !== undefined
  }

  /** The error of the secrets that were rejected, while no others have been tried. */
  get rejection(): KeyholderError | undefined {
    return this.#rejected?.error
  }

  /**
   * The present token, or a new one.
   * @throws KeyholderError what the sign-in failed with, or what these secrets were rejected with before
   */
  token(signIn: SignIn): Promise<Token> {
    if (this.#token !== undefined) return Promise.resolve(this.#token)
    this.#signingIn ??= this.#sign(signIn).finally(() => {
      this.#signingIn = undefined
    })
    return this.#signingIn
  }

  /** Forgets a token that the service no longer takes, unless a newer one stands in its place already. */
  expire(token: Token): void {
    if (this.#token?.generation === token.generation) this.#token = undefined
  }

  /** Forgets whatever token there is: it belonged to other secrets, or to an older sign-in above it. */
  forget(): void {
    this.#token = undefined
  }

  async #sign({ make, secrets }: SignIn): Promise<Token> {
    const before = await this.#rejectedBefore(secrets)
    if (before !== undefined) throw before
    try {
      this.#signIns += 1
      const value = await make()
      this.#generation += 1
      this.#token = { value, generation: this.#generation }
      return this.#token
    } catch (thrown) {
      if (!(thrown instanceof Rejected)) throw thrown
      this.#rejected = { secrets, error: thrown.error }
      await this.#rejections.add(secrets, thrown.error).catch(() => {
        // A folder that cannot be written costs the memory over restarts; the latch in this process still holds.
      })
      throw thrown.error
    }
  }

  async #rejectedBefore(secrets: readonly string[]): Promise<KeyholderError | undefined> {
    if (this.#rejected === undefined || !sameTexts(this.#rejected.secrets, secrets)) {
      const error = await this.#rejections.find(secrets)
      this.#rejected = error && { secrets, error }
    }
    return this.#rejected?.error
  }
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index])
}
