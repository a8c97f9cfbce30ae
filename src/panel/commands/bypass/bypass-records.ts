import { readFile, rm, stat } from 'node:fs/promises'
import type { Moment } from '../../../clock.ts'
import { KeyedMutex } from '../../../concurrency.ts'
import { quarantine, replaceFile, unwritable } from '../../../files.ts'
import { closedError, KeyholderError } from '../../../service/error.ts'
import {
  flag,
  integer,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
  word,
} from '../../../service/schema.ts'

/** Zones that are bypassed for one arming; more open ones are refused, so that the file stays small. */
export const maxBypassed = 128

/** Size in bytes beyond which a file holds no such records and is not read. */
export const maxFileBytes = 256 * 1024

/** The last step of an arming that was begun; it is recorded before the step. */
const phases = ['bypassing', 'arming', 'armed', 'restoring'] as const

/** The zones that a command has bypassed in order to arm, as the next process must know them. */
export interface BypassRecord {
  /** The partition of the command; there is one record for each. */
  readonly partition: number
  /** The state of the command. */
  readonly state: string
  readonly phase: (typeof phases)[number]
  /** True if the bypasses are taken back after the next disarm. */
  readonly restore: boolean
  /** The zones that may be bypassed by the command. */
  readonly zones: readonly number[]
  /** The time of the step. */
  readonly at: Moment
}

/** A record in a store that several processes share. */
export interface OwnedRecord extends BypassRecord {
  /** The process that made it. */
  readonly owner: string
  readonly isOwn: boolean
  /** False if the process is gone: another one settles the record. */
  readonly isAlive: boolean
}

/** The records of a panel from several processes. Who has the turn of a command reads and writes them. */
export interface SharedBypassStore {
  /**
   * Returns all records.
   * @throws KeyholderError
   */
  read(): Promise<readonly OwnedRecord[]>

  /**
   * Saves records as those of this process, and removes others, by partition.
   * @param isGivenUp true if this process does not settle them: another one should
   * @throws KeyholderError the step must not be done
   */
  write(changes: ReadonlyMap<number, BypassRecord | undefined>, isGivenUp?: boolean): Promise<void>

  /** Calls `listener` when a process has changed a record, or may be gone. Returns a function that ends this. */
  onChange(listener: () => void): () => void
}

/** The version of the format. */
const format = 1

const file = record({
  format: integer,
  serial: text,
  armings: list(
    record({
      partition: integer,
      state: text,
      phase: word(phases),
      restore: flag,
      zones: list(integer, maxBypassed),
      at: record({ wall: integer, monotonic: integer, boot: withDefault(text, undefined) }),
    }),
  ),
})

/** Returns the text of a file with these records. */
export function recordsText(serial: string, armings: readonly BypassRecord[]): string {
  return `${JSON.stringify({ format, serial, armings })}\n`
}

/** Returns the records in the text of a file; undefined if it is damaged or about another panel. */
export function recordsIn(content: string, serial: string): BypassRecord[] | undefined {
  const parsed = parse(file, parseJson(content))
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  if (parsed.value.serial !== serial) return undefined
  return parsed.value.armings
}

/** One for all panels, nearly all of which have none. */
const none: ReadonlyMap<number, BypassRecord> = new Map()

/**
 * The zones that commands have bypassed in order to arm, safe against kills and power cuts: in a file, or in a store that
 * several processes share. There is no file while there are none.
 */
export class BypassRecords {
  readonly #path: string
  readonly #serial: string
  readonly #adoptFormer: () => Promise<void>
  readonly #shared: SharedBypassStore | undefined
  #records = none
  /** The records of other processes, as far as they were read, with their processes. */
  #others: ReadonlyMap<number, OwnedRecord> = new Map()
  #loaded: Promise<string | undefined> | undefined
  readonly #mutex = new KeyedMutex()
  #isClosed = false
  #isUnreadable = false
  /** True until the records of the file are in the shared store. */
  #isMoveDue = true

  /**
   * @param path the file; its folder is created on the first write, for its owner only
   * @param adoptFormer moves records of earlier versions to the file; throws the file system's error
   * @param shared the store instead of the file; what a file has is moved there
   */
  constructor(path: string, serial: string, adoptFormer = async () => {}, shared?: SharedBypassStore) {
    this.#path = path
    this.#serial = serial
    this.#adoptFormer = adoptFormer
    this.#shared = shared
  }

  /** The records that this process settles: its own, and those of processes that are gone. */
  get own(): BypassRecord[] {
    return [...this.#records.values()].filter(
      ({ partition }) => this.#others.get(partition)?.isAlive !== true,
    )
  }

  /** Returns the process that has left a record behind; undefined for one of this process or a live one. */
  leftBy(partition: number): string | undefined {
    const other = this.#others.get(partition)
    return other?.isAlive === false ? other.owner : undefined
  }

  /** Calls `listener` when another process has changed a record, or may be gone. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    return this.#shared?.onChange(listener) ?? (() => {})
  }

  /** All records; none before they are loaded. */
  get all(): BypassRecord[] {
    return [...this.#records.values()]
  }

  /** Returns the record of a partition. */
  get(partition: number): BypassRecord | undefined {
    return this.#records.get(partition)
  }

  /**
   * Reads what the last process left, once. Returns a sentence for the log if the file cannot be used. Never rejects.
   */
  load(): Promise<string | undefined> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }

