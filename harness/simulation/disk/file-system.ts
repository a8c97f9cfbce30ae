import fs from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Disk } from './disk.ts'
import type { Data, FileStats, Flag, OpenFile } from './open-file.ts'
import { Operations } from './operations.ts'

/** Lets a piece of work of a process happen in a later step. Once the process is killed, it never happens. */
export type Queue = (work: () => void) => void

/** A path of a call. */
type Path = string | URL | Buffer

/** The functions with one path, or with two, that only read. Elsewhere than on the disk they read the real files. */
const readings = ['access', 'lstat', 'readFile', 'readdir', 'stat'] as const

/** The functions that change something at one path. */
const changes = ['appendFile', 'mkdir', 'mkdtemp', 'rm', 'rmdir', 'unlink', 'writeFile'] as const

/** The functions that change something at two paths. */
const changesOfTwo = ['copyFile', 'link', 'rename'] as const

type Call = (...values: never[]) => unknown

/** A function of the disk whose paths may be anything that `node:fs` takes. */
type Reached<Function> = Function extends (path: string, ...rest: infer Rest) => infer Result
  ? (path: Path, ...rest: Rest) => Result
  : never

type Later<Function> = Function extends (...values: infer Values) => infer Result
  ? (...values: Values) => Promise<Result>
  : never

type OnDisk = { [Name in (typeof readings | typeof changes)[number]]: Reached<Operations[Name]> } & {
  [Name in (typeof changesOfTwo)[number]]: (path: Path, dest: Path, mode?: number) => void
}

/** The members of `node:fs/promises` that the product uses, and their neighbors. */
export type FileSystem = { [Name in keyof OnDisk]: Later<OnDisk[Name]> } & {
  open(path: Path, flag?: Flag, mode?: number): Promise<Handle>
}

/** The members of `node:fs` that change files at once; all others are the real ones. */
export type SyncFileSystem = typeof fs & Record<'promises', unknown>

/** A `FileHandle` with the members that the product uses, and their neighbors. */
export interface Handle {
  /** -1 when it is closed. */
  readonly fd: number
  stat(): Promise<FileStats>
  appendFile(data: Data): Promise<void>
  writeFile(data: Data): Promise<void>
  readFile(encoding?: BufferEncoding | { encoding?: BufferEncoding }): Promise<string | Buffer>
  read(
    buffer: Uint8Array,
    offset?: number,
    length?: number,
    position?: number | null,
  ): Promise<{ bytesRead: number; buffer: Uint8Array }>
  sync(): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}

/**
 * Returns what a process on the machine of a disk gets as `node:fs/promises`. Each call happens completely in one step that
 * `queue` chooses; if the disk is slow, that is after its delay. Paths that are not on the disk read the real files.
 */
export function createFileSystem(disk: Disk, queue: Queue): FileSystem {
  const later = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const step = () => {
        try {
          resolve(work())
        } catch (thrown) {
          reject(thrown)
        }
      }
      const { delay } = disk.faults
      if (delay > 0) disk.clock.after(delay, () => queue(step))
      else queue(step)
    })
  const operations = reachDisk(disk)
  const promises = Object.entries(operations).map(([name, operate]) => [
    name,
    (...values: never[]) => later(() => operate(...values)),
  ])
  const open = (path: Path, flag?: Flag, mode?: number) =>
    later(() => createHandle(openAt(disk, path, flag, mode), disk.nextId(), later))
  return { ...Object.fromEntries(promises), open }
}

/**
 * Returns what a process on the machine of a disk gets as `node:fs`: the functions that the product calls while something
 * waits are those of the disk, and work at once even if it is slow.
 */
export function createSyncFileSystem(disk: Disk, queue: Queue): SyncFileSystem {
  const operations = Object.entries(reachDisk(disk)).map(([name, operate]) => [`${name}Sync`, operate])
  const existsSync = (path: Path) => {
    const found = pathOf(path)
    return disk.has(found) ? new Operations(disk).exists(found) : fs.existsSync(found)
  }
  return { ...fs, ...Object.fromEntries(operations), existsSync, promises: createFileSystem(disk, queue) }
}

/** Returns the operations of a disk, with the real files elsewhere, by their names. */
function reachDisk(disk: Disk): Record<string, Call> {
  const operations = new Operations(disk)
  const call = (name: keyof OnDisk, values: unknown[]) =>
    (operations[name] as (...values: unknown[]) => unknown).call(operations, ...values)
  const read =
    (name: (typeof readings)[number]) =>
    (path: Path, ...rest: never[]) => {
      const found = pathOf(path)
      if (disk.has(found)) return call(name, [found, ...rest])
      return (fs[`${name}Sync`] as (...values: unknown[]) => unknown)(found, ...rest)
    }
  const change =
    (name: (typeof changes)[number]) =>
    (path: Path, ...rest: never[]) =>
      call(name, [ownPath(disk, path), ...rest])
  const changeTwo =
    (name: (typeof changesOfTwo)[number]) =>
    (path: Path, dest: Path, ...rest: never[]) =>
      call(name, [ownPath(disk, path), ownPath(disk, dest), ...rest])
  return Object.fromEntries<Call>([
    ...readings.map((name) => [name, read(name)] as const),
    ...changes.map((name) => [name, change(name)] as const),
    ...changesOfTwo.map((name) => [name, changeTwo(name)] as const),
  ])
}

function openAt(disk: Disk, path: Path, flag: Flag | undefined, mode: number | undefined): OpenFile {
  return new Operations(disk).open(ownPath(disk, path), flag, mode)
}

function createHandle(file: OpenFile, fd: number, later: <T>(work: () => T) => Promise<T>): Handle {
  let current = fd
  const whileOpen = <T>(syscall: string, work: () => T): Promise<T> => {
    const closed = Object.assign(new Error('file closed'), { code: 'EBADF', syscall })
    return current === -1 ? Promise.reject(closed) : later(work)
  }
  return {
    get fd() {
      return current
    },
    stat: () => whileOpen('fstat', () => file.stat()),
    appendFile: (data) => whileOpen('writeFile', () => file.write(data)),
    writeFile: (data) => whileOpen('writeFile', () => file.write(data)),
    readFile: (options) =>
      whileOpen('readFile', () => {
        const content = file.read(Number.POSITIVE_INFINITY)
        const encoding = typeof options === 'object' ? options.encoding : options
        return encoding === undefined ? content : content.toString(encoding)
      }),
    read: (buffer, offset = 0, length = buffer.length - offset, position = null) =>
      whileOpen('read', () => {
        const bytes = file.read(length, position)
        buffer.set(bytes, offset)
        return { bytesRead: bytes.length, buffer }
      }),
    sync: () => whileOpen('fsync', () => file.sync()),
    datasync: () => whileOpen('fdatasync', () => file.sync({ isDataOnly: true })),
    close: async () => {
      if (current === -1) return
      current = -1
      await later(() => {})
    },
  }
}

/** Returns a path on the disk. @throws Error for another one: a process of a simulation changes nothing of the real machine */
function ownPath(disk: Disk, path: Path): string {
  const found = pathOf(path)
  if (disk.has(found)) return found
  throw new Error(`A simulated process opens or changes ${found}, which is not on its disk ${disk.root}.`)
}

function pathOf(path: Path): string {
  return posix.resolve(path instanceof URL ? fileURLToPath(path) : path.toString())
}
