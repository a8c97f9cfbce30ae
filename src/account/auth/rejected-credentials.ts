import { createHash, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { replaceFile } from '../../files.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../../service/error.ts'
import {
  type Check,
  dictionary,
  integer,
  parse,
  parseJson,
  record,
  text,
  withDefault,
} from '../../service/schema.ts'
import type { AccountMode } from '../account-settings.ts'

const stretch = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

/** The secrets of an attempt. */
export interface Secrets {
  /** The owner of the secrets: the account's sign-in, or a panel by its serial. It is not a secret itself. */
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
  /** The owner of the secrets: other secrets of the same owner may replace them. */
  subject: string
  code: string
  message: string
  status: number | null
}

interface StoredRejections {
  salt: string
  /** Rejections by the hash of the secrets. */
  rejected: Map<string, Rejection>
}

const file: Check<StoredRejections> = record({
  salt: text,
  rejected: dictionary(
    record({ subject: text, code: text, message: text, status: withDefault(integer, null) }),
  ),
})

/**
 * Remembers across restarts which passwords and user codes the service has rejected, and prevents a second
 * attempt.
 *
 * A supervisor that restarts Node-RED every few seconds would otherwise try a wrong password until the
 * account is locked. Rejected secrets are stored only as a salted, stretched hash. A user code is hashed
 * together with the account's password; otherwise the file would be enough to find its few digits by trial.
 */
export class RejectedCredentials {
  /**
   * The cost of the hash, scrypt's `N`: about 50 ms of processor time for each guess at a code. Tests of
   * other subjects lower it.
   */
  static cost = 16_384

  readonly #path: string
  #stored: Promise<StoredRejections> | undefined
  /** Hashes that the current settings have used, and hashes that earlier settings in this process used. */
  readonly #inUse = new Set<string>()
  readonly #abandoned = new Set<string>()
  readonly #hashes = new Map<string, Promise<string>>()
  readonly #attempting = new Map<string, Promise<void>>()
  #turn: Promise<void> = Promise.resolve()

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /**
   * Makes an attempt with secrets, unless they were rejected before. Attempts with the same secrets run one
   * at a time.
   * A trial removes no rejection: otherwise two wrong passwords, tried in turn, would both be sent again and
   * again.
   * @throws Rejected with the error of the rejection, now or before
   * @throws the errors of `make`
   */
  async attemptUnlessRejected<T>(
    { subject, secrets }: Secrets,
    make: () => Promise<T>,
    mode: AccountMode = 'deployed',
  ): Promise<T> {
    const hash = await this.#hash(secrets)
    const before = this.#attempting.get(hash) ?? Promise.resolve()
    const attempt = before.then(() => this.#attempt(subject, hash, make, mode))
    const over = attempt.then(
      () => {},
      () => {},
    )
    this.#attempting.set(hash, over)
    try {
      return await attempt
    } finally {
      if (this.#attempting.get(hash) === over) this.#attempting.delete(hash)
    }
  }

  /** Notes that the current settings have these secrets, even before an attempt with them. */
  use({ secrets }: Secrets): void {
    this.#hash(secrets).then(
      (hash) => {
        this.#inUse.add(hash)
        this.#abandoned.delete(hash)
      },
      // The attempt will report the error.
      () => {},
    )
  }

  /** Notes a possible change of settings: unused secrets may be tried again once others have been tried. */
  settingsChanged(): void {
    for (const hash of this.#inUse) this.#abandoned.add(hash)
    this.#inUse.clear()
  }

  async #attempt<T>(subject: string, hash: string, make: () => Promise<T>, mode: AccountMode): Promise<T> {
    const { rejected } = await this.#load()
    const known = rejected.get(hash)
    if (mode === 'deployed') {
      this.#inUse.add(hash)
      this.#abandoned.delete(hash)
    }
    if (known !== undefined) throw new Rejected(errorOf(known))
    if (mode === 'deployed') this.#forgetAbandoned(subject, rejected)
    try {
      return await make()
    } catch (thrown) {
      if (thrown instanceof Rejected) await this.#add(subject, hash, thrown.error)
      throw thrown
    }
  }

  #forgetAbandoned(subject: string, rejected: StoredRejections['rejected']): void {
    for (const [hash, { subject: whose }] of rejected) {
      if (whose === subject && this.#abandoned.has(hash)) rejected.delete(hash)
    }
  }

  /** Returns the hash, computed once per process: a rejected password is looked up at every poll. */
  #hash(secrets: readonly string[]): Promise<string> {
    const digest = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
    const known = this.#hashes.get(digest)
    if (known !== undefined) return known
    const hash = this.#load()
      .then(({ salt }) => stretch(digest, salt, 32, { N: RejectedCredentials.cost }))
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
        // If the folder is not writable, a restart loses the rejections; they still apply in this process.
      })
    await this.#turn
  }

  async #save({ salt, rejected }: StoredRejections): Promise<void> {
    const content = JSON.stringify({ salt, rejected: Object.fromEntries(rejected) })
    await replaceFile(this.#path, content, { flush: true })
  }

  #load(): Promise<StoredRejections> {
    const blank = (): StoredRejections => ({ salt: randomBytes(16).toString('base64'), rejected: new Map() })
    this.#stored ??= readFile(this.#path, 'utf8').then(
      (content) => parse(file, parseJson(content))?.value ?? blank(),
      () => blank(),
    )
    return this.#stored
  }
}

function errorOf({ code, message, status }: Rejection): KeyholderError {
  const known: ErrorCode = errorCodes.find((one) => one === code) ?? 'BAD_CREDENTIALS'
  return new KeyholderError(known, message, status === null ? {} : { status })
}