  /**
   * Reads what other processes have changed; without others, like `load`.
   * @throws KeyholderError
   */
  async refresh(): Promise<string | undefined> {
    const warning = await this.load()
    const shared = this.#shared
    if (shared !== undefined) await this.#mutex.run(this.#path, () => this.#read(shared))
    return warning
  }

  /**
   * Records a step before it is done.
   * @throws KeyholderError `BAD_SETTING` if the file cannot be written: the step must not be done
   */
  put(record: BypassRecord): Promise<void> {
    return this.#write((records) => records.set(record.partition, record))
  }

  /**
   * Removes the record of a partition.
   * @throws KeyholderError `BAD_SETTING` if the file cannot be written
   */
  remove(partition: number): Promise<void> {
    return this.#write((records) => records.delete(partition))
  }

  /**
   * Removes a zone from all records: somebody has decided about its bypass since.
   * @throws KeyholderError `BAD_SETTING` if the file cannot be written
   */
  async release(zone: number): Promise<void> {
    await this.refresh()
    if (!this.all.some(({ zones }) => zones.includes(zone))) return
    await this.#write((records) => {
      for (const record of [...records.values()]) {
        const zones = record.zones.filter((other) => other !== zone)
        if (zones.length > 0) records.set(record.partition, { ...record, zones })
        else records.delete(record.partition)
      }
    })
  }

  /**
   * Writes nothing after this is done: another object has the records from now on, of this process or of another one. Never
   * rejects.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#mutex.run(this.#path, async () => {})
    const own = this.all.filter(({ partition }) => !this.#others.has(partition))
    const left = new Map(own.map((record) => [record.partition, record]))
    if (left.size > 0) await this.#shared?.write(left, true).catch(() => {})
  }

  async #read(shared: SharedBypassStore): Promise<void> {
    const found = await shared.read()
    const byPartition = new Map(found.map((record) => [record.partition, record]))
    // What a file had before this process was one of several.
    const moved = this.#isMoveDue ? this.all : []
    if (moved.length > 0) {
      const twins = found.filter(({ partition }) => this.#records.has(partition))
      const own = merged([{ records: twins }, { records: moved }])
      await shared.write(new Map(own.map((record) => [record.partition, record])))
      for (const record of own)
        byPartition.set(record.partition, { ...record, isOwn: true, owner: '', isAlive: true })
      await rm(this.#path, { force: true }).catch(() => {})
    }
    this.#isMoveDue = false
    this.#records = byPartition
    this.#others = new Map([...byPartition].filter(([, { isOwn }]) => !isOwn))
  }

  async #load(): Promise<string | undefined> {
    try {
      await this.#adoptFormer()
      const { size } = await stat(this.#path)
      const content = size > maxFileBytes ? '' : await readFile(this.#path, 'utf8')
      const records = recordsIn(content, this.#serial)
      if (records === undefined) return this.#describe('cannot be used', await quarantine(this.#path))
      this.#records = new Map(records.map((one) => [one.partition, one]))
      return undefined
    } catch (thrown) {
      const { code, path } = thrown as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      this.#isUnreadable = true
      return this.#describe(`cannot be read (${code})`, undefined, path)
    }
  }

  #describe(why: string, newName?: string, path = this.#path): string {
    const renamed = newName === undefined ? '' : ` and was renamed to ${newName}`
    return `The file ${path} ${why}${renamed}. In it the nodes note which zones they have bypassed to arm the panel. Look at the panel if zones are bypassed that should not be.`
  }

  #write(change: (records: Map<number, BypassRecord>) => void): Promise<void> {
    return this.#mutex.run(this.#path, async () => {
      const warning = await this.load()
      if (this.#isClosed) throw closedError()
      // It is not replaced: it may name zones that are bypassed.
      if (this.#isUnreadable && this.#shared === undefined)
        throw new KeyholderError('BAD_SETTING', `${warning}`)
      const records = new Map(this.#records)
      change(records)
      if (this.#shared === undefined) await this.#save([...records.values()])
      else {
        const partitions = new Set([...this.#records.keys(), ...records.keys()])
        const changed = [...partitions].filter((one) => records.get(one) !== this.#records.get(one))
        await this.#shared.write(new Map(changed.map((partition) => [partition, records.get(partition)])))
        this.#others = new Map([...this.#others].filter(([partition]) => !changed.includes(partition)))
      }
      this.#records = records
    })
  }

  async #save(records: readonly BypassRecord[]): Promise<void> {
    try {
      if (records.length === 0) await rm(this.#path, { force: true })
      else await replaceFile(this.#path, recordsText(this.#serial, records), { flush: true })
    } catch (thrown) {
      const purpose =
        'In it the nodes note which zones they bypass, so that none stays bypassed after a crash.'
      throw unwritable(this.#path, thrown, purpose)
    }
  }
}

/** Returns one record for each partition, with the zones of all. */
export function merged(found: readonly { records: readonly BypassRecord[] }[]): BypassRecord[] {
  const byPartition = new Map<number, BypassRecord>()
  for (const record of found.flatMap(({ records }) => records)) {
    const zones = [...new Set([...(byPartition.get(record.partition)?.zones ?? []), ...record.zones])]
    byPartition.set(record.partition, { ...record, zones })
  }
  return [...byPartition.values()]
}
