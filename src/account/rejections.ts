import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { type Check, list, parse, record, text } from '../service/check.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../service/error.ts'
import { jsonOf } from '../service/verdict.ts'

const stretch = promisify<string, Buffer, number, Buffer>(scrypt)

interface Rejection {
  salt: string
  hash: string
  code: string
  message: string
}

const rejectionFile: Check<Rejection[]> = list(record({ salt: text, hash: text, code: text, message: text }))

/** As many as a person can get wrong before the file is worth thinning. */
const mostKept = 20

/**
 * Remembers over restarts which credentials and user codes the service has rejected.
 *
 * A supervisor that restarts Node-RED every few seconds would otherwise try a wrong password until the account is
 * locked. What was rejected is kept as a salted, stretched hash only; a user code is hashed together with the
 * account's password, or its few digits could be tried out from the file.
 */
export class Rejections {
  readonly #path: string
  #known: Promise<Rejection[]> | undefined

  /** @param path file below the user directory; its folder is made when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /** The error with which exactly these secrets were rejected before, if they were. */
  async find(secrets: readonly string[]): Promise<KeyholderError | undefined> {
    for (const { salt, hash, code, message } of await this.#load()) {
      const expected = Buffer.from(hash, 'base64')
      const actual = await hashed(secrets, Buffer.from(salt, 'base64'))
      if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) continue
      const known = (errorCodes as readonly string[]).includes(code)
      return new KeyholderError(known ? (code as ErrorCode) : 'BAD_CREDENTIALS', message)
    }
    return undefined
  }

  /**
   * Remembers that these secrets were rejected with this error.
   * @throws the file system's error when the file cannot be written
   */
  async add(secrets: readonly string[], { code, message }: KeyholderError): Promise<void> {
    const salt = randomBytes(16)
    const hash = await hashed(secrets, salt)
    const known = await this.#load()
    const added = { salt: salt.toString('base64'), hash: hash.toString('base64'), code, message }
    const kept = [...known, added].slice(-mostKept)
    this.#known = Promise.resolve(kept)
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await writeFile(`${this.#path}.new`, JSON.stringify(kept), { mode: 0o600, flush: true })
    await rename(`${this.#path}.new`, this.#path)
  }

  #load(): Promise<Rejection[]> {
    this.#known ??= readFile(this.#path, 'utf8').then(
      (content) => parse(rejectionFile, jsonOf(content))?.value ?? [],
      () => [],
    )
    return this.#known
  }
}

function hashed(secrets: readonly string[], salt: Buffer): Promise<Buffer> {
  return stretch(JSON.stringify(secrets), salt, 32)
}
