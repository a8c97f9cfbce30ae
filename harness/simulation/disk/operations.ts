import { posix } from 'node:path'
import { type Disk, type Stored, StoredFolder } from './disk.ts'
import { inCall, Refusal } from './file-error.ts'
import { type Data, FileStats, type Flag, OpenFile, umask } from './open-file.ts'
import { StoredFile } from './stored-file.ts'

/** The encoding of a call, by itself or among other options. */
type Encoding = BufferEncoding | null | undefined

/** The options to write a file. */
export interface WriteOptions {
  readonly encoding?: Encoding
  readonly mode?: number
  readonly flag?: Flag
  /** True if the drive must have the content, and the name of a new file, at the end. */
  readonly flush?: boolean
}

/** The functions of `node:fs` on a disk, with absolute paths. Each does its work at once, and throws the errors of `node:fs`. */
export class Operations {
  readonly #disk: Disk

  constructor(disk: Disk) {
    this.#disk = disk
  }

  open(path: string, flag: Flag = 'r', mode = 0o666): OpenFile {
    return new OpenFile(this.#disk, path, flag, mode)
  }

  access(path: string): void {
    inCall({ syscall: 'access', path }, () => this.#disk.find(path))
  }

  exists(path: string): boolean {
    try {
      this.access(path)
      return true
    } catch {
      return false
    }
  }

  stat(path: string): FileStats {
    return inCall({ syscall: 'stat', path }, () => new FileStats(this.#disk.find(path)))
  }

  lstat(path: string): FileStats {
    return inCall({ syscall: 'lstat', path }, () => new FileStats(this.#disk.find(path)))
  }

  readFile(path: string, options?: Encoding | { readonly encoding?: Encoding }): string | Buffer {
    const encoding = typeof options === 'object' ? options?.encoding : options
    const content = this.open(path).read(Number.POSITIVE_INFINITY)
    return typeof encoding === 'string' ? content.toString(encoding) : content
  }

  writeFile(path: string, data: Data, options: Encoding | WriteOptions = {}): void {
    const {
      encoding,
      mode,
      flag = 'w',
      flush,
    } = typeof options === 'object' ? { ...options } : { encoding: options }
    const file = this.open(path, flag, mode)
    file.write(typeof data === 'string' ? Buffer.from(data, encoding ?? 'utf8') : data)
    if (flush) file.sync()
  }

  appendFile(path: string, data: Data, options: Encoding | WriteOptions = {}): void {
    this.writeFile(path, data, {
      flag: 'a',
      ...(typeof options === 'object' ? options : { encoding: options }),
    })
  }

  /** @param mode 1 to fail if there is a file at the destination */
  copyFile(path: string, dest: string, mode = 0): void {
    inCall({ syscall: 'copyfile', path, dest }, () => {
      const from = this.#disk.find(path)
      const isItself = this.#disk.locate(dest).stored === from
      if (isItself && from instanceof StoredFile && mode === 0) return
      let to: OpenFile | undefined
      try {
        to = this.open(dest, mode === 1 ? 'wx' : 'w', from.mode)
        to.changeMode(from.mode)
        to.write(this.open(path).read(Number.POSITIVE_INFINITY))
      } catch (thrown) {
        // What cannot be copied completely is removed.
        if (to !== undefined) this.unlink(dest)
        throw new Refusal((thrown as NodeJS.ErrnoException).code ?? 'EIO')
      }
    })
  }

  link(path: string, dest: string): void {
    inCall({ syscall: 'link', path, dest }, () => {
      const stored = this.#disk.find(path)
      const to = this.#disk.locate(dest)
      if (to.stored !== undefined) throw new Refusal('EEXIST')
      this.#disk.checkChange(dest)
      if (!(stored instanceof StoredFile)) throw new Refusal('EPERM')
      this.#disk.rename([{ ...to, stored }])
    })
  }

  unlink(path: string): void {
    inCall({ syscall: 'unlink', path }, () => {
      const { folder, name, stored } = this.#disk.locate(path)
      if (stored === undefined) throw new Refusal('ENOENT')
      if (!(stored instanceof StoredFile)) throw new Refusal('EISDIR')
      this.#disk.checkChange(path)
      this.#disk.rename([{ folder, name }])
    })
  }

  rename(path: string, dest: string): void {
    inCall({ syscall: 'rename', path, dest }, () => {
      const from = this.#disk.locate(path)
      const to = this.#disk.locate(dest)
      if (from.stored === undefined) throw new Refusal('ENOENT')
      if (dest.startsWith(`${path}/`)) throw new Refusal('EINVAL')
      if (path.startsWith(`${dest}/`)) throw new Refusal('ENOTEMPTY')
      if (to.stored === from.stored) return
      checkReplacement(from.stored, to.stored)
      this.#disk.checkChange(path)
      this.#disk.checkChange(dest)
      this.#disk.rename([
        { folder: from.folder, name: from.name },
        { folder: to.folder, name: to.name, stored: from.stored },
      ])
    })
  }

  /** Returns the path of the first new folder if `recursive` is set and there is one. */
  mkdir(path: string, options: number | { recursive?: boolean; mode?: number } = {}): string | undefined {
    const { recursive = false, mode = 0o777 } = typeof options === 'number' ? { mode: options } : options
    if (!recursive) return void this.#makeFolder(path, path, mode)
    const missing: string[] = []
    for (let above = path; !this.exists(above) && above !== '/'; above = posix.dirname(above))
      missing.unshift(above)
    if (missing.length === 0 && this.stat(path).isFile()) this.#makeFolder(path, path, mode)
    for (const folder of missing) this.#makeFolder(folder, path, mode)
    return missing[0]
  }

  mkdtemp(prefix: string): string {
    const path = `${prefix}${this.#disk.nextId().toString(36).padStart(6, '0')}`
    inCall({ syscall: 'mkdtemp', path }, () => this.#addFolder(path, 0o700))
    return path
  }

  readdir(path: string): string[] {
    return inCall({ syscall: 'scandir', path }, () => {
      const found = this.#disk.find(path)
      if (found instanceof StoredFile) throw new Refusal('ENOTDIR')
      this.#disk.checkList(path)
      return [...found.entries.keys()].sort()
    })
  }

  rmdir(path: string): void {
    inCall({ syscall: 'rmdir', path }, () => {
      const { folder, name, stored } = this.#disk.locate(path)
      if (stored === undefined) throw new Refusal('ENOENT')
      if (stored instanceof StoredFile) throw new Refusal('ENOTDIR')
      if (stored.entries.size > 0) throw new Refusal('ENOTEMPTY')
      this.#disk.checkChange(path)
      this.#disk.rename([{ folder, name }])
    })
  }

  rm(path: string, { force = false, recursive = false } = {}): void {
    const found = this.#lstatFor(path, force)
    if (found?.isFile()) this.unlink(path)
    if (!found?.isDirectory()) return
    if (!recursive) throw isFolder(path)
    for (const name of this.readdir(path)) this.rm(`${path}/${name}`, { recursive })
    this.rmdir(path)
  }

  /** @param isOptional true to return undefined for what is not there */
  #lstatFor(path: string, isOptional: boolean): FileStats | undefined {
    try {
      return this.lstat(path)
    } catch (thrown) {
      if (isOptional && (thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw thrown
    }
  }

  /** @param path the one that the error names */
  #makeFolder(folder: string, path: string, mode: number): void {
    inCall({ syscall: 'mkdir', path }, () => this.#addFolder(folder, mode))
  }

  #addFolder(path: string, mode: number): void {
    const { folder, name, stored } = this.#disk.locate(path)
    if (stored !== undefined) throw new Refusal('EEXIST')
    this.#disk.checkChange(path)
    // Unlike an empty file, an empty folder takes room.
    if (this.#disk.faults.room === 0) throw new Refusal('ENOSPC')
    const created = this.#disk.createFolder(mode & ~umask)
    this.#disk.rename([{ folder, name, stored: created }], { isCreation: true })
  }
}

/** @throws Refusal if a rename cannot replace what has the name already */
function checkReplacement(stored: Stored, replaced: Stored | undefined): void {
  if (replaced === undefined) return
  const isFolder = stored instanceof StoredFolder
  if (isFolder && replaced instanceof StoredFile) throw new Refusal('ENOTDIR')
  if (!isFolder && replaced instanceof StoredFolder) throw new Refusal('EISDIR')
  if (replaced instanceof StoredFolder && replaced.entries.size > 0) throw new Refusal('ENOTEMPTY')
}

/** Returns the error of `rm` without `recursive`, which is one of Node.js and not of the system. */
function isFolder(path: string): NodeJS.ErrnoException {
  const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`)
  return Object.assign(error, { name: 'SystemError', code: 'ERR_FS_EISDIR', errno: 21, syscall: 'rm', path })
}
