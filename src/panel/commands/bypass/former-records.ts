import { readdir } from 'node:fs/promises'
import { Lazy } from '../../../concurrency.ts'

/** The names of the JSON files of a folder, by each beginning of them that ends with a hyphen; read at the first use. */
export type FolderListing = Lazy<ReadonlyMap<string, readonly string[]>>

/** The listings that nobody has used yet, by folder. */
const unused = new Map<string, FolderListing>()

/**
 * Returns the listing of a folder, the same for all that ask before one of them uses it: a thousand panels that start
 * together list their folder once. It has all files that were there when it was asked for.
 */
export function listingOf(folder: string): FolderListing {
  const known = unused.get(folder)
  if (known !== undefined) return known
  const listing: FolderListing = new Lazy(() => {
    unused.delete(folder)
    return namesByBeginning(folder)
  })
  unused.set(folder, listing)
  return listing
}

async function namesByBeginning(folder: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue
    for (let end = name.indexOf('-') + 1; end > 0; end = name.indexOf('-', end) + 1) {
      const beginning = name.slice(0, end)
      const names = found.get(beginning)
      if (names === undefined) found.set(beginning, [name])
      else names.push(name)
    }
  }
  return found
}
