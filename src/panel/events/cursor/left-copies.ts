import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { quarantine } from '../../../files.ts'
import { CursorFile } from './cursor-file.ts'
import { type CursorContent, contentOf, stateText } from './cursor-format.ts'
import type { FolderListing } from './folder-listing.ts'

/** A file with the cursor of a node, which an instance of a cluster has written. */
export interface LeftCopy {
  /** The id of the node, as it is in the name of the file. */
  name: string
  content: CursorContent
  /** Milliseconds since 1970. */
  savedAt: number
  /** @throws the file system's error */
  remove(): Promise<void>
}

/** The files of nodes beside the file of a panel. */
export interface LeftCopies {
  /** Oldest first. */
  copies: LeftCopy[]
  /** True if a file could not be read, and was renamed. */
  isDamaged: boolean
}

/**
 * Returns the files of nodes beside the file of a panel. One that only looks like it, such as that of another panel, is
 * left out. Never rejects.
 * @param panelPath the file of the panel, which need not exist
 * @param listing of the folder of that file
 * @param isWanted tells by the id of a node, as it is in the name of its file, if the file is read
 */
export async function findLeftCopies(
  panelPath: string,
  listing: FolderListing,
  isWanted: (name: string) => boolean = () => true,
): Promise<LeftCopies> {
  const folder = dirname(panelPath)
  const prefix = `${basename(panelPath, '.json')}-`
  const files = await listing.get().catch(() => undefined)
  const names = (files?.get(prefix) ?? [])
    .map((name) => name.slice(prefix.length, -'.json'.length))
    .filter(isWanted)
  const copies: LeftCopy[] = []
  let isDamaged = false
  for (const name of names) {
    const path = join(folder, `${prefix}${name}.json`)
    try {
      const text = await readFile(path, 'utf8')
      const content = contentOf(text)
      if (content === undefined) {
        isDamaged = true
        await quarantine(path)
      } else if (text === stateText(null) || isOf(name, content)) {
        const { mtimeMs } = await stat(path)
        copies.push({ name, content, savedAt: mtimeMs, remove: () => new CursorFile(path).remove() })
      }
    } catch (thrown) {
      // Another panel may have removed its file since the folder was listed.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') isDamaged = true
    }
  }
  return { copies: copies.sort((one, other) => one.savedAt - other.savedAt), isDamaged }
}

/** Returns the text of an id in the name of a file. */
export function inFileName(id: string): string {
  return id.replace(/[^\w.-]/g, '_')
}

/** Returns true if a state is that of the node alone that a file is named after. */
function isOf(name: string, { state }: CursorContent): boolean {
  const ids = Object.keys(state?.positions ?? {})
  return ids.length === 1 && inFileName(ids[0] ?? '') === name
}
