import type { Disk, Stored } from './disk.ts'
import { fileError, inCall, Refusal } from './file-error.ts'
import { StoredFile } from './stored-file.ts'

/** The content with which a file is written. */
export type Data = string | Uint8Array

/** The fields of `fs.Stats` that the product reads, and some for comparisons. */
export class FileStats {
  readonly ino: number
  /** Kind and permissions. */
  readonly mode: number
  readonly size: number
  /** Milliseconds since 1970. */
  readonly mtimeMs: number
  readonly #isFile: boolean

  constructor(stored: Stored) {
    this.#isFile = stored instanceof StoredFile
    this.ino = stored.id
    this.mode = stored.mode | (this.#isFile ? 0o100000 : 0o040000)
    this.size = stored instanceof StoredFile ? stored.content.length : 4096
    this.mtimeMs = stored.modified
  }

  get mtime(): Date {
    return new Date(this.mtimeMs)
  }

  isFile(): boolean {
    return this.#isFile
  }

  isDirectory(): boolean {
    return !this.#isFile
  }

  /** There are no links of this kind on the disk. */
  isSymbolicLink(): boolean {
    return false
  }
}

/** The rights that a flag of `open` gives, by the flag. */
const flags = {
  r: { reads: true },
  'r+': { reads: true, writes: true },
  w: { writes: true, creates: true, empties: true },
  wx: { writes: true, creates: true, isNew: true },
  'w+': { reads: true, writes: true, creates: true, empties: true },
  'wx+': { reads: true, writes: true, creates: true, isNew: true },
  a: { writes: true, creates: true, appends: true },
  ax: { writes: true, creates: true, appends: true, isNew: true },
  'a+': { reads: true, writes: true, creates: true, appends: true },
  'ax+': { reads: true, writes: true, creates: true, appends: true, isNew: true },
} satisfies Record<string, OpenFlag>

interface OpenFlag {
  reads?: boolean
  writes?: boolean
  creates?: boolean
  empties?: boolean
  appends?: boolean
  /** True if there must not be anything with the name. */
  isNew?: boolean
}

/** A flag of `open`. */
export type Flag = keyof typeof flags

/** The bits that no new file gets. */
export const umask = 0o022

/** A file or folder that a process has opened. It stays the same, whatever becomes of its names. */
export class OpenFile {
  readonly #disk: Disk
  readonly #path: string
  readonly #flag: OpenFlag
  readonly #stored: Stored
  #position = 0

  /** @throws the error of `node:fs` */
  constructor(disk: Disk, path: string, flag: Flag, mode: number) {
    this.#disk = disk
    this.#path = path
    this.#flag = flags[flag]
    if (this.#flag === undefined) throw new Error(`The simulated disk does not know the flag ${flag}.`)
    this.#stored = inCall({ syscall: 'open', path }, () => this.#open(mode))
  }

  stat(): FileStats {
    return new FileStats(this.#stored)
  }

  /** Writes at the position of the file, or at its end if it was opened for that. @throws the error of `node:fs` */
  write(data: Data): void {
    // Node.js does not ask the system then.
    if (data.length === 0) return
    const stored = this.#stored
    if (!this.#flag.writes || !(stored instanceof StoredFile)) throw fileError('EBADF', { syscall: 'write' })
    if (this.#disk.faults.isReadOnly) throw fileError('EROFS', { syscall: 'write' })
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data)
    const fitting = this.#disk.takeRoom(bytes.length)
    const offset = this.#flag.appends ? stored.content.length : this.#position
    this.#disk.write(stored, (file) => file.write(offset, bytes.subarray(0, fitting)))
    this.#position = offset + fitting
    if (fitting < bytes.length) throw fileError('ENOSPC', { syscall: 'write' })
  }

  /**
   * Returns the next bytes.
   * @param position where they begin; null for where the read before has ended
   * @throws the error of `node:fs`
   */
  read(length: number, position: number | null = null): Buffer {
    const call = { syscall: 'read' }
    const stored = this.#stored
    if (!this.#flag.reads) throw fileError('EBADF', call)
    if (!(stored instanceof StoredFile)) throw fileError('EISDIR', call)
    if (this.#disk.faults.unreadable.has(this.#path)) throw fileError('EIO', call)
    const start = position ?? this.#position
    const bytes = Buffer.from(stored.content.subarray(start, start + length))
    if (position === null) this.#position += bytes.length
    return bytes
  }

  /** Sets the permissions; a power cut does not undo it. */
  changeMode(mode: number): void {
    this.#stored.mode = mode
  }

  /** Has the drive keep the content, and the name. @param options `isDataOnly`: the difference of `fdatasync` */
  sync(options?: { isDataOnly: boolean }): void {
    this.#disk.flush(this.#stored, options)
  }

  #open(mode: number): Stored {
    const { folder, name, stored } =
      this.#path === this.#disk.root
        ? { folder: undefined, name: '', stored: this.#disk.find(this.#path) }
        : this.#disk.locate(this.#path)
    const { writes = false, creates = false, empties = false, isNew = false } = this.#flag
    if (stored !== undefined) {
      if (isNew) throw new Refusal('EEXIST')
      if (!writes) return stored
      if (!(stored instanceof StoredFile)) throw new Refusal('EISDIR')
      this.#disk.checkChange(this.#path)
      if (empties && stored.content.length > 0) this.#disk.write(stored, (file) => file.resize(0))
      return stored
    }
    if (!creates || folder === undefined) throw new Refusal('ENOENT')
    this.#disk.checkChange(this.#path)
    const created = this.#disk.createFile(mode & ~umask)
    this.#disk.rename([{ folder, name, stored: created }], { isCreation: true })
    return created
  }
}
