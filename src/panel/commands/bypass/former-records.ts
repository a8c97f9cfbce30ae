import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Lazy } from '../../../concurrency.ts'
import { isMissing, replaceFile } from '../../../files.ts'
import { type BypassRecord, maxFileBytes, merged, recordsIn, recordsText } from './bypass-records.ts'

/** The names of the files of a folder that have the records of one node of a panel each; read at the first use. */
type FormerFiles = Lazy<readonly string[]>

/** The names that nobody has used yet, by folder. */
const unused = new Map<string, FormerFiles>()

/**
 * Returns the names of such files in a folder, the same for all that ask before one of them uses it: a thousand panels that
 * start together list their folder once. It has all files that were there when it was asked for.
 */
export function formerFilesOf(folder: string): FormerFiles {
  const known = unused.get(folder)
  if (known !== undefined) return known
  const files: FormerFiles = new Lazy(async () => {
    unused.delete(folder)
    return (await readdir(folder)).filter((name) => /^bypasses-.*\.json$/.test(name))
  })
  unused.set(folder, files)
  return files
}

/**
 * Moves the records that earlier versions have saved for single nodes of a panel to its own file. A node may have another
 * id since.
 *
 * If the panel has a file already, the others are what a crash has left of this.
 * @param path the file of the panel
 * @param folder that of all files
 * @throws the file system's error
 */
export async function adoptFormerRecords(
  path: string,
  serial: string,
  folder: string,
  files: FormerFiles,
): Promise<void> {
  const names = await files.get().catch(() => [])
  const found: { path: string; records: BypassRecord[] }[] = []
  for (const name of names) {
    const former = join(folder, name)
    const records = await readFormer(former, serial)
    if (records !== undefined) found.push({ path: former, records })
  }
  const [only, ...others] = found
  if (only === undefined) return
  const isMoved = await stat(path).then(() => true, unlessMissing)
  if (!isMoved && others.length === 0) return rename(only.path, path)
  if (!isMoved) await replaceFile(path, recordsText(serial, merged(found)), { flush: true })
  for (const former of found) await rm(former.path, { force: true })
}

/** Returns the records of a file; undefined if it is that of another panel, damaged or gone. */
async function readFormer(path: string, serial: string): Promise<BypassRecord[] | undefined> {
  const { size } = (await stat(path).catch(unlessMissing)) || { size: 0 }
  if (size === 0 || size > maxFileBytes) return undefined
  return recordsIn(await readFile(path, 'utf8'), serial)
}

/** @throws the error, unless it says that a file is not there */
function unlessMissing(thrown: unknown): false {
  if (!isMissing(thrown)) throw thrown
  return false
}
