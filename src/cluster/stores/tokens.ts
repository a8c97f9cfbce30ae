import { createHash } from 'node:crypto'
import {
  errorOf,
  type StoredError,
  type StretchedSecrets,
  storedErrorOf,
} from '../../account/service-user/auth/rejection-store.ts'
import type {
  FailedAttempts,
  MadeToken,
  StoredToken,
  Stretch,
  TokenNeed,
  TokenStore,
} from '../../account/service-user/auth/token-store.ts'
import { saveLocked } from '../lua/credentials.lua.ts'
import { script, type UserParts } from '../redis/scripts.ts'
import { openJson, sealJson } from '../redis/seal.ts'
import type { Lock } from './rejections.ts'

const saveScript = script(saveLocked)

/** The dependencies of the token store of a service user. */
export interface TokenOptions extends UserParts {
  /** Returns the lock under which a token of these secrets is renewed. */
  lockOf(hash: string): Lock | undefined
}

/** A token as it is sealed. */
interface SealedToken extends MadeToken {
  generation: number
  /** In milliseconds of the shared clock. */
  madeAt: number
}

/** The kinds of what secrets have led to. */
type Kept = 'token' | 'failures'

/** Failed attempts as they are sealed. */
interface SealedFailures {
  count: number
  error: StoredError
  /** In milliseconds of the shared clock. */
  until: number
}

/** The tokens of a service user for all instances, sealed under the secrets with which they were made. */
export class SharedTokens implements TokenStore {
  readonly #options: TokenOptions

  constructor(options: TokenOptions) {
    this.#options = options
  }

  async renew(
    stretch: Stretch,
    { failed, userGeneration }: TokenNeed,
    make: () => Promise<MadeToken>,
  ): Promise<StoredToken> {
    const { sharedClock, clock } = this.#options
    const secrets = await stretch()
    const known = (await this.#read(secrets, 'token')) as SealedToken | undefined
    const isNewer = known !== undefined && known.generation > failed
    if (isNewer && (userGeneration === undefined || known.userGeneration === userGeneration)) {
      return { ...known, madeAt: clock.monotonic() - Math.max(0, sharedClock.now() - known.madeAt) }
    }
    const made = await make()
    const generation = Math.max(failed, known?.generation ?? 0) + 1
    const token = { ...made, generation, madeAt: sharedClock.now() }
    await this.#save(secrets, 'token', token, fieldOf(secrets, 'failures'))
    return { ...made, generation, madeAt: clock.monotonic() }
  }

  async failedAttempts(stretch: Stretch): Promise<FailedAttempts | undefined> {
    const { sharedClock, clock } = this.#options
    const stored = (await this.#read(await stretch(), 'failures')) as SealedFailures | undefined
    if (stored === undefined) return undefined
    const { count, error, until } = stored
    return { count, error: errorOf(error), until: clock.monotonic() + until - sharedClock.now() }
  }

  async noteFailedAttempts(stretch: Stretch, { count, error, until }: FailedAttempts): Promise<void> {
    const { sharedClock, clock } = this.#options
    const sharedUntil = sharedClock.now() + until - clock.monotonic()
    const stored: SealedFailures = { count, error: storedErrorOf(error), until: sharedUntil }
    await this.#save(await stretch(), 'failures', stored)
  }

  async #read(secrets: StretchedSecrets, what: Kept): Promise<unknown> {
    const field = fieldOf(secrets, what)
    const sealed = await this.#options.scripts.send('HGET', [this.#key], [field])
    return openJson(secrets.key, `${this.#key} ${field}`, sealed)
  }

  /**
   * Saves a token or failures unless another instance has the lock by now; a token ends the failures. Never rejects:
   * without a token, another instance makes its own.
   */
  async #save(
    secrets: StretchedSecrets,
    what: Kept,
    kept: SealedToken | SealedFailures,
    ended = '',
  ): Promise<void> {
    const lock = this.#options.lockOf(secrets.hash)
    if (lock === undefined) return
    const field = fieldOf(secrets, what)
    const sealed = sealJson(secrets.key, `${this.#key} ${field}`, kept)
    const args = [field, sealed, lock.name, lock.token, ended]
    await this.#options.scripts.run(saveScript, [this.#key, 'locks'], args).catch(() => {})
  }

  get #key(): string {
    return `user:${this.#options.user}:tokens`
  }
}

/** Returns the name of secrets: another one than that of a rejection, which is kept longer. */
function fieldOf({ hash }: StretchedSecrets, what: Kept): string {
  return createHash('sha256').update(`${what} ${hash}`).digest('base64url')
}
