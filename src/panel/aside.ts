import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** How many are kept for whoever wants to know what happened. */
const mostKept = 3

/**
 * Renames a damaged file to `<name>.damaged-<n>` beside it, and removes the oldest of several such.
 *
 * The answer is the new name, or nothing where the file could not be renamed.
 */
export async function putAside(path: string): Promise<string | undefined> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.damaged-`
  try {
    const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
    const numbers = names.map((name) => Number(name.slice(prefix.length))).filter(Number.isSafeInteger)
    const number = Math.max(0, ...numbers) + 1
    await rename(path, join(folder, `${prefix}${number}`))
    const outdated = numbers.filter((other) => other <= number - mostKept)
    await Promise.all(outdated.map((other) => rm(join(folder, `${prefix}${other}`)).catch(() => {})))
    return `${prefix}${number}`
  } catch {
    return undefined
  }
}
