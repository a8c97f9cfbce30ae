import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { Cursor, CursorState } from './cursor.ts'

/** What there is to tell of a cursor; neither may throw. */
export interface AcknowledgementReports {
  /** The cursor cannot be written; events go on without it. */
  loss(error: KeyholderError): void
  recovery(): void
}

/** How far all was sent, and the keys that stay intended all the same. */
type Confirmation = [state: CursorState, open: readonly string[]]

/** Time for the flow behind an event node to be done with it: a kill within it repeats, one after it cannot lose. */
const settling = 500

/**
 * Notes on disk which events are about to be sent, and when the flow had time to take them, that they were.
 *
 * A disk that is full must not keep an alarm from a flow: nothing here rejects, and a failure is reported.
 */
export class Acknowledgement {
  readonly #cursor: Cursor
  readonly #clock: Clock
  readonly #reports: AcknowledgementReports
  #pending: { written: Promise<void>; end: () => void } | undefined
  #error: KeyholderError | undefined

  constructor(cursor: Cursor, clock: Clock, reports: AcknowledgementReports) {
    this.#cursor = cursor
    this.#clock = clock
    this.#reports = reports
  }

  /** Why the cursor cannot be written; nothing while it can. */
  get error(): KeyholderError | undefined {
    return this.#error
  }

  /** Notes that these events are about to be sent; they must not be before this is done. */
  async intend(keys: readonly string[]): Promise<void> {
    // That it succeeds is no recovery: a file may be written to where none can be put in its place.
    await this.#cursor.intend(keys).catch((thrown) => this.#fails(thrown))
  }

  /**
   * Saves the cursor: after the time the flow is given where something was sent, else at once.
   * @param confirmation asked for when it is saved
   */
  save(confirmation: () => Confirmation, wasSent: boolean): void {
    let settle = () => {}
    const due = new Promise<void>((resolve) => {
      settle = resolve
    })
    const cancel = wasSent ? this.#clock.after(settling, settle) : () => {}
    if (!wasSent) settle()
    const end = () => {
      cancel()
      settle()
    }
    const written = due
      .then(() => this.write(...confirmation()))
      .then(() => {
        // Kept, it would keep the whole list that it confirms until the next one, for each panel.
        if (this.#pending === pending) this.#pending = undefined
      })
    const pending = { written, end }
    this.#pending = pending
  }

  /** Waits until what is to be saved is saved. */
  async saved(): Promise<void> {
    await this.#pending?.written
  }

  /** Ends the time that the flow is given: what is still to be saved is saved at once. */
  end(): void {
    this.#pending?.end()
  }

  /** Saves the cursor at once. */
  async write(...[state, open]: Confirmation): Promise<void> {
    try {
      await this.#cursor.save(state, open)
      this.#error = undefined
      this.#reports.recovery()
    } catch (thrown) {
      this.#fails(thrown)
    }
  }

  #fails(thrown: unknown): void {
    this.#error = asKeyholderError(thrown)
    this.#reports.loss(this.#error)
  }
}
