import { posix } from 'node:path'
import type { Clock } from '../../../src/clock.ts'
import type { Random } from '../../../src/simulator/random.ts'
import { Refusal } from './file-error.ts'
import { StoredFile } from './stored-file.ts'

/** The faults of a disk at present. A simulation changes it at any time. */
export interface DiskFaults {
  /** The bytes that still fit: a longer write is cut off and fails with ENOSPC. Removed files make no room. */
  room: number
  /** True if each change fails with EROFS, as after an error of the drive. */
  isReadOnly: boolean
  /** Milliseconds of the clock that each operation takes. */
  delay: number
  /** The paths of files of which each read fails with EIO. */
  readonly unreadable: Set<string>
  /** The paths of folders of another user: nothing in them can be changed (`change`), or reached at all (`access`), EACCES. */
  readonly denied: Map<string, 'change' | 'access'>
}

/** A folder: the names that programs see, and those that the drive has. */
export class StoredFolder {
  readonly id: number
  /** The permissions, such as 0o700. */
  mode: number
  entries = new Map<string, Stored>()
  readonly durable = new Map<string, Stored>()
  /** The time of the latest change of a name, in milliseconds since 1970. */
  modified: number

  constructor(id: number, mode: number, modified: number) {
    this.id = id
    this.mode = mode
    this.modified = modified
  }
}

/** The file or the folder that a name stands for. */
export type Stored = StoredFile | StoredFolder

/** A name that gets another meaning, or none. */
export interface NameChange {
  readonly folder: StoredFolder
  readonly name: string
  readonly stored?: Stored
}

/** Name changes that happen together, such as the two of a rename. */
interface JournalEntry {
  readonly monotonic: number
  readonly changes: readonly NameChange[]
  readonly isCreation: boolean
}

/** Milliseconds after which Linux has written every change to the drive: 30 until it counts as old, and two turns of 5. */
const defaultSettlesAfter = 40_000

/**
 * The files and folders of one machine, in memory. It survives the end of a process, and loses at a power cut what was not
 * synchronized, as a journaling file system does (ext4, with `data=ordered` and without its help for renamed files): contents
 * in any order, names in the order in which they have changed.
 */
export class Disk {
  readonly clock: Clock
  /** The path of the folder that has everything; other paths are not on this disk. */
  readonly root: string
  readonly faults: DiskFaults = {
    room: Number.POSITIVE_INFINITY,
    isReadOnly: false,
    delay: 0,
    unreadable: new Set(),
    denied: new Map(),
  }
  readonly #top: StoredFolder
  readonly #settlesAfter: number
  #journal: JournalEntry[] = []
  #lastId = 0

  /** @param options `settlesAfter`: the milliseconds after which a change survives a power cut anyway */
  constructor(clock: Clock, { root = '/machine', settlesAfter = defaultSettlesAfter } = {}) {
    this.clock = clock
    this.root = root
    this.#settlesAfter = settlesAfter
    this.#top = this.createFolder(0o755)
  }

  /** Returns true if a path is on this disk. */
  has(path: string): boolean {
    return path === this.root || path.startsWith(`${this.root}/`)
  }

  /** Returns what a path stands for. @throws Refusal ENOENT, ENOTDIR or EACCES */
  find(path: string): Stored {
    let found: Stored = this.#top
    for (const name of this.#namesOf(path)) {
      if (found instanceof StoredFile) throw new Refusal('ENOTDIR')
      const next = found.entries.get(name)
      if (next === undefined) throw new Refusal('ENOENT')
      found = next
    }
    return found
  }

  /** Returns the folder of a name, which need not exist itself. @throws Refusal ENOENT, ENOTDIR or EACCES */
  locate(path: string): { folder: StoredFolder; name: string; stored: Stored | undefined } {
    const name = this.#namesOf(path).at(-1)
    // The root stays as it is.
    if (name === undefined) throw new Refusal('EBUSY')
    const folder = this.find(posix.dirname(path))
    if (folder instanceof StoredFile) throw new Refusal('ENOTDIR')
    return { folder, name, stored: folder.entries.get(name) }
  }

  /** @throws Refusal EROFS or EACCES if nothing at a path can be changed now */
  checkChange(path: string): void {
    if (this.faults.isReadOnly) throw new Refusal('EROFS')
    for (const denied of this.faults.denied.keys())
      if (path.startsWith(`${denied}/`)) throw new Refusal('EACCES')
  }

  /** @throws Refusal EACCES if nobody may see the names in a folder */
  checkList(path: string): void {
    if (this.faults.denied.get(path) === 'access') throw new Refusal('EACCES')
  }

  /** Returns how many of the bytes of a write fit, and takes their room. */
  takeRoom(bytes: number): number {
    const fitting = Math.min(bytes, this.faults.room)
    this.faults.room -= fitting
    return fitting
  }

