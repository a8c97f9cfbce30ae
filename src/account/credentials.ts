import type { Meaning } from '../service/refusals.ts'
import type { Session, Token } from './session.ts'

/** Thrown in place of an attempt whose tokens were renewed while it stood in line: nothing was sent. */
export class Outdated {}

/** The tokens that one attempt is sent with, and where they come from. */
export class Credentials {
  readonly #tokens: readonly { header: string; session: Session; token: Token }[]

  /** @param tokens by header, the user token before the session token that depends on it */
  constructor(
    tokens: readonly { header: 'User-Token' | 'Session-Token'; session: Session; token: Token }[] = [],
  ) {
    this.#tokens = tokens
  }

  get headers(): Record<string, string> {
    return Object.fromEntries(this.#tokens.map(({ header, token }) => [header, token.value]))
  }

  /**
   * An attempt may have stood in line for a minute: a token that is known to be dead by then is not sent.
   * @throws Outdated
   */
  refuseOutdated(): void {
    if (!this.#tokens.every(({ session, token }) => session.isPresent(token))) throw new Outdated()
  }

  /** Forgets what the service no longer takes: the session token alone, or the user token above it too. */
  expire(meaning: Meaning): void {
    if (meaning === 'user token expired') for (const { session, token } of this.#tokens) session.expire(token)
    const last = this.#tokens.at(-1)
    if (meaning === 'session token expired') last?.session.expire(last.token)
  }
}
