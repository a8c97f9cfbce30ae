import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Moment } from '../../../clock.ts'
import { isMissing, replaceFile } from '../../../files.ts'
import { KeyedMutex } from '../../../keyed-mutex.ts'
import { flagOrFalse } from '../../../service/optional-fields.ts'
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
} from '../../../service/schema.ts'
import { unusableFile } from '../unusable-file.ts'
import type { RejectionStore, StoredRejections } from './rejection-store.ts'

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
  #stored: Promise<StoredRejections> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** The next check, until it begins. */
  #check: Promise<void> | undefined
  readonly isShared = false

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string) {
    this.#path = path
  }

  /**
   * Returns the content, read once and always the same object; a file that is missing or damaged counts as empty.
   * @throws KeyholderError BAD_SETTING if it cannot be read; the next call tries again
   */
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
      (thrown) => {
        if (isMissing(thrown)) return blank()
        this.#stored = undefined
        throw unusableFile(this.#path, 'read', thrown)
      },
    )
    return this.#stored
  }

  checkWritable(): Promise<void> {
    // Only by writing it: permissions do not tell of a full disk. Callers who wait at the same time share one write.
    this.#check ??= this.#turn
      .then(() => {
        this.#check = undefined
        return this.load()
      })
      .then((stored) => this.#replace(stored, false))
    this.#turn = this.#check.catch(() => {})
    return this.#check
  }

  save(stored: StoredRejections): Promise<boolean> {
    const writing = this.#turn.then(() => this.#replace(stored, true))
    this.#turn = writing.catch(() => {})
    return writing.then(
      () => true,
      () => false,
    )
  }

  /** @throws KeyholderError BAD_SETTING */
  async #replace({ salt, rejected, refused }: StoredRejections, flush: boolean): Promise<void> {
    const content = JSON.stringify({
      salt,
      rejected: Object.fromEntries(rejected),
      refused: Object.fromEntries(refused),
    })
    try {
      await replaceFile(this.#path, content, { flush })
    } catch (thrown) {
      throw unusableFile(this.#path, 'written', thrown)
    }
  }

  exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(name, work)
  }
}
