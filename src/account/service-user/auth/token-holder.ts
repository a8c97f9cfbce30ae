import type { Clock } from '../../../clock.ts'
import type { KeyholderError } from '../../../service/error.ts'
import type { ErrorEffect } from '../../../service/error-table.ts'
import type { AccountMode } from '../../account-settings.ts'
import { exponentialBackoff, unansweredBackoff } from '../rate-limit/backoff.ts'
import { Paused, Rejected } from './judgement.ts'
import type { RejectedCredentials, Secrets } from './rejected-credentials.ts'
import type { FailedAttempts, MadeToken, StoredToken, Stretch, TokenStore } from './token-store.ts'

/** A token and its generation, which shows a failed call whether its token is still the current one. */
export interface Token {
  readonly value: string
  readonly generation: number
}

/** The stores that a token holder shares with others. */
export interface TokenSources {
  readonly rejectedCredentials: RejectedCredentials
  readonly tokens: TokenStore
}

/** The options of a new token. */
export interface TokenOptions {
  mode?: AccountMode
  /** Called if nothing known forbids an attempt. */
  onTry?: () => void
  /** Called with each new token, also if another process has made it. */
  onRenewed?: (token: StoredToken) => void
  /**
   * Returns the generation of the user token that a session token needs.
   * @throws the errors of `make`
   */
  userGeneration?: () => Promise<number>
}

/**
 * Holds one token: creates it when it is first needed, and again after it has expired.
 *
 * All callers share one sign-in. A call that failed with an older token uses the current one and does not
 * sign in: fifty calls in flight at an expiry cost one sign-in. Rejected secrets stay rejected; other secrets
 * need another token holder.
 */
export class TokenHolder {
  readonly #sources: TokenSources
  readonly #secrets: Secrets
  readonly #clock: Clock
  /** The token that the service still accepts, as far as we know; undefined if there is none. */
  current: Token | undefined
  /** True if the latest attempt to create the token failed. */
  hasFailed = false
  /** The error of the rejection; undefined if the secrets were not rejected. */
  rejection: KeyholderError | undefined
  #generation = 0
  #creating: Promise<Token> | undefined
  /** The end of the pause after a refusal for an unknown reason (milliseconds of the monotonic clock). */
  #pausedUntil = Number.NEGATIVE_INFINITY
  #failedAttempts: FailedAttempts | undefined

  /** @param secrets the secrets that the service could reject */
  constructor(sources: TokenSources, secrets: Secrets, clock: Clock) {
    this.#sources = sources
    this.#secrets = secrets
    this.#clock = clock
  }

  /** True if the service has accepted the secrets in this process, or in another one that shares its tokens. */
  get isProven(): boolean {
    return this.#generation > 0
  }

  /** True while a sign-in is in progress. */
  get isSigningIn(): boolean {
    return this.#creating !== undefined
  }

