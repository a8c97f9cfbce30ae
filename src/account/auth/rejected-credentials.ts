import { createHash, randomBytes, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { replaceFile } from '../replace-file.ts'
import { type Check, dictionary, integer, or, parse, record, text } from '../service/check.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../service/error.ts'
import { jsonOf } from '../service/verdict.ts'
import type { Purpose } from './purpose.ts'

const stretch = promisify<string, string, number, Buffer>(scrypt)

/** What an attempt is made with. */
export interface Secrets {
  /** Whose they are: the account's sign-in, or a panel by its serial. No secret itself. */
  subject: string
  secrets: readonly string[]
}

/** Thrown by an attempt for secrets that stay wrong until the settings change. */
export class Rejected {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

interface Rejection {
  /** Whose secrets they were: other secrets of the same may be what replaces them. */
  subject: string
  code: string
  message: string
  status: number | null
}

interface Known {
  salt: string
  /** What was said, by hash of the secrets. */
  rejected: Map<string, Rejection>
}

const file: Check<Known> = record({
  salt: text,
  rejected: dictionary(record({ subject: text, code: text, message: text, status: or(integer, null) })),
})

/**
 * Remembers over restarts which passwords and user codes the service has rejected, and lets none be tried twice.
 *
 * A supervisor that restarts Node-RED every few seconds would otherwise try a wrong password until the account is
 * locked. What was rejected is kept as a salted, stretched hash only; a user code is hashed together with the
 * account's password, or its few digits could be tried out from the file.
 */
export class Rejections {
  readonly #path: string
  #known: Promise<Known> | undefined
  /** Hashes that the present settings have asked with, and those that earlier ones of this process had. */
  readonly #inUse = new Set<string>()
  readonly #abandoned = new Set<string>()
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #trying = new Map<string, Promise<void>>()
  #turn: Promise<void> = Promise.resolve()

  /** @param path file below the user directory; its folder is made when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /**
   * Makes an attempt with secrets, unless they were rejected before; the same secrets are tried by one at a time.
   * A trial forgets nothing: else two wrong passwords, tried by turns, would both be sent again and again.
   * @throws Rejected with what they were rejected with, now or before, and whatever else `make` throws
   */
  async attempt<T>(
    { subject, secrets }: Secrets,
    make: () => Promise<T>,
    purpose: Purpose = 'deployed',
  ): Promise<T> {
    const hash = await this.#hash(secrets)
    const before = this.#trying.get(hash) ?? Promise.resolve()
    const attempt = before.then(() => this.#attempt(subject, hash, make, purpose))
    const over = attempt.then(
      () => {},
      () => {},
    )
    this.#trying.set(hash, over)
    try {
      return await attempt
    } finally {
      if (this.#trying.get(hash) === over) this.#trying.delete(hash)
    }
  }

  /** Says that present settings have these secrets, also before anything is tried with them. */
  use({ secrets }: Secrets): void {
    this.#hash(secrets).then(
      (hash) => {
        this.#inUse.add(hash)
        this.#abandoned.delete(hash)
      },
      // The attempt will say what is wrong.
      () => {},
    )
  }

  /** The settings may change: what nobody asks with any more may be tried anew once others have been tried. */
  settingsChanged(): void {
    for (const hash of this.#inUse) this.#abandoned.add(hash)
    this.#inUse.clear()
  }

  async #attempt<T>(subject: string, hash: string, make: () => Promise<T>, purpose: Purpose): Promise<T> {
    const { rejected } = await this.#load()
    const known = rejected.get(hash)
    if (purpose === 'deployed') {
      this.#inUse.add(hash)
      this.#abandoned.delete(hash)
    }
    if (known !== undefined) throw new Rejected(errorOf(known))
    if (purpose === 'deployed') this.#forgetAbandoned(subject, rejected)
    try {
      return await make()
    } catch (thrown) {
      if (thrown instanceof Rejected) await this.#add(subject, hash, thrown.error)
      throw thrown
    }
  }

  #forgetAbandoned(subject: string, rejected: Known['rejected']): void {
    for (const [hash, { subject: whose }] of rejected) {
      if (whose === subject && this.#abandoned.has(hash)) rejected.delete(hash)
    }
  }

  /** Stretched once for each process: a rejected password is looked up at every poll. */
  #hash(secrets: readonly string[]): Promise<string> {
    const digest = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
    const known = this.#hashes.get(digest)
    if (known !== undefined) return known
    const hash = this.#load()
      .then(({ salt }) => stretch(digest, salt, 32))
      .then((stretched) => stretched.toString('base64'))
    this.#hashes.set(digest, hash)
    return hash
  }

  async #add(subject: string, hash: string, { code, message, status }: KeyholderError): Promise<void> {
    const known = await this.#load()
    known.rejected.set(hash, { subject, code, message, status: status ?? null })
    this.#turn = this.#turn
      .then(() => this.#save(known))
      .catch(() => {
        // A folder that cannot be written costs the memory over restarts; what this process knows still holds.
      })
    await this.#turn
  }

  async #save({ salt, rejected }: Known): Promise<void> {
    const content = JSON.stringify({ salt, rejected: Object.fromEntries(rejected) })
    await replaceFile(this.#path, content, { flush: true })
  }

  #load(): Promise<Known> {
    const blank = (): Known => ({ salt: randomBytes(16).toString('base64'), rejected: new Map() })
    this.#known ??= readFile(this.#path, 'utf8').then(
      (content) => parse(file, jsonOf(content))?.value ?? blank(),
      () => blank(),
    )
    return this.#known
  }
}

function errorOf({ code, message, status }: Rejection): KeyholderError {
  const known: ErrorCode = errorCodes.find((one) => one === code) ?? 'BAD_CREDENTIALS'
  return new KeyholderError(known, message, status === null ? {} : { status })
}
