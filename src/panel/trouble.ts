import type { KeyholderError } from '../service/error.ts'

/**
 * Says once that something went wrong and once that all is well again, however many polls fail in between.
 *
 * Another kind of failure is news and is said; the same one is not, since a panel that is out of reach for a night would
 * otherwise fill the log and every Catch node.
 */
export class Trouble {
  readonly #onLoss: (error: KeyholderError) => void
  readonly #onRecovery: () => void
  readonly #failing = new Map<string, KeyholderError>()
  readonly #said = new Set<string>()

  constructor(onLoss: (error: KeyholderError) => void, onRecovery: () => void) {
    this.#onLoss = onLoss
    this.#onRecovery = onRecovery
  }

  /** Notes that `what` fails. */
  fails(what: string, error: KeyholderError): void {
    this.#failing.set(what, error)
    if (this.#said.has(error.code)) return
    this.#said.add(error.code)
    this.#onLoss(error)
  }

  /** Notes that `what` is well. */
  isWell(what: string): void {
    if (!this.#failing.delete(what) || this.#failing.size > 0) return
    this.#said.clear()
    this.#onRecovery()
  }

  /** Forgets `what`: nobody asks for it any more, so there is neither loss nor recovery. */
  forget(what: string): void {
    this.#failing.delete(what)
    if (this.#failing.size === 0) this.#said.clear()
  }
}