  /** Milliseconds of the pause after a refusal for an unknown reason; 0 without one, or with a token. */
  get pauseLeft(): number {
    return this.current !== undefined ? 0 : Math.max(0, this.#pausedUntil - this.#clock.monotonic())
  }

  /** Notes that the current settings have these secrets, even before an attempt with them. */
  use(): void {
    this.#sources.rejectedCredentials.use(this.#secrets)
  }

  /**
   * Returns a key for what only those who have the secrets may read.
   * @throws KeyholderError if it is not known and the store cannot be reached
   */
  key(): Promise<Buffer> {
    return this.#sources.rejectedCredentials.keyOf(this.#secrets)
  }

  /**
   * Returns the current token or creates a new one.
   * @param make signs in; throws `Rejected` for secrets that stay wrong, `Refused` for those that may be right
   * @throws KeyholderError the error of the sign-in, or of an earlier rejection of the secrets
   */
  token(make: () => Promise<MadeToken>, options: TokenOptions = {}): Promise<Token> {
    if (this.current !== undefined) return Promise.resolve(this.current)
    this.#creating ??= this.#create(make, options).finally(() => {
      this.#creating = undefined
    })
    return this.#creating
  }

  /**
   * Notes that a sign-in was sent and failed without a rejection. The service may count it anyway, so the
   * next sign-in waits longer each time, for all callers. If no answer came and the secrets were never
   * accepted, they may be wrong, and the wait is very long.
   * Do not call it for a sign-in that was never sent.
   */
  noteFailure(error: KeyholderError): void {
    const count = (this.#failedAttempts?.count ?? 0) + 1
    const mayBeWrong = error.code === 'TIMEOUT' && !this.isProven
    const pause = mayBeWrong ? unansweredBackoff(count) : exponentialBackoff(count, 1)
    this.#failedAttempts = { count, until: this.#clock.monotonic() + pause, error }
  }

  /**
   * Notes, while a token is created, that the secrets are about to be sent: if they may be wrong and this process ends
   * before the answer is noted, nobody sends them at once.
   * @throws KeyholderError if that cannot be guaranteed: do not send them
   */
  async noteSending(): Promise<void> {
    if (!this.isProven) await this.#sources.rejectedCredentials.guard(this.#secrets)
  }

  /** Returns true for the token and the secrets: never show them, even if the service sends them. */
  isSecret(word: string): boolean {
    return this.current?.value === word || this.#secrets.secrets.includes(word)
  }

  /** Returns true if a token is the current one. */
  isCurrent(token: Token): boolean {
    return this.current?.generation === token.generation
  }

  /** Drops a token that the service no longer accepts, unless a newer one has replaced it. */
  expire(token: Token): void {
    if (this.isCurrent(token)) this.current = undefined
  }

  /** Drops the current token, because the user token that it depends on was renewed. */
  forget(): void {
    this.current = undefined
  }

  async #create(make: () => Promise<MadeToken>, options: TokenOptions): Promise<Token> {
    this.#refuseDuringPause()
    try {
      const renewed = await this.#renew(make, options)
      options.onRenewed?.(renewed)
      this.rejection = undefined
      this.hasFailed = false
      this.#failedAttempts = undefined
      this.#generation = renewed.generation
      this.current = { value: renewed.value, generation: renewed.generation }
      return this.current
    } catch (thrown) {
      this.hasFailed = true
      this.rejection = thrown instanceof Rejected ? thrown.error : undefined
      if (thrown instanceof Paused) this.#pausedUntil = this.#clock.monotonic() + thrown.left
      throw thrown instanceof Rejected || thrown instanceof Paused ? thrown.error : thrown
    }
  }

  #renew(make: () => Promise<MadeToken>, options: TokenOptions): Promise<StoredToken> {
    const { rejectedCredentials, tokens } = this.#sources
    const { mode, onTry, userGeneration } = options
    const renew = async (stretch: Stretch) => {
      onTry?.()
      const need = { failed: this.#generation, userGeneration: await userGeneration?.() }
      return tokens.renew(stretch, need, () => this.#attempt(stretch, make))
    }
    return rejectedCredentials.attemptUnlessRejected(this.#secrets, renew, mode)
  }

  /** Makes an attempt, unless another process has failed with the same secrets a short time ago. */
  async #attempt(stretch: Stretch, make: () => Promise<MadeToken>): Promise<MadeToken> {
    const { tokens } = this.#sources
    const shared = await tokens.failedAttempts?.(stretch)
    if (shared !== undefined && shared.count >= (this.#failedAttempts?.count ?? 0)) {
      this.#failedAttempts = shared
      this.#refuseDuringPause()
    }
    const before = this.#failedAttempts
    try {
      return await make()
    } catch (thrown) {
      const failed = this.#failedAttempts
      if (failed !== undefined && failed !== before) await tokens.noteFailedAttempts?.(stretch, failed)
      throw thrown
    }
  }

  #refuseDuringPause(): void {
    const { until, error } = this.#failedAttempts ?? {}
    if (until !== undefined && this.#clock.monotonic() < until) throw error
  }
}

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
    const headers: Record<string, string> = {}
    const generations: number[] = []
    for (const { header, token } of tokens) {
      headers[header] = token.value
      generations.push(token.generation)
    }
    this.headers = headers
    this.hasSession = 'Session-Token' in headers
    this.session = generations.join()
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
    for (const { session, token } of this.#tokens) if (!session.isCurrent(token)) throw new StaleToken()
  }

  /** Drops the tokens that the service certainly no longer accepts: the session token alone, or both tokens. */
  expire(meaning: ErrorEffect): void {
    if (this.#mayLackSession) return
    if (meaning === 'user token expired') for (const { session, token } of this.#tokens) session.expire(token)
    const last = this.#tokens.at(-1)
    if (meaning === 'session token expired') last?.session.expire(last.token)
  }
}
