import type { ErrorEffect } from '../../../service/error-table.ts'
import type { Token, TokenHolder } from './token-holder.ts'

/** Thrown instead of sending an attempt whose tokens were renewed while it was queued. */
export class StaleToken {}

/** One token of an attempt, the header that carries it and the token holder that it comes from. */
export interface Credential {
  readonly header: 'User-Token' | 'Session-Token'
  readonly session: TokenHolder
  readonly token: Token
}

/** The tokens of one attempt and the token holders that they come from. */
export class Credentials {
  /** The headers that carry the tokens. */
  readonly headers: Readonly<Record<string, string>>
  /** True if one of the tokens is that of a panel. */
  readonly hasSession: boolean
  /** A text that changes with each sign-in. */
  readonly session: string
  readonly #tokens: readonly Credential[]
  readonly #mayLackSession: boolean

  /**
   * @param tokens by header; the user token comes before the session token that depends on it
   * @param mayLackSession true if a refusal may mean that a session token is missing and not that this user token has
   * expired
   */
  constructor(tokens: readonly Credential[] = [], mayLackSession = false) {
    this.headers = Object.fromEntries(tokens.map(({ header, token }) => [header, token.value]))
    this.hasSession = 'Session-Token' in this.headers
    this.session = tokens.map(({ token }) => token.generation).join()
    this.#tokens = tokens
    this.#mayLackSession = mayLackSession
  }

  /** False for an attempt without tokens, such as the sign-in. */
  get hasTokens(): boolean {
    return this.#tokens.length > 0
  }

  /**
   * Throws if a token is no longer the current one: the attempt may have been queued for a minute, and a
   * token that is known to be expired is not sent.
   * @throws StaleToken
   */
  refuseStale(): void {
    if (!this.#tokens.every(({ session, token }) => session.isCurrent(token))) throw new StaleToken()
  }

  /** Drops the tokens that the service certainly no longer accepts: the session token alone, or both tokens. */
  expire(meaning: ErrorEffect): void {
    if (this.#mayLackSession) return
    if (meaning === 'user token expired') for (const { session, token } of this.#tokens) session.expire(token)
    const last = this.#tokens.at(-1)
    if (meaning === 'session token expired') last?.session.expire(last.token)
  }
}
