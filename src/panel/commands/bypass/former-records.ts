import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing, replaceFile } from '../../../files.ts'
import type { FolderListing } from '../../events/cursor/folder-listing.ts'
import { type BypassRecord, maxFileBytes, recordsIn, recordsText } from './bypass-records.ts'

/** The beginning of the names of files that had the records of one node of a panel. */
const prefix = 'bypasses-'

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
  listing: FolderListing,
): Promise<void> {
  const names = (await listing.get().catch(() => undefined))?.get(prefix) ?? []
  const found: { path: string; records: BypassRecord[] }[] = []
  for (const name of names) {
    const former = join(folder, name)
    const records = await recordsOf(former, serial)
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
async function recordsOf(path: string, serial: string): Promise<BypassRecord[] | undefined> {
  const { size } = (await stat(path).catch(unlessMissing)) || { size: 0 }
  if (size === 0 || size > maxFileBytes) return undefined
  return recordsIn(await readFile(path, 'utf8'), serial)
}

/** Returns one record for each partition, with the zones of all. */
function merged(found: readonly { records: readonly BypassRecord[] }[]): BypassRecord[] {
  const byPartition = new Map<number, BypassRecord>()
  for (const record of found.flatMap(({ records }) => records)) {
    const zones = [...new Set([...(byPartition.get(record.partition)?.zones ?? []), ...record.zones])]
    byPartition.set(record.partition, { ...record, zones })
  }
  return [...byPartition.values()]
}

/** @throws the error, unless it says that a file is not there */
function unlessMissing(thrown: unknown): false {
  if (!isMissing(thrown)) throw thrown
  return false
}
