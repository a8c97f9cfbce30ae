import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { CursorFile } from './cursor-file.ts'
import type { CursorState } from './cursor-format.ts'
import type { CursorStore, LoadedCursor } from './cursor-store.ts'
import { type FolderListing, listingOf } from './folder-listing.ts'
import { findLeftCopies, type LeftCopy } from './left-copies.ts'
import { mergeStates } from './merged-cursors.ts'

/**
 * The cursor of a process that is alone: the file of the panel, with what the files of its nodes say if this process was
 * in a cluster before. It is doubtful then, because other instances may have delivered what came later.
 */
export class PanelCursor implements CursorStore {
  readonly isShared = false
  readonly #file: CursorFile
  readonly #path: string
  /** The listing of the folder for the first load; a later one needs another. */
  #listing: FolderListing | undefined
  /** The files of nodes that are part of what was loaded, until that is saved. */
  #left: readonly LeftCopy[] = []

  /**
   * Create it after the process before, or the panel before in this process, has written all its files.
   * @param path that of the file
   */
  constructor(file: CursorFile, path: string) {
    this.#file = file
    this.#path = path
    this.#listing = listingOf(dirname(path))
  }

  async load(serial: string): Promise<LoadedCursor> {
    const loaded = await this.#file.load(serial)
    const listing = this.#listing ?? listingOf(dirname(this.#path))
    this.#listing = undefined
    const { copies, isDamaged } = await findLeftCopies(this.#path, listing)
    this.#left = copies
    const doubtful = loaded.doubtful || isDamaged || copies.length > 0
    const valid = copies.filter(({ content }) => content.state?.serial === serial)
    const savedAt = await stat(this.#path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    )
    const states = [{ content: loaded, savedAt }, ...valid]
      .sort((one, other) => one.savedAt - other.savedAt)
      .map(({ content }) => content.state)
    const [oldest, ...others] = states.filter((state) => state !== null)
    if (oldest === undefined) return { ...loaded, doubtful }
    const intended = [loaded, ...valid.map(({ content }) => content)].flatMap((one) => [...one.intended])
    return { ...loaded, state: mergeStates([oldest, ...others]), intended: new Set(intended), doubtful }
  }

  intend(keys: readonly string[]): Promise<void> {
    return this.#file.intend(keys)
  }

  async save(state: CursorState, open: readonly string[] = []): Promise<void> {
    await this.#file.save(state, open)
    const left = this.#left
    this.#left = []
    // What stays is merged once more by the next process.
    await Promise.all(left.map((copy) => copy.remove().catch(() => {})))
  }
}
