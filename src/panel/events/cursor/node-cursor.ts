import { asKeyholderError } from '../../../service/error.ts'
import type { CursorFile } from './cursor-file.ts'
import { type CursorState, stateWith } from './cursor-format.ts'
import type { CursorStore, LoadedCursor } from './cursor-store.ts'

/** The files about a node. */
interface NodeFiles {
  /** The node's own file, which is there once this process, or one before it, was in a cluster. */
  own: CursorFile
  /** The file of the panel, which a process writes that was never in a cluster. */
  panel: CursorFile
}

/**
 * The cursor of one node in the files of this process. In a cluster, whose instances share the cursor elsewhere, it has a
 * copy, for a server that has lost its data, and for the way out. A process that has left the cluster goes on with it.
 *
 * A copy is written while this instance has the lease. What other instances deliver afterwards is not in it, so it is
 * always doubtful. The file of the panel is exact as long as there is none of the node.
 */
export class NodeCursor implements CursorStore {
  readonly isShared = false
  readonly #nodeId: string
  readonly #serial: string
  readonly #files: NodeFiles
  readonly #notice: (sentence: string) => void
  /** True when the node's own file is known to be a copy. */
  #isCopied = false
  #hasFailed = false

  /**
   * @param serial of the panel
   * @param notice gets a sentence for the log; must not throw
   */
  constructor(
    nodeId: string,
    serial: string,
    files: NodeFiles,
    notice: (sentence: string) => void = () => {},
  ) {
    this.#nodeId = nodeId
    this.#serial = serial
    this.#files = files
    this.#notice = notice
  }

  /** Returns what this process has of the node. Never rejects. */
  async load(serial: string): Promise<LoadedCursor> {
    const { own, panel } = this.#files
    const mine = await own.load(serial)
    if (mine.state !== null) {
      const { origin, ...state } = mine.state
      return { ...mine, state, doubtful: mine.doubtful || origin !== undefined }
    }
    const isUsed = mine.doubtful || (await own.exists())
    const { state, ...others } = await panel.load(serial)
    const doubtful = others.doubtful || (isUsed && state !== null)
    if (state !== null) return { ...others, doubtful, state: partOf(state, this.#nodeId) }
    const { lostAt = mine.lostAt } = others
    return { ...others, doubtful, state, ...(lostAt !== undefined && { lostAt }) }
  }

  /** Records what a process that has left the cluster is about to send. @throws KeyholderError */
  intend(keys: readonly string[]): Promise<void> {
    return this.#files.own.intend(keys)
  }

  /** Records what a process that has left the cluster has sent. @throws KeyholderError */
  save(state: CursorState, open: readonly string[] = []): Promise<void> {
    return this.#files.own.save(state, open)
  }

  /**
   * Notes, before this instance delivers to the node in the cluster, that what was written alone is no longer exact.
   * Returns true if the node has received events of this process alone that are not in what the instances share. Never
   * rejects.
   */
  async join(): Promise<boolean> {
    if (this.#isCopied) return false
    const { state, intended } = await this.#loadOwn()
    if (this.#isCopied) return false
    // It is not exact already, and stays as it is until the first copy.
    if (state?.origin !== undefined) return true
    const { state: alone } = state === null ? await this.load(this.#serial) : { state }
    const isAhead = alone?.positions[this.#nodeId] !== undefined || intended.size > 0
    if (alone === null || !isAhead) await this.#tryTo(() => this.#files.own.mark())
    else await this.#tryTo(() => this.#files.own.save({ ...alone, origin: 'joining' }, [...intended]))
    return isAhead
  }

  /** Copies what the instances share now. Never rejects: that it cannot be written is noticed once. */
  async copy(state: CursorState): Promise<void> {
    const isWritten = await this.#tryTo(() => this.#files.own.save({ ...state, origin: 'copy' }))
    this.#isCopied ||= isWritten
  }

  /** Notes that another instance delivers to the node, so that what is known here is no longer exact. Never rejects. */
  async noteShared(): Promise<void> {
    if (this.#isCopied) return
    const { state } = await this.#loadOwn()
    if (this.#isCopied) return
    if (state !== null) return this.copy(state)
    this.#isCopied = await this.#tryTo(() => this.#files.own.mark())
  }

  /**
   * Loads the node's own file, and finds out if it has only what was shared: a copy, or a mark, has intents if a process
   * has delivered since that was alone. Never rejects.
   */
  async #loadOwn(): Promise<LoadedCursor> {
    const { own } = this.#files
    const loaded = await own.load(this.#serial)
    const { state, intended, doubtful } = loaded
    const isOfCluster = state === null ? await own.exists() : state.origin === 'copy'
    this.#isCopied = isOfCluster && intended.size === 0 && !doubtful
    return loaded
  }

  /** Returns true if it could be written. Never rejects. */
  async #tryTo(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      this.#hasFailed = false
      return true
    } catch (thrown) {
      if (!this.#hasFailed) this.#notice(asKeyholderError(thrown).message)
      this.#hasFailed = true
      return false
    }
  }
}

/** Returns the part of a panel's state that is about a node. */
function partOf({ serial, memory, ...nodes }: CursorState, nodeId: string): CursorState {
  const own = <T>(fields: Readonly<Record<string, T>> = {}) =>
    new Map(Object.entries(fields).filter(([id]) => id === nodeId))
  return stateWith(serial, memory, {
    positions: own(nodes.positions),
    firstRuns: own(nodes.firstRuns),
    lastKnown: own(nodes.lastKnown),
    notes: Object.fromEntries(own(nodes.notes)),
  })
}
