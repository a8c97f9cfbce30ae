import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/**
 * The functions that the product uses. Each reads or writes the real file, but in the next turn of the event loop and not in
 * another thread: nobody has to wait for that thread, and equal seeds have equal orders.
 */
const functions = [
  'access',
  'appendFile',
  'copyFile',
  'link',
  'lstat',
  'mkdir',
  'mkdtemp',
  'readFile',
  'readdir',
  'rename',
  'rm',
  'stat',
  'unlink',
] as const

/** The functions of Node itself, which work in another thread: for a test that compares with it. */
export const threadedFiles: typeof promises = { ...promises }

type Operation = (...values: unknown[]) => unknown

/** An open file with the operations that the product uses. */
class OpenFile {
  readonly fd: number

  constructor(fd: number) {
    this.fd = fd
  }

  stat() {
    return inNextTurn(() => fs.fstatSync(this.fd))
  }

  appendFile(data: string | Uint8Array) {
    return inNextTurn(() => fs.appendFileSync(this.fd, data))
  }

  /** Does not wait for the disk: no test cuts the power of the machine. */
  sync() {
    return inNextTurn(() => {})
  }

  datasync() {
    return inNextTurn(() => {})
  }

  close() {
    return inNextTurn(() => fs.closeSync(this.fd))
  }
}

function inNextTurn<T>(operate: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(operate())
      } catch (error) {
        reject(error)
      }
    })
  })
}

for (const name of functions) {
  const operate = fs[`${name}Sync`] as Operation
  Object.assign(promises, { [name]: (...values: unknown[]) => inNextTurn(() => operate(...values)) })
}
const writeFile = (path: string, data: string, options?: Record<string, unknown>) =>
  inNextTurn(() => fs.writeFileSync(path, data, { ...options, flush: false }))
const open = (path: fs.PathLike, flags?: string, mode?: number) =>
  inNextTurn(() => new OpenFile(fs.openSync(path, flags ?? 'r', mode)) as unknown as FileHandle)
Object.assign(promises, { open, writeFile })
// The named imports of modules follow.
syncBuiltinESMExports()
