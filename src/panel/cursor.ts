import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyholderError } from '../service/error.ts'
import { putAside } from './aside.ts'
import { type CursorContent, type CursorState, contentOf, intentText, stateText } from './cursor-file.ts'

export type { CursorState } from './cursor-file.ts'

/** What was found of an earlier process. */
export interface LoadedCursor {
  state: CursorState | null
  /** `eventKey` of each event that was about to be sent when the process ended: what of it is new is a possible repeat. */
  intended: ReadonlySet<string>
  /** True when the state is an older copy: all that is new to it is a possible repeat. */
  restored: boolean
  /** A sentence for the log when something was wrong. */
  warning?: string
}

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
  #turn: Promise<unknown> = Promise.resolve()

  /** @param path the file; its folder is made on the first write, for its owner only */
  constructor(path: string) {
    this.#path = path
  }

  /** What the last process left. A damaged file is put aside and the previous copy taken; nothing makes it reject. */
  load(): Promise<LoadedCursor> {
    return this.#inTurn(() => this.#load())
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
   * @throws KeyholderError `BAD_SETTING` when the file cannot be written
   */
  save(state: CursorState): Promise<void> {
    return this.#inTurn(() => this.#written(this.#save(state)))
  }

  async #load(): Promise<LoadedCursor> {
    const current = await contentAt(this.#path)
    this.#isWhole = hasState(current)
    if (hasState(current)) return { ...current, restored: false }

    const trouble = current === 'damaged' ? await asideOf(this.#path) : 'is missing'
    const previous = await contentAt(this.#previous)
    const intended = new Set([...intentsOf(current), ...intentsOf(previous)])
    if (hasState(previous)) {
      const warning = `${this.#path} ${trouble}. Its previous copy is used; newer events may be repeated, flagged as redelivered.`
      return { state: previous.state, intended, restored: true, warning }
    }
    const nothing = { state: null, intended, restored: false }
    if (current !== 'damaged' && previous !== 'damaged') return nothing
    const warning = `${this.#path} ${trouble}, and no previous copy is whole. The events found now are taken as the first ones.`
    return { ...nothing, warning }
  }

  async #intend(keys: readonly string[]): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    const file = await open(this.#path, 'a', 0o600)
    try {
      const { size } = await file.stat()
      await file.appendFile((size === 0 ? stateText(null) : '') + intentText(keys))
      await file.datasync()
      if (size === 0) await flushFolder(dirname(this.#path))
    } finally {
      await file.close()
    }
  }

  async #save(state: CursorState): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await writeFile(this.#next, stateText(state), { mode: 0o600, flush: true })
    if (this.#isWhole) await rename(this.#path, this.#previous).catch(unlessMissing)
    this.#isWhole = false
    await rename(this.#next, this.#path)
    this.#isWhole = true
    await flushFolder(dirname(this.#path))
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

type Found = CursorContent | 'missing' | 'damaged'

function hasState(found: Found): found is CursorContent & { state: CursorState } {
  return typeof found === 'object' && found.state !== null
}

function intentsOf(found: Found): Iterable<string> {
  return typeof found === 'object' ? found.intended : []
}

/** What cannot be read is damaged too: an alarm must not wait for somebody to mend the disk. */
async function contentAt(path: string): Promise<Found> {
  try {
    return contentOf(await readFile(path, 'utf8')) ?? 'damaged'
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'damaged'
  }
}

async function asideOf(path: string): Promise<string> {
  const name = await putAside(path)
  return name === undefined ? 'is damaged' : `is damaged and now called ${name}`
}

/** Makes a rename survive a power cut; some systems cannot, and then the file before it is as good. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function unlessMissing(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown
}
