import { type Licence, licenceNotice } from '../service/licence.ts'
import { licenceRefusal } from '../service/licence-needs.ts'

/**
 * Says in plain words what the licence of a service sign-in does not cover, once each, before the service refuses it.
 *
 * Nothing is held back because of it: whether the service enforces its licence is the service's matter (interface
 * specification 5.8).
 */
export class LicenceWatch {
  readonly #onNotice: (sentence: string) => void
  readonly #said = new Set<string>()
  readonly #notices = new Map<string, string>()

  /** @param onNotice takes each sentence once */
  constructor(onNotice: (sentence: string) => void) {
    this.#onNotice = onNotice
  }

  /** Why the licence did not cover the operation when it was last asked; nothing where it did. */
  noticeOf(operation: string): string | undefined {
    return this.#notices.get(operation)
  }

  /**
   * Looks whether the licence covers what is about to be asked.
   * @param operation by the service's name
   * @param wall milliseconds since 1970
   */
  look(licence: Licence, operation: string, wall: number): void {
    const sentence = licenceNotice(licence, wall) ?? licenceRefusal(licence, operation)
    if (sentence === undefined) {
      this.#notices.delete(operation)
      return
    }
    this.#notices.set(operation, sentence)
    if (this.#said.has(sentence)) return
    this.#said.add(sentence)
    this.#onNotice(sentence)
  }
}