  /** Returns a file that has no name yet. */
  createFile(mode: number): StoredFile {
    return new StoredFile(this.nextId(), mode, this.clock)
  }

  /** Returns a folder that has no name yet. */
  createFolder(mode: number): StoredFolder {
    return new StoredFolder(this.nextId(), mode, this.clock.wall())
  }

  /** Returns a number that this disk has not given out before. */
  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  /** Changes names; a power cut leaves all of these changes or none. @param isCreation true for the first name of something */
  rename(changes: readonly NameChange[], { isCreation = false } = {}): void {
    const monotonic = this.clock.monotonic()
    this.#settleNames(monotonic - this.#settlesAfter)
    this.#journal.push({ monotonic, changes, isCreation })
    for (const change of changes) {
      setName(change.folder.entries, change)
      change.folder.modified = this.clock.wall()
    }
  }

  /** Adds a change to a file that the drive will have later. */
  write(file: StoredFile, change: (file: StoredFile) => void): void {
    file.settle(this.clock.monotonic() - this.#settlesAfter)
    change(file)
  }

  /**
   * Has the drive keep the content of a file, and the names up to its latest one; or those in a folder, and its own. The
   * journal is ordered, so all changes of names before are kept, too.
   * @param options `isDataOnly`: of its names only the first one, as `fdatasync` does
   */
  flush(stored: Stored, { isDataOnly = false } = {}): void {
    if (stored instanceof StoredFile) stored.flush()
    const last = this.#journal.findLastIndex(
      ({ changes, isCreation }) =>
        (isCreation || !isDataOnly) &&
        changes.some((change) => change.stored === stored || change.folder === stored),
    )
    this.#keepNames(last + 1)
  }

  /** Has the drive keep everything, as after a shutdown. */
  flushAll(): void {
    this.#keepNames(this.#journal.length)
    this.#visit(({ stored }) => stored instanceof StoredFile && stored.flush())
  }

  /** Cuts the power: undoes what the drive does not have, as the seed chooses. The processes of the machine must not go on. */
  cutPower(random: Random): void {
    const settled = this.clock.monotonic() - this.#settlesAfter
    this.#settleNames(settled)
    this.#keepNames(random.between(0, this.#journal.length))
    this.#journal = []
    const met = new Set<Stored>()
    this.#visit(({ stored }) => {
      if (stored instanceof StoredFolder) stored.entries = new Map(stored.durable)
      else if (!met.has(stored)) {
        stored.settle(settled)
        stored.cutPower(random)
      }
      met.add(stored)
    })
  }

  /** Returns all files and folders, by their paths in order. */
  all(): ReadonlyMap<string, Stored> {
    const all = new Map<string, Stored>()
    this.#visit(({ path, stored }) => {
      all.set(path, stored)
    })
    return all
  }

  /** Returns the contents of all files, by their paths in order. */
  files(): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.all()].flatMap(([path, stored]) =>
        stored instanceof StoredFile ? [[path, stored.content] as const] : [],
      ),
    )
  }

  /** Returns everything as a text, one line for each name: equal texts are equal disks. */
  snapshot(): string {
    const lines: string[] = []
    this.#visit(({ path, stored }) => {
      const content = stored instanceof StoredFile ? JSON.stringify(stored.content.toString('latin1')) : '/'
      lines.push(`${path} ${stored.mode.toString(8)} ${stored.modified} ${content}\n`)
    })
    return lines.join('')
  }

  /** Calls `visitor` with each name, a folder before what is in it, by name. */
  #visit(visitor: (found: { path: string; stored: Stored }) => void): void {
    const visit = (path: string, stored: Stored) => {
      visitor({ path, stored })
      if (stored instanceof StoredFile) return
      const entries = [...stored.entries].sort(([one], [other]) => (one < other ? -1 : 1))
      for (const [name, entry] of entries) visit(`${path}/${name}`, entry)
    }
    visit(this.root, this.#top)
  }

  #namesOf(path: string): string[] {
    for (const [denied, kind] of this.faults.denied)
      if (kind === 'access' && path.startsWith(`${denied}/`)) throw new Refusal('EACCES')
    return path.slice(this.root.length).split('/').slice(1)
  }

  #settleNames(until: number): void {
    const younger = this.#journal.findIndex(({ monotonic }) => monotonic > until)
    this.#keepNames(younger === -1 ? this.#journal.length : younger)
  }

  #keepNames(count: number): void {
    for (const { changes } of this.#journal.splice(0, count))
      for (const change of changes) setName(change.folder.durable, change)
  }
}

function setName(names: Map<string, Stored>, { name, stored }: NameChange): void {
  if (stored === undefined) names.delete(name)
  else names.set(name, stored)
}
