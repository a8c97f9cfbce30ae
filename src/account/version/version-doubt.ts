import { minute, second } from '../../duration.ts'

/** Milliseconds for which all requests must fail, or one be unreadable, before the versions are requested again. */
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
  /** The times since which operations have answers of an unexpected structure, by operation. */
  readonly #unreadableSince = new Map<string, number>()

  /** Notes that a request of this version succeeded. */
  noteSuccess(operation: string): void {
    this.#hasMetPage = false
    this.#failingSince = undefined
    this.#unreadableSince.delete(operation)
  }

  /**
   * Notes that a request of this version failed.
   * @param isUnreadable true if the answer of this operation has an unexpected structure: the success of another one
   * proves nothing then, because an empty answer may pass for one
   */
  noteFailure(
    now: number,
    operation: string,
    { isPage, isUnreadable }: { isPage: boolean; isUnreadable: boolean },
  ): void {
    if (isPage) this.#hasMetPage = true
    this.#failingSince ??= now
    if (isUnreadable && !this.#unreadableSince.has(operation)) this.#unreadableSince.set(operation, now)
  }

  /** Notes that the versions are requested: the same answers are no reason to request them once more. */
  noteRequest(): void {
    this.#hasMetPage = false
    this.#unreadableSince.clear()
  }

  /** Returns true if the versions should be requested again; `askedAt` is the time of the latest request. */
  isDue(now: number, askedAt: number): boolean {
    const interval = now - askedAt
    if (this.#hasMetPage && interval >= minIntervalAfterSign) return true
    const failingSince = Math.min(this.#failingSince ?? now, ...this.#unreadableSince.values())
    return now - failingSince >= minFailing && interval >= minInterval
  }
}
