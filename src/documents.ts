import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { KeyholderError } from './service/error.ts'

/**
 * Replaces a file atomically: the new content is there completely or not at all. Only the owner can access
 * file and folder.
 * @param flush true if the file must also survive a power failure
 * @throws the file system's error
 */
export async function replaceFile(path: string, content: string, { flush = false } = {}): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(`${path}.new`, content, { mode: 0o600, flush })
  await rename(`${path}.new`, path)
}

/**
 * Returns the error for a file that cannot be written.
 * @param consequence a sentence about what does not work meanwhile
 */
export function unwritable(path: string, thrown: unknown, consequence: string): KeyholderError {
  const { code, message } = thrown as NodeJS.ErrnoException
  return new KeyholderError(
    'BAD_SETTING',
    `The file ${path} cannot be written (${code ?? message}). Check that Node-RED has write permission for its folder, and that the disk is not full. ${consequence}`,
  )
}

/**
 * Returns the error for a file that is there and cannot be read.
 * @param consequence a sentence about what does not work meanwhile
 */
export function unreadable(path: string, thrown: unknown, consequence: string): KeyholderError {
  const { code, message } = thrown as NodeJS.ErrnoException
  return new KeyholderError(
    'BAD_SETTING',
    `The file ${path} cannot be read (${code ?? message}). Check that Node-RED has read permission for it, and that its disk answers. ${consequence}`,
  )
}

/** Returns true for the error of a file that is not there. */
export function isMissing(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException).code === 'ENOENT'
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
