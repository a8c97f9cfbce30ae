import { copyFile, link, readFile, rm, stat } from 'node:fs/promises'
import { Documents, failWith, latestDamaged, quarantine, unlessMissing } from '../../../documents.ts'
import { KeyholderError } from '../../../service/error.ts'
import {
  type CursorContent,
  type CursorState,
  contentOf,
  intentText,
  stateText,
  tornText,
} from './cursor-format.ts'
import type { CursorStore, LoadedCursor } from './cursor-store.ts'

/** Size in bytes beyond which a file is not a cursor and not worth the time and memory to read it. */
const maxFileBytes = 16 * 1024 * 1024

/**
 * The file that records how far a panel's events were delivered, safe against kills and power cuts.
 *
 * One writer per file, in this order: intend, send, save. At every moment either the file is complete, with
 * the intents since it was saved, or its previous copy is. Calls are executed one after another.
 */
export class CursorFile implements CursorStore {
  readonly isShared: boolean = false
  readonly #path: string
  readonly #previous: string
  /** True if the file at the path holds a state, so that it is worth keeping as the previous copy. */
  #isWhole = false
  /** True if a foreign or unreadable file is at the path and could not be renamed. */
  #isInTheWay = false
  readonly #consequence: string
  readonly #documents: Documents

  /**
   * @param path the file; its folder is created on the first write, for its owner only
   * @param consequence a sentence about events while the file cannot be written
   */
  constructor(
    path: string,
    consequence = 'Events still arrive, but after a restart some may come twice or not at all.',
  ) {
    this.#path = path
    this.#previous = `${path}.previous`
    this.#consequence = consequence
    this.#documents = new Documents(failWith({ written: consequence }))
  }

