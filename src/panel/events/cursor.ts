import { copyFile, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyholderError } from '../service/error.ts'
import { putAside } from './aside.ts'
import {
  type CursorContent,
  type CursorState,
  contentOf,
  intentText,
  stateText,
  tornText,
} from './cursor-file.ts'

export type { CursorState } from './cursor-file.ts'

/** What was found of an earlier process. */
export interface LoadedCursor {
  state: CursorState | null
  /** `eventKey` of each event that was about to be sent when the process ended: what of it is new is a possible repeat. */
  intended: ReadonlySet<string>
  /** True when part of what was known is gone: all that is new to the state is a possible repeat. */
  doubtful: boolean
  /** A sentence for the log when something was wrong. */
  warning?: string
}

/** Bytes beyond which a file is none of ours, and not worth the time and memory to look into. */
const largest = 16 * 1024 * 1024

/**
 * The file that says how far a panel's events were told, kept through kills and power cuts.
 *
 * One writer per file: intend, send, save. At every moment the file is whole, with the intents since it was saved, or
 * the copy before it is. Calls are carried out in turn.
 */
export class Cursor {
  readonly #path: string
  /** Whether the file at the path holds a state, so that it is worth keeping as the previous copy. */
  #isWhole = false
  /** Whether something stands at the path that is not ours, or not to be read, and could not be put aside. */
  #isInTheWay = false
  #turn: Promise<unknown> = Promise.resolve()

  /** @param path the file; its folder is made on the first write, for its owner only */
  constructor(path: string) {
    this.#path = path
  }

  /**
   * What the last process left of this panel. A file that is damaged or another panel's is put aside and the previous
   * copy taken; nothing makes it reject.
   */
  load(serial: string): Promise<LoadedCursor> {
    return this.#inTurn(() => this.#load(serial))
  }

  /**
   * Notes that these events are about to be sent; they must not be before this is done.
   * @throws KeyholderError `BAD_SETTING` when the file cannot be written
   */
  intend(keys: readonly string[]): Promise<void> {
    return this.#inTurn(() => this.#written(this.#intend(keys)))
  }

  /**
   * Notes that all up to this state was sent, which ends the intents; what was before stays as the previous copy.
   * @param open keys that stay intended: a node has still to be given their events
   * @throws KeyholderError `BAD_SETTING` when the file cannot be written
   */
  save(state: CursorState, open: readonly string[] = []): Promise<void> {
    return this.#inTurn(() => this.#written(this.#save(state, open)))
  }

  async #load(serial: string): Promise<LoadedCursor> {
    const current = await contentAt(this.#path, serial)
    this.#isWhole = hasState(current)
    if (hasState(current))
      return { state: current.state, intended: current.intended, doubtful: current.isTorn }

    const trouble = await this.#putAside(current)
    const previous = await contentAt(this.#previous, serial)
    const intended = new Set([...intentsOf(current), ...intentsOf(previous)])
    if (hasState(previous)) {
      const warning = `${this.#path} ${trouble}. Its previous copy is used; newer events may be repeated, flagged as redelivered.`
      return { state: previous.state, intended, doubtful: true, warning }
    }
    const nothing = { state: null, intended, doubtful: isTorn(current) }
    if (typeof current !== 'string' && typeof previous !== 'string') return nothing
    const warning = `${this.#path} ${trouble}, and no previous copy can be used. Events since the last run may be missing.`
    return { ...nothing, doubtful: true, warning }
  }

  /** What is wrong with the file and what was done about it, as the end of a sentence. */
  async #putAside(found: Found): Promise<string> {
    if (typeof found !== 'string') return 'is missing'
    const name = await putAside(this.#path)
    this.#isInTheWay = name === undefined
    return name === undefined ? found : `${found} and now called ${name}`
  }

  async #intend(keys: readonly string[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    const file = await open(this.#path, 'a', 0o600)
    try {
      const { size } = await file.stat()
      // While no state can be put in its place the file only grows, and must not grow into one that is none of ours.
      const text = size < largest / 2 ? intentText(keys) : tornText
      await file.appendFile((size === 0 ? stateText(null) : '') + text)
      await file.datasync()
      if (size === 0) await flushFolder(dirname(this.#path))
    } finally {
      await file.close()
    }
  }

  async #save(state: CursorState, open: readonly string[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await writeFile(this.#next, stateText(state, open), { mode: 0o600, flush: true })
    if (this.#isInTheWay) await this.#clearTheWay()
    if (this.#isWhole) await this.#keepPrevious().catch(unlessMissing)
    await rename(this.#next, this.#path)
    this.#isWhole = true
    await flushFolder(dirname(this.#path))
  }

  /** The file stands under its name all the time: a kill in between must not look like a loss. */
  async #keepPrevious(): Promise<void> {
    await rm(this.#previous, { force: true })
    // Not every file system has a second name for a file.
    await link(this.#path, this.#previous).catch(() => copyFile(this.#path, this.#previous))
  }

  /** @throws where what stands at the path would be written over */
  async #clearTheWay(): Promise<void> {
    const isThere = (await stat(this.#path).catch(unlessMissing)) !== undefined
    if (isThere && (await putAside(this.#path)) === undefined) throw new Error('a damaged file is in the way')
    this.#isInTheWay = false
  }

  get #next(): string {
    return `${this.#path}.new`
  }

  get #previous(): string {
    return `${this.#path}.previous`
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    return mine
  }

  async #written(writing: Promise<void>): Promise<void> {
    try {
      await writing
    } catch (thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException
      const remedy = 'see that Node-RED may write to its folder and that the disk is not full'
      throw new KeyholderError(
        'BAD_SETTING',
        `${this.#path} cannot be written (${code ?? message}): ${remedy}.`,
      )
    }
  }
}

/** A text says why what is there is of no use, as the end of a sentence. */
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

/** What cannot be read is as good as damaged: an alarm must not wait for somebody to mend the disk. */
async function contentAt(path: string, serial: string): Promise<Found> {
  try {
    const found = await stat(path)
    if (!found.isFile()) return 'is no file'
    const content = found.size > largest ? undefined : contentOf(await readFile(path, 'utf8'))
    if (content === undefined) return 'is damaged'
    return content.state === null || content.state.serial === serial ? content : 'is of another panel'
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `cannot be read (${code})`
  }
}

/** Makes a rename survive a power cut; some systems cannot, and then the file before it is as good. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function unlessMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
}
