import type { CursorState } from './cursor-format.ts'

/** The data that an earlier process left. */
export interface LoadedCursor {
  state: CursorState | null
  /**
   * `eventKey` of each event that was about to be sent when the process ended; those that are new may be
   * repeats.
   */
  intended: ReadonlySet<string>
  /** True if part of the data is lost: then every event that is new to the state may be a repeat. */
  doubtful: boolean
  /** A sentence for the log if something was wrong. */
  warning?: string
  /**
   * Exists if the state is lost: the time at which it was written last, in milliseconds since 1970. What happened before was
   * delivered then. Infinity if that time is not known.
   */
  lostAt?: number
}

/**
 * Records how far a panel's events were delivered, safe against kills.
 *
 * Only the holder of the panel's lease calls it, in this order: load, and then intend, send, save. Calls are executed
 * one after another. Any process may peek.
 */
export interface CursorStore {
  /**
   * True if another process may go on from it: then what is not recorded must not be sent, because that process would
   * send it again, unflagged.
   */
  readonly isShared: boolean

  /**
   * Returns the data that the last process left for this panel; called again whenever the lease was gained.
   * @throws LeaseLost if another process has the lease. One process alone never rejects.
   */
  load(serial: string): Promise<LoadedCursor>

  /**
   * Returns the state that the holder of the lease has saved last, for a process that does not hold it; null if there is
   * none. Absent if no other process can hold it.
   * @throws KeyholderError if it cannot be read
   */
  peek?(serial: string): Promise<CursorState | null>

  /**
   * Records that these events are about to be sent; they must not be sent before this is done.
   * @throws LeaseLost if another process has the lease: the events must not be sent
   * @throws KeyholderError if it cannot be written; the events are sent anyway, unless it is shared
   */
  intend(keys: readonly string[]): Promise<void>

  /**
   * Records that everything up to this state was sent, which removes the intents.
   * @param open keys that stay intended, because a node has not received their events yet
   * @throws LeaseLost if another process has the lease: it goes on from the state before
   * @throws KeyholderError if it cannot be written
   */
  save(state: CursorState, open?: readonly string[]): Promise<void>
}