  /** Returns true if there is a file. Never rejects. */
  exists(): Promise<boolean> {
    return this.#documents.run(this.#path, () =>
      stat(this.#path).then(
        () => true,
        () => false,
      ),
    )
  }

  /**
   * Writes a file without a state.
   * @throws KeyholderError `BAD_SETTING` if it cannot be written
   */
  mark(): Promise<void> {
    return this.#documents.run(this.#path, () => this.#documents.replace(this.#path, stateText(null)))
  }

  /**
   * Returns the data that the last process left for this panel. A file that is damaged or belongs to another
   * panel is renamed and its previous copy is used. Never rejects.
   */
  load(serial: string): Promise<LoadedCursor> {
    return this.#documents.run(this.#path, () => this.#load(serial))
  }

  /** @throws KeyholderError `BAD_SETTING` if the file cannot be written */
  intend(keys: readonly string[]): Promise<void> {
    // While the file cannot be replaced it only grows, and must not grow so large that it is no longer
    // accepted as a cursor.
    const text = (size: number) =>
      (size === 0 ? stateText(null) : '') + (size < maxFileBytes / 2 ? intentText(keys) : tornText)
    return this.#documents.run(this.#path, () => this.#documents.append(this.#path, text, { flush: true }))
  }

  /**
   * Saves a state; the file before it stays as the previous copy.
   * @throws KeyholderError `BAD_SETTING` if the file cannot be written
   */
  save(state: CursorState, open: readonly string[] = []): Promise<void> {
    return this.#documents.run(this.#path, () => this.#save(state, open))
  }

  async #load(serial: string): Promise<LoadedCursor> {
    const current = await contentAt(this.#path, serial)
    this.#isWhole = hasState(current)
    if (hasState(current))
      return { state: current.state, intended: current.intended, doubtful: current.isTorn }

    const writtenAt = await latestTime([this.#path, this.#previous])
    const newName = typeof current === 'string' ? await this.#quarantine() : undefined
    const previous = await contentAt(this.#previous, serial)
    const intended = new Set([...intentsOf(current), ...intentsOf(previous)])
    const trouble = this.#describe(current, newName)
    if (hasState(previous)) {
      const warning = `${trouble} The nodes continue with an older copy. Some events may come twice, with msg.redelivered = true. You need do nothing.`
      return { state: previous.state, intended, doubtful: true, warning }
    }
    const nothing = { state: null, intended, doubtful: isTorn(current) }
    if (current === undefined && previous === undefined) {
      const lostAt = await this.#lostBefore(serial)
      return lostAt === undefined ? nothing : { ...nothing, doubtful: true, lostAt }
    }
    if (typeof current !== 'string' && typeof previous !== 'string') return nothing
    const outcome =
      current === foreign
        ? 'The nodes start a new one. You need do nothing.'
        : 'There is no usable copy. The nodes tell a gap, and what happened after the file was written. Events that happened while Node-RED was not running may be missing.'
    const lost = current === foreign || previous === foreign ? {} : { lostAt: writtenAt }
    return { ...nothing, doubtful: true, warning: `${trouble} ${outcome}`, ...lost }
  }

  /** Returns the time of a damaged file that a process has renamed which was killed before it could write another one. */
  async #lostBefore(serial: string): Promise<number | undefined> {
    const path = await latestDamaged(this.#path)
    const found = path === undefined ? undefined : await contentAt(path, serial)
    return path !== undefined && typeof found === 'string' && found !== foreign
      ? latestTime([path])
      : undefined
  }

  /** Renames a file that cannot be used; returns its new name, if that worked. */
  async #quarantine(): Promise<string | undefined> {
    const name = await quarantine(this.#path)
    this.#isInTheWay = name === undefined
    return name
  }

  /** Returns a sentence about a file that cannot be used. */
  #describe(found: Found, newName: string | undefined): string {
    const renamed = newName === undefined ? '' : ` and was renamed to ${newName}`
    if (found === foreign) {
      return `The serial number of this panel has changed. The file ${this.#path} lists the sent events of the earlier panel${renamed}.`
    }
    const why = typeof found === 'string' ? found : 'is missing'
    return `The file ${this.#path} ${why}${renamed}. In it the nodes note which events they have sent.`
  }

  async #save(state: CursorState, open: readonly string[]): Promise<void> {
    const before = async () => {
      if (this.#isInTheWay) await this.#clearTheWay()
      if (this.#isWhole) await this.#keepPrevious().catch(unlessMissing)
    }
    await this.#documents.replace(this.#path, stateText(state, open), { flush: 'folder', before })
    this.#isWhole = true
  }

  /**
   * Keeps the file as the previous copy. It stays under its own name all the time, because a kill in between
   * must not look like a loss.
   */
  async #keepPrevious(): Promise<void> {
    await rm(this.#previous, { force: true })
    // Not every file system supports hard links.
    await link(this.#path, this.#previous).catch(() => copyFile(this.#path, this.#previous))
  }

  /** @throws if a damaged file at the path would be overwritten */
  async #clearTheWay(): Promise<void> {
    const isThere = (await stat(this.#path).catch(unlessMissing)) !== undefined
    if (isThere && (await quarantine(this.#path)) === undefined)
      throw new KeyholderError(
        'BAD_SETTING',
        `The file ${this.#path} cannot be used and cannot be renamed. Move it to another folder. ${this.#consequence}`,
      )
    this.#isInTheWay = false
  }
}

/** The reason why the file of a panel that had another serial number cannot be used. */
const foreign = 'belongs to another panel'

/** A text is the reason why the file cannot be used, as the end of a sentence. */
type Found = CursorContent | undefined | string

function hasState(found: Found): found is CursorContent & { state: CursorState } {
  return typeof found === 'object' && found.state !== null
}

function intentsOf(found: Found): Iterable<string> {
  return typeof found === 'object' ? found.intended : []
}

function isTorn(found: Found): boolean {
  return typeof found === 'object' && found.isTorn
}

/**
 * Reads a file. One that cannot be read counts as damaged: an alarm must not wait until someone repairs the
 * disk.
 */
async function contentAt(path: string, serial: string): Promise<Found> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return 'is not a regular file'
    const content = found.size > maxFileBytes ? undefined : contentOf(await readFile(path, 'utf8'))
    if (content === undefined) return 'is damaged'
    return content.state === null || content.state.serial === serial ? content : foreign
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `cannot be read (${code})`
  }
}

/** Returns the time of the latest change of some files, in milliseconds since 1970; Infinity if none of them can be told. */
async function latestTime(paths: readonly string[]): Promise<number> {
  const timeOf = (path: string) => stat(path).then(({ mtimeMs }) => [mtimeMs])
  const times = (await Promise.all(paths.map((path) => timeOf(path).catch(() => [])))).flat()
  return times.length > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY
}
