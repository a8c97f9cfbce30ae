import type { Clock } from '../../../clock.ts'
import { asKeyholderError, type KeyholderError } from '../../../service/error.ts'
import { LeaseLost } from '../../lease.ts'
import type { CursorState } from './cursor-format.ts'
import type { CursorStore } from './cursor-store.ts'

/** The reports about a cursor; the functions must not throw. */
export interface CursorCommitReports {
  /** Reports that the cursor cannot be written; events are delivered without it, unless it is shared. */
  outage(error: KeyholderError): void
  recovery(): void
}

/** The state up to which everything was sent, and the keys that nevertheless stay intended. */
type Confirmation = [state: CursorState, open: readonly string[]]

/**
 * Milliseconds for the flow behind an event node to handle an event: a kill within this time repeats the
 * event, a later one cannot lose it.
 */
const commitDelay = 500

/** Milliseconds for the same between two portions of a list: more would hold back the events that have just happened. */
export const portionDelay = 100

/**
 * Records on disk which events are about to be sent and, after the flow had time to handle them, that they
 * were sent.
 *
 * A full disk must not keep an alarm from a flow: a failure is only reported, except the loss of the lease. A shared
 * cursor that cannot be written is such a loss: another process may already go on, and the service keeps the events.
 */
export class CursorCommit {
  /** The reason why the cursor cannot be written; undefined while it can. */
  error: KeyholderError | undefined
  readonly #cursor: CursorStore
  readonly #clock: Clock
  readonly #reports: CursorCommitReports
  #pending: { written: Promise<void>; end: () => void; drop: () => void } | undefined
  constructor(cursor: CursorStore, clock: Clock, reports: CursorCommitReports) {
    this.#cursor = cursor
    this.#clock = clock
    this.#reports = reports
  }

  /**
   * Records that these events are about to be sent; they must not be sent before this is done.
   * @throws LeaseLost if another process delivers the events, or may soon deliver them
   */
  async intend(keys: readonly string[]): Promise<void> {
    try {
      // Success is not reported as a recovery: a file may accept more text although it cannot be replaced.
      await this.#cursor.intend(keys)
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      this.#fails(thrown)
      if (this.#cursor.isShared) throw new LeaseLost()
    }
  }

  /**
   * Saves the cursor before events are sent that depend on it.
   * @throws LeaseLost if another process delivers the events, or may soon deliver them
   */
  async prepare(...confirmation: Confirmation): Promise<void> {
    const isWritten = await this.#tryToWrite(...confirmation)
    if (!isWritten && this.#cursor.isShared) throw new LeaseLost()
  }

  /**
   * Saves the cursor: after the time for the flow if something was sent, else at once.
   * @param confirmation called when the cursor is saved
   * @param flowTime milliseconds
   */
  save(confirmation: () => Confirmation, wasSent: boolean, flowTime = commitDelay): void {
    let settle = () => {}
    const due = new Promise<void>((resolve) => {
      settle = resolve
    })
    const cancel = wasSent ? this.#clock.after(flowTime, settle) : () => {}
    if (!wasSent) settle()
    let isDropped = false
    const end = () => {
      cancel()
      settle()
    }
    const drop = () => {
      isDropped = true
      end()
    }
    const written = due
      .then(() => (isDropped ? undefined : this.write(...confirmation())))
      .then(() => {
        // Otherwise each panel would keep the whole list that it confirms until the next save.
        if (this.#pending === pending) this.#pending = undefined
      })
    const pending = { written, end, drop }
    this.#pending = pending
  }

  /** Waits until a pending save is done. */
  async saved(): Promise<void> {
    await this.#pending?.written
  }

  /** Ends the time for the flow: a pending save is done at once. */
  end(): void {
    this.#pending?.end()
  }

  /** Forgets a pending save and the latest failure, because another process goes on. */
  drop(): void {
    this.#pending?.drop()
    this.error = undefined
  }

  /** Saves the cursor at once; does nothing if another process has the lease. Never rejects. */
  async write(...confirmation: Confirmation): Promise<void> {
    await this.#tryToWrite(...confirmation)
  }

  /** Returns false if the cursor was not saved. Never rejects. */
  async #tryToWrite(...[state, open]: Confirmation): Promise<boolean> {
    try {
      await this.#cursor.save(state, open)
      this.error = undefined
      this.#reports.recovery()
      return true
    } catch (thrown) {
      if (!(thrown instanceof LeaseLost)) this.#fails(thrown)
      return false
    }
  }

  #fails(thrown: unknown): void {
    this.error = asKeyholderError(thrown)
    this.#reports.outage(this.error)
  }
}
