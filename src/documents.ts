import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { KeyedMutex } from './concurrency.ts'
import { KeyholderError } from './service/error.ts'

/** The operation that fails on a file, as the end of the words "cannot be". */
export type Doing = 'read' | 'written'

/**
 * Decides what happens if a file cannot be read or written: returns the error to throw, or undefined to do without it. Then a
 * file that cannot be read counts as missing, and one that cannot be written stays as it is.
 * @param thrown the error of the file system
 */
export type Failure = (path: string, doing: Doing, thrown: unknown) => Error | undefined

/** The failure for state whose loss costs a request or a question only: the work goes on without it. */
export const doWithout: Failure = () => undefined

const remedies: Readonly<Record<Doing, string>> = {
  read: 'Check that Node-RED has read permission for it, and that its disk answers.',
  written: 'Check that Node-RED has write permission for its folder, and that the disk is not full.',
}

/**
 * Returns the failure that is an error with its remedy.
 * @param consequences sentences about what does not work meanwhile
 */
export function failWith(consequences: Partial<Readonly<Record<Doing, string>>>): Failure {
  return (path, doing, thrown) =>
    new KeyholderError(
      'BAD_SETTING',
      `The file ${path} cannot be ${doing} (${reasonOf(thrown)}). ${remedies[doing]} ${consequences[doing] ?? ''}`.trim(),
    )
}

/** Returns the word of the file system for an error, such as ENOSPC. */
export function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException
  return code ?? message
}

/** The options to replace a file. */
export interface Replacement {
  /** `file` if the content must also survive a power failure, `folder` if its name must survive one too: a slower write. */
  readonly flush?: 'file' | 'folder'
  /** Runs when the new content is on the disk, and the file before is still in its place. */
  readonly before?: () => Promise<void>
}

/**
 * The durable state of a store in files: a process that ends at any moment leaves the content before a change or the one
 * after it. Only the owner can access the files, and their folder, which is created when first needed.
 *
 * The methods wait for each other only in works that `run` runs one at a time, with the path as their key.
 */
export class Documents extends KeyedMutex {
  readonly #failure: Failure

  constructor(failure: Failure) {
    super()
    this.#failure = failure
  }

  /** Returns the content; undefined if the file is missing. @throws the failure */
  async read(path: string): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8').catch(unlessMissing)
    } catch (thrown) {
      return this.#fail(path, 'read', thrown)
    }
  }

  /** Replaces the file: the new content is there completely or not at all. @throws the failure */
  async replace(path: string, content: string, { flush, before }: Replacement = {}): Promise<void> {
    try {
      await makeFolder(path)
      await writeFile(`${path}.new`, content, { mode: 0o600, flush: flush !== undefined })
      await before?.()
      await rename(`${path}.new`, path)
      if (flush === 'folder') await flushFolder(path)
    } catch (thrown) {
      this.#fail(path, 'written', thrown)
    }
  }

  /**
   * Appends a text: a process or machine that ends at that moment may leave a part of it.
   * @param text may depend on the size of the file in bytes, 0 for a new one whose name is flushed too
   * @param flush true if the text must also survive a power failure
   * @throws the failure
   */
  async append(
    path: string,
    text: string | ((size: number) => string),
    { flush = false } = {},
  ): Promise<void> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'a', 0o600).catch(unlessMissing)
      if (file === undefined) await makeFolder(path)
      file ??= await open(path, 'a', 0o600)
      const size = typeof text === 'string' ? undefined : (await file.stat()).size
      await file.appendFile(typeof text === 'string' ? text : text(size ?? 0))
      if (flush) await file.datasync()
      if (flush && size === 0) await flushFolder(path)
      // A full disk of another machine is told only here.
      await file.close()
    } catch (thrown) {
      await file?.close().catch(() => {})
      this.#fail(path, 'written', thrown)
    }
  }

  /** Removes the file. @throws the failure, also if it is missing */
  async remove(path: string): Promise<void> {
    await rm(path).catch((thrown) => this.#fail(path, 'written', thrown))
  }

  /** @throws the failure; an error that names its remedy stays as it is */
  #fail(path: string, doing: Doing, thrown: unknown): undefined {
    const failure = thrown instanceof KeyholderError ? thrown : this.#failure(path, doing, thrown)
    if (failure !== undefined) throw failure
  }
}

function makeFolder(path: string): Promise<unknown> {
  return mkdir(dirname(path), { recursive: true, mode: 0o700 })
}

/** Makes the name of a file survive a power failure. Some systems cannot do that; the file before is then as good. */
async function flushFolder(path: string): Promise<void> {
  const handle = await open(dirname(path)).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** Returns undefined for the error of a file that is not there. @throws all others */
export function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
}

/** Number of damaged files that are kept for analysis. */
const maxKept = 3

/**
 * Renames a damaged file to `<name>.damaged-<n>` in its folder, and removes the oldest of several such files.
 *
 * Returns the new name, or undefined if the file could not be renamed.
 */
export async function quarantine(path: string): Promise<string | undefined> {
  const folder = dirname(path)
  const prefix = prefixOf(path)
  try {
    const numbers = await damagedNumbers(path)
    const number = Math.max(0, ...numbers) + 1
    await rename(path, join(folder, `${prefix}${number}`))
    const outdated = numbers.filter((other) => other <= number - maxKept)
    await Promise.all(outdated.map((other) => rm(join(folder, `${prefix}${other}`)).catch(() => {})))
    return `${prefix}${number}`
  } catch {
    return undefined
  }
}

/** Returns the path of the damaged file that was renamed last; undefined if there is none. */
export async function latestDamaged(path: string): Promise<string | undefined> {
  const numbers = await damagedNumbers(path).catch(() => [])
  return numbers.length === 0 ? undefined : join(dirname(path), `${prefixOf(path)}${Math.max(...numbers)}`)
}

function prefixOf(path: string): string {
  return `${basename(path)}.damaged-`
}

/** Returns the numbers of the damaged files that were renamed. @throws the file system's error */
async function damagedNumbers(path: string): Promise<number[]> {
  const prefix = prefixOf(path)
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(prefix))
  return names.map((name) => Number(name.slice(prefix.length))).filter(Number.isSafeInteger)
}
