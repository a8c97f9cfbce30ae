import { randomBytes } from 'node:crypto'
import type { Moment } from '../../../clock.ts'
import { KeyedMutex, Lazy } from '../../../concurrency.ts'
import { Documents } from '../../../documents.ts'
import { type ErrorCode, errorCodes, KeyholderError } from '../../../service/error.ts'
import { isFindingText } from '../../../service/finding-texts.ts'
import {
  type Check,
  dictionary,
  flagOrFalse,
  integer,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
} from '../../../service/schema.ts'
import { unusableFile } from '../unusable-file.ts'
import { AcceptedSecrets } from './accepted-secrets.ts'

/** The error of a refusal, as it is stored. */
export interface StoredError {
  code: string
  message: string
  status: number | null
  /** Key of the text for dialogs. Version 0.1.0 did not write it. */
  text?: string | undefined
  /** The setting and the number that the text names, if it names some. */
  field?: string | undefined
  number?: number | undefined
}

/** Secrets that the service has rejected. */
export interface Rejection extends StoredError {
  /** The owner of the secrets: other secrets of the same owner may replace them. */
  subject: string
  /** True if a deployment or a process used other secrets of the subject and not these: of all processes, if they share the store. */
  replaced: boolean
  /** True if the settings of this process have these secrets, in a store that several processes share; undefined for a new rejection. */
  isUsedHere?: boolean | undefined
}

/** The consecutive refusals of secrets for unknown reasons. */
export interface Refusals extends StoredError {
  /** The owner of the secrets. Earlier versions did not write it. */
  subject?: string | undefined
  /** The latest refusals, oldest first. */
  at: Moment[]
  /** True if the service has accepted the secrets before, perhaps in an earlier process. */
  proven: boolean
}

/** The rejections and refusals of a service user's secrets. */
export interface StoredRejections {
  salt: string
  /** Rejections by the hash of the secrets. */
  rejected: Map<string, Rejection>
  /** Refusals for unknown reasons by the hash of the secrets. */
  refused: Map<string, Refusals>
}

/** Secrets in a form from which they cannot be computed back, at a cost for each guess. */
export interface StretchedSecrets {
  /** Base64; the name of the secrets in a store. */
  readonly hash: string
  /** 32 bytes that are independent of `hash`: the key to seal what belongs to the secrets. Never store it. */
  readonly key: Buffer
}

/** The rejected secrets of one service user, of all processes that send requests for it. */
export interface RejectionStore {
  /**
   * Returns what is known now, for the caller to change and to `save`. The salt is always the same one.
   * @throws KeyholderError if the store cannot be read: nothing must be sent
   */
  load(): Promise<StoredRejections>

  /**
   * Makes sure that a judgement can be saved, before secrets are sent that may be wrong.
   * @throws KeyholderError if it cannot: do not send them
   */
  checkWritable(): Promise<void>

  /**
   * Saves the entries that were changed, added or deleted in what `load` returned; those of other secrets stay as
   * they are. Returns false if they could not be written: then they apply in this process, so that nothing is tried
   * again. Never rejects.
   */
  save(stored: StoredRejections): Promise<boolean>

  /**
   * Runs `work` alone: work with the same name runs one at a time, in all processes together, in the order of the
   * calls of each process. Work with other names runs meanwhile.
   * @param name of the secrets: their hash if the store is shared
   * @throws the errors of `work`
   * @throws KeyholderError if the store cannot be reached before `work` has begun
   */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>

  /** True if others can read the names of `exclusive`. */
  readonly isShared: boolean

  /** The secrets that the service has accepted; undefined in a store that does not depend on a disk. */
  readonly accepted?: AcceptedSecrets
}

/** Returns true if something is noted that may be about secrets of a subject. */
export function isAbout({ rejected, refused }: StoredRejections, subject: string): boolean {
  for (const one of rejected.values()) if (one.subject === subject) return true
  for (const one of refused.values()) if (one.subject === undefined || one.subject === subject) return true
  return false
}

/** Returns an error in the form in which it is stored. */
export function storedErrorOf({ code, message, status, detail }: KeyholderError): StoredError {
  const { text, fields: [field] = [], values: { number } = {} } = detail
  const isNumber = typeof number === 'number'
  return { code, message, status: status ?? null, text, ...(isNumber && { field, number }) }
}

/** Returns a stored error. */
export function errorOf({ code, message, status, text = '', field, number }: StoredError): KeyholderError {
  const known: ErrorCode = errorCodes.find((one) => one === code) ?? 'BAD_CREDENTIALS'
  const named = number === undefined || field === undefined ? {} : { fields: [field], values: { number } }
  const detail = isFindingText(text) ? { text, ...named } : {}
  return new KeyholderError(known, message, { status: status ?? undefined }, detail)
}

const storedError = {
  code: text,
  message: text,
  status: withDefault(integer, null),
  text: withDefault(text, undefined),
  field: withDefault(text, undefined),
  number: withDefault(integer, undefined),
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
    dictionary(
      record({
        ...storedError,
        subject: withDefault(text, undefined),
        at: list(moment),
        proven: flagOrFalse,
      }),
    ),
    undefined,
  ),
})

/** The file with the rejected secrets of a service user, as salted hashes: the store of a process that is alone. */
export class RejectionFile implements RejectionStore {
  readonly #path: string
  readonly #mutex = new KeyedMutex()
  readonly #documents = new Documents(unusableFile)
  readonly #stored = new Lazy<StoredRejections>(async () => {
    const stored = parse(file, parseJson((await this.#documents.read(this.#path)) ?? ''))?.value
    const {
      salt = randomBytes(16).toString('base64'),
      rejected = new Map(),
      refused = new Map(),
    } = { ...stored }
    return { salt, rejected, refused }
  })
  /** The next check, until it begins. */
  #check: Promise<void> | undefined
  readonly isShared = false
  readonly accepted: AcceptedSecrets

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string) {
    this.#path = path
    this.accepted = new AcceptedSecrets(path.replace(/(\.rejected)?\.json$/, '.accepted.json'))
  }

  /**
   * Returns the content, read once and always the same object; a file that is missing or damaged counts as empty.
   * @throws KeyholderError BAD_SETTING if it cannot be read; the next call tries again
   */
  load(): Promise<StoredRejections> {
    return this.#stored.get()
  }

  checkWritable(): Promise<void> {
    // Only by writing it: permissions do not tell of a full disk. Callers who wait at the same time share one write.
    this.#check ??= this.#documents.run(this.#path, async () => {
      this.#check = undefined
      await this.#write(await this.load())
    })
    return this.#check
  }

  save(stored: StoredRejections): Promise<boolean> {
    return this.#documents
      .run(this.#path, () => this.#write(stored))
      .then(
        () => true,
        () => false,
      )
  }

  exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(name, work)
  }

  /** Without its folder, a power failure brings back the file before, and what was rejected is sent again. */
  #write(stored: StoredRejections): Promise<void> {
    return this.#documents.replace(this.#path, contentOf(stored), { flush: 'folder' })
  }
}

function contentOf({ salt, rejected, refused }: StoredRejections): string {
  return JSON.stringify({
    salt,
    rejected: Object.fromEntries(rejected),
    refused: Object.fromEntries(refused),
  })
}
