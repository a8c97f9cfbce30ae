import type { Clock } from '../../../clock.ts'
import type { KeyholderError } from '../../../service/error.ts'
import type { SignInAnswer } from '../../../service/responses/sessions.ts'
import type { StretchedSecrets } from './rejection-store.ts'

/** A token that the service has just given. */
export interface MadeToken {
  readonly value: string
  /** Of a user token: what else all who use it must know. Never show it: it has the token. */
  readonly signIn?: { readonly appId: string; readonly answer: SignInAnswer }
  /** Of a session token: the generation of the user token that it belongs to. */
  readonly userGeneration?: number
}

/** A token and its generation, which shows a failed call whether its token is still the current one. */
export interface StoredToken extends MadeToken {
  /** Grows by one or more with each token of the same secrets, from 1. */
  readonly generation: number
  /** The time when it was made, in milliseconds of the monotonic clock of this machine. */
  readonly madeAt: number
}

/** The token with which a caller would not need another one. */
export interface TokenNeed {
  /** The generation that no longer works; 0 if the caller has had none. */
  readonly failed: number
  /** The generation of the current user token, for a session token: one of an older user token is void. */
  readonly userGeneration?: number | undefined
}

/** The attempts in a row to make a token that failed, though the secrets were not rejected. */
export interface FailedAttempts {
  readonly count: number
  /** The end of the pause after the latest one, in milliseconds of the monotonic clock of this machine. */
  readonly until: number
  readonly error: KeyholderError
}

/** Stretches the secrets of a token, for a store that others can read. */
export type Stretch = () => Promise<StretchedSecrets>

/**
 * The tokens of one service user, of all processes that send requests for it.
 *
 * The tokens of different secrets have nothing in common. Call it with the same secrets one at a time, inside
 * `RejectionStore.exclusive`: so only one process makes a token, and the others get it.
 */
export interface TokenStore {
  /**
   * Returns the token of these secrets if another process has made one that is newer than the one that failed;
   * otherwise makes one.
   * @throws the errors of `make`
   * @throws KeyholderError if the store cannot be reached: nothing must be sent
   */
  renew(stretch: Stretch, need: TokenNeed, make: () => Promise<MadeToken>): Promise<StoredToken>

  /**
   * Returns the failed attempts with these secrets since the latest token, of all processes; absent for a process that is
   * alone.
   * @throws KeyholderError if the store cannot be reached: nothing must be sent
   */
  failedAttempts?(stretch: Stretch): Promise<FailedAttempts | undefined>

  /** Notes them for the other processes; absent for a process that is alone. Never rejects. */
  noteFailedAttempts?(stretch: Stretch, failed: FailedAttempts): Promise<void>
}

/** The token store of a process that is alone. It keeps nothing, because the token holders do, in memory only. */
export class LocalTokenStore implements TokenStore {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async renew(
    _stretch: Stretch,
    { failed }: TokenNeed,
    make: () => Promise<MadeToken>,
  ): Promise<StoredToken> {
    const made = await make()
    return { ...made, generation: failed + 1, madeAt: this.#clock.monotonic() }
  }
}
