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
import type { SharedRejections } from './rejections.ts'

const saveScript = script(saveLocked)

/** The kinds of what secrets have led to. */
type Kept = 'token' | 'failures'

/** Failed attempts as they are sealed. Sealed times, also that of a token, are those of the shared clock. */
type SealedFailures = Omit<FailedAttempts, 'error'> & { error: StoredError }

/** The tokens of a service user for all instances, sealed under the secrets with which they were made. */
export class SharedTokens implements TokenStore {
  readonly #parts: UserParts
  readonly #rejections: Pick<SharedRejections, 'held'>

  /** @param rejections has the lock under which a token of secrets is renewed */
  constructor(parts: UserParts, rejections: Pick<SharedRejections, 'held'>) {
    this.#parts = parts
    this.#rejections = rejections
  }

  async renew(
    stretch: Stretch,
    { failed, userGeneration }: TokenNeed,
    make: () => Promise<MadeToken>,
  ): Promise<StoredToken> {
    const { sharedClock, clock } = this.#parts
    const secrets = await stretch()
    const known = (await this.#read(secrets, 'token')) as StoredToken | undefined
    const isNewer = known !== undefined && known.generation > failed
    if (isNewer && (userGeneration === undefined || known.userGeneration === userGeneration)) {
      return { ...known, madeAt: Math.min(clock.monotonic(), sharedClock.local(known.madeAt)) }
    }
    const made = await make()
    const generation = Math.max(failed, known?.generation ?? 0) + 1
    const token = { ...made, generation, madeAt: sharedClock.now() }
    await this.#save(secrets, 'token', token, fieldOf(secrets, 'failures'))
    return { ...made, generation, madeAt: clock.monotonic() }
  }

  async failedAttempts(stretch: Stretch): Promise<FailedAttempts | undefined> {
    const stored = (await this.#read(await stretch(), 'failures')) as SealedFailures | undefined
    if (stored === undefined) return undefined
    const { count, error, until } = stored
    return { count, error: errorOf(error), until: this.#parts.sharedClock.local(until) }
  }

  async noteFailedAttempts(stretch: Stretch, { count, error, until }: FailedAttempts): Promise<void> {
    const stored = { count, error: storedErrorOf(error), until: this.#parts.sharedClock.shared(until) }
    await this.#save(await stretch(), 'failures', stored)
  }

  async #read(secrets: StretchedSecrets, what: Kept): Promise<unknown> {
    const field = fieldOf(secrets, what)
    const sealed = await this.#parts.scripts.send('HGET', [this.#key], [field])
    return openJson(secrets.key, `${this.#key} ${field}`, sealed)
  }

  /**
   * Saves a token or failures unless another instance has the lock by now; a token ends the failures. Never rejects:
   * without a token, another instance makes its own.
   */
  async #save(
    secrets: StretchedSecrets,
    what: Kept,
    kept: StoredToken | SealedFailures,
    ended = '',
  ): Promise<void> {
    const lock = this.#rejections.held.get(secrets.hash)
    if (lock === undefined) return
    const field = fieldOf(secrets, what)
    const sealed = sealJson(secrets.key, `${this.#key} ${field}`, kept)
    const args = [field, sealed, lock.name, lock.token, ended]
    await this.#parts.scripts.run(saveScript, [this.#key, 'locks'], args).catch(() => {})
  }

  get #key(): string {
    return `user:${this.#parts.user}:tokens`
  }
}

/** Returns the name of secrets: another one than that of a rejection, which is kept longer. */
function fieldOf({ hash }: StretchedSecrets, what: Kept): string {
  return createHash('sha256').update(`${what} ${hash}`).digest('base64url')
}
