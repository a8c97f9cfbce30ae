import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { Cursor, CursorState } from './cursor.ts'

/** What there is to tell of a cursor; neither may throw. */
export interface AcknowledgementReports {
  /** The cursor cannot be written; events go on without it. */
  loss(error: KeyholderError): void
  recovery(): void
}

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
  #pending: { written: Promise<void>; end: (isDue: boolean) => void } | undefined
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
   * @param state asked for when it is saved
   */
  save(state: () => CursorState, wasSent: boolean): void {
    let settle = (_isDue: boolean) => {}
    const due = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const cancel = wasSent ? this.#clock.after(settling, () => settle(true)) : () => {}
    if (!wasSent) settle(true)
    const end = (isDue: boolean) => {
      cancel()
      settle(isDue)
    }
    const written = due.then((isDue) => (isDue ? this.write(state()) : undefined))
    this.#pending = { written, end }
  }

  /** Waits until what is to be saved is saved. */
  async saved(): Promise<void> {
    await this.#pending?.written
  }

  /** Ends the time that the flow is given: what is still to be saved is saved at once, or stays intended. */
  end(isTaken: boolean): void {
    this.#pending?.end(isTaken)
  }

  /** Saves at once what is still to be saved, and tries again what could not be. */
  async saveNow(state: CursorState): Promise<void> {
    this.end(true)
    await this.saved()
    if (this.#error !== undefined) await this.write(state)
  }

  /** Saves the cursor at once. */
  async write(state: CursorState): Promise<void> {
    try {
      await this.#cursor.save(state)
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
