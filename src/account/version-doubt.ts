import { minute, second } from '../duration.ts'

/** Milliseconds for which all requests must fail before the versions are requested again. */
const minFailing = 3 * minute

/** The minimum interval between two such requests, in milliseconds. */
const minInterval = 5 * minute

/** The minimum interval after a clearer sign: a web page, which already caused a backoff, or a missing operation. */
export const minIntervalAfterSign = 5 * second

/**
 * Collects the signs that the service has withdrawn the version in use. A withdrawn version may answer with
 * anything: a web page, any status, or JSON (field fact: at least a page).
 *
 * Times are milliseconds of the monotonic clock, passed in.
 */
export class VersionDoubt {
  #hasMetPage = false
  #failingSince: number | undefined

  /** Notes that a request of this version succeeded. */
  noteSuccess(): void {
    this.#hasMetPage = false
    this.#failingSince = undefined
  }

  /** Notes that a request of this version failed. */
  noteFailure(now: number, { isPage }: { isPage: boolean }): void {
    if (isPage) this.#hasMetPage = true
    this.#failingSince ??= now
  }

  /** Notes that the versions are requested: the same page is no reason to request them once more. */
  noteRequest(): void {
    this.#hasMetPage = false
  }

  /** Returns true if the versions should be requested again; `askedAt` is the time of the latest request. */
  isDue(now: number, askedAt: number): boolean {
    const interval = now - askedAt
    if (this.#hasMetPage && interval >= minIntervalAfterSign) return true
    const failingFor = this.#failingSince === undefined ? 0 : now - this.#failingSince
    return failingFor >= minFailing && interval >= minInterval
  }
}
