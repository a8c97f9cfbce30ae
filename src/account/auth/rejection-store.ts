import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Moment } from '../../clock.ts'
import { replaceFile } from '../../files.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../../service/error.ts'
import { isFindingText } from '../../service/finding-texts.ts'
import { flagOrFalse } from '../../service/optional-fields.ts'
import {
  type Check,
  dictionary,
  integer,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
} from '../../service/schema.ts'

/** The error of a refusal, as it is stored. */
export interface StoredError {
  code: string
  message: string
  status: number | null
  /** Key of the text for dialogs. Version 0.1.0 did not write it. */
  text?: string | undefined
}

/** Secrets that the service has rejected. */
export interface Rejection extends StoredError {
  /** The owner of the secrets: other secrets of the same owner may replace them. */
  subject: string
  /** True if a deployment or a process used other secrets of the subject and not these. */
  replaced: boolean
}

/** The consecutive refusals of secrets for unknown reasons. */
export interface Refusals extends StoredError {
  /** The latest refusals, oldest first. */
  at: Moment[]
  /** True if the service has accepted the secrets before, perhaps in an earlier process. */
  proven: boolean
}

/** The content of the file. */
export interface StoredRejections {
  salt: string
  /** Rejections by the hash of the secrets. */
  rejected: Map<string, Rejection>
  /** Refusals for unknown reasons by the hash of the secrets. */
  refused: Map<string, Refusals>
}

const storedError = {
  code: text,
  message: text,
  status: withDefault(integer, null),
  text: withDefault(text, undefined),
}

const moment: Check<Moment> = record({
  wall: integer,
  monotonic: integer,
  boot: withDefault(text, undefined),
})

const file = record({
  salt: text,
  rejected: dictionary(record({ ...storedError, subject: text, replaced: flagOrFalse })),
  // Version 0.1.0 did not write it.
  refused: withDefault(
    dictionary(record({ ...storedError, at: list(moment), proven: flagOrFalse })),
    undefined,
  ),
})

/** The file with the rejected secrets of a service user, as salted hashes. */
export class RejectionStore {
  readonly #path: string
  #stored: Promise<StoredRejections> | undefined
  #turn: Promise<void> = Promise.resolve()

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /** Returns the content, read once; a file that is missing or damaged counts as empty. Never rejects. */
  load(): Promise<StoredRejections> {
    const blank = () => ({
      salt: randomBytes(16).toString('base64'),
      rejected: new Map(),
      refused: new Map(),
    })
    this.#stored ??= readFile(this.#path, 'utf8').then(
      (content) => {
        const stored = parse(file, parseJson(content))?.value ?? blank()
        return { ...stored, refused: stored.refused ?? new Map() }
      },
      () => blank(),
    )
    return this.#stored
  }

  /** Writes the file. Never rejects: without a writable folder, rejections apply in this process only. */
  async save(): Promise<void> {
    const { salt, rejected, refused } = await this.load()
    this.#turn = this.#turn
      .then(() => {
        const content = JSON.stringify({
          salt,
          rejected: Object.fromEntries(rejected),
          refused: Object.fromEntries(refused),
        })
        return replaceFile(this.#path, content, { flush: true })
      })
      .catch(() => {})
    await this.#turn
  }
}

/** Returns an error in the form in which it is stored. */
export function storedErrorOf({ code, message, status, detail }: KeyholderError): StoredError {
  return { code, message, status: status ?? null, text: detail.text }
}

/** Returns a stored error. */
export function errorOf({ code, message, status, text = '' }: StoredError): KeyholderError {
  const known: ErrorCode = errorCodes.find((one) => one === code) ?? 'BAD_CREDENTIALS'
  const detail = isFindingText(text) ? { text } : {}
  return new KeyholderError(known, message, { status: status ?? undefined }, detail)
}
