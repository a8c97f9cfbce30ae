import {
  type License,
  licenseNotice,
  licenseRefusal,
  licenseReminder,
} from '../../service/responses/license.ts'
import { exceededLimits } from './license-health.ts'

/**
 * Reports in plain words what the license of a service sign-in does not cover, and 30 days ahead that it ends.
 * Each sentence is reported once, before the service refuses the operation.
 *
 * No request is blocked because of it: the service decides whether it enforces its license (interface
 * specification 5.8).
 */
export class LicenseCheck {
  readonly #onNotice: (sentence: string) => void
  readonly #reported = new Set<string>()
  readonly #notices = new Map<string, string>()

  /** @param onNotice receives each sentence once */
  constructor(onNotice: (sentence: string) => void) {
    this.#onNotice = onNotice
  }

  /** Returns why the license did not cover the operation at its last request; undefined if it did. */
  noticeOf(operation: string): string | undefined {
    return this.#notices.get(operation)
  }

  /**
   * Checks whether the license covers an operation that is about to be requested.
   * @param operation the service's name of the operation
   * @param types the type of each panel of the account; undefined until their list was read
   * @param wall milliseconds since 1970
   */
  check(license: License, operation: string, types: readonly string[] | undefined, wall: number): void {
    this.#report(licenseReminder(license, wall))
    for (const sentence of exceededLimits(license, types)) this.#report(sentence)
    const sentence = licenseNotice(license, wall) ?? licenseRefusal(license, operation)
    if (sentence === undefined) {
      this.#notices.delete(operation)
      return
    }
    this.#notices.set(operation, sentence)
    this.#report(sentence)
  }

  #report(sentence: string | undefined): void {
    if (sentence === undefined || this.#reported.has(sentence)) return
    this.#reported.add(sentence)
    this.#onNotice(sentence)
  }
}
