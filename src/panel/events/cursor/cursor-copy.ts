import { asKeyholderError } from '../../../service/error.ts'
import type { CursorFile } from './cursor-file.ts'
import type { CursorState } from './cursor-format.ts'
import type { LoadedCursor } from './cursor-store.ts'

/** The files of a cursor copy. */
export interface CopyFiles {
  /** The node's own file. */
  own: CursorFile
  /** The file of the panel, which a process that is alone writes. */
  panel: CursorFile
}

/**
 * The files of an instance about a node's cursor, which the instances of a cluster share elsewhere: for a server that
 * has lost its data, and for the way into the cluster and out of it.
 *
 * The node's own file is written while this instance has the lease. What other instances deliver afterwards is not in
 * it, so it is always doubtful. The file of the panel is exact as long as there is none of the node: then this process
 * was alone until now.
 */
export class CursorCopy {
  readonly #nodeId: string
  readonly #files: CopyFiles
  readonly #notice: (sentence: string) => void
  #isThere = false
  #hasFailed = false

  /** @param notice gets a sentence for the log; must not throw */
  constructor(nodeId: string, files: CopyFiles, notice: (sentence: string) => void) {
    this.#nodeId = nodeId
    this.#files = files
    this.#notice = notice
  }

  /** Returns what this instance has of the node, for a server that has nothing. Never rejects. */
  async load(serial: string): Promise<LoadedCursor> {
    const { own, panel } = this.#files
    const mine = await own.load(serial)
    this.#isThere ||= mine.state !== null
    if (mine.state !== null) return { ...mine, doubtful: true }
    const isUsed = mine.doubtful || (await this.#wasShared())
    const { state, ...others } = await panel.load(serial)
    const doubtful = others.doubtful || (isUsed && state !== null)
    return { ...others, doubtful, state: state === null ? null : partOf(state, this.#nodeId) }
  }

  /**
   * Returns what the node has received of this process while it was alone, for a server that has a state without it;
   * undefined if there is no such thing. Never rejects.
   */
  async loadUnshared(serial: string): Promise<(LoadedCursor & { state: CursorState }) | undefined> {
    if (await this.#wasShared()) return undefined
    const { state, ...others } = await this.#files.panel.load(serial)
    if (state?.positions[this.#nodeId] === undefined) return undefined
    return { ...others, state: partOf(state, this.#nodeId) }
  }

  /** Writes what the instances share now. Never rejects: that it cannot be written is noticed once. */
  async save(state: CursorState, open: readonly string[]): Promise<void> {
    await this.#tryTo(() => this.#files.own.save(state, open))
  }

  /**
   * Notes that another instance delivers to the node, so that what this process has sent alone is no longer exact.
   * Never rejects.
   */
  async noteShared(): Promise<void> {
    if (await this.#wasShared()) return
    await this.#tryTo(() => this.#files.own.mark())
  }

  /** Returns true if the node's own file is there. */
  async #wasShared(): Promise<boolean> {
    this.#isThere ||= await this.#files.own.exists()
    return this.#isThere
  }

  async #tryTo(write: () => Promise<void>): Promise<void> {
    try {
      await write()
      this.#isThere = true
      this.#hasFailed = false
    } catch (thrown) {
      if (!this.#hasFailed) this.#notice(asKeyholderError(thrown).message)
      this.#hasFailed = true
    }
  }
}

/** Returns the part of a panel's state that is about a node. */
function partOf({ serial, memory, ...nodes }: CursorState, nodeId: string): CursorState {
  const only = <T>(fields: Record<string, T> | undefined): Record<string, T> => {
    const value = fields?.[nodeId]
    return value === undefined ? {} : { [nodeId]: value }
  }
  const [firstRuns, lastKnown, notes] = [only(nodes.firstRuns), only(nodes.lastKnown), only(nodes.notes)]
  return {
    serial,
    memory,
    positions: only(nodes.positions),
    ...(Object.keys(firstRuns).length > 0 && { firstRuns }),
    ...(Object.keys(lastKnown).length > 0 && { lastKnown }),
    ...(Object.keys(notes).length > 0 && { notes }),
  }
}
