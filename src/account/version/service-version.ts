import type { Clock } from '../../clock.ts'
import { minute, second } from '../../duration.ts'
import { type ClassifiedError, isPage } from '../../service/classify-error.ts'
import { operations } from '../../service/operations.ts'
import type { Success } from '../answer.ts'

/** Milliseconds for which all requests must fail, or one be unreadable, before the versions are requested again. */
const minFailing = 3 * minute

/** The minimum interval between two such requests, in milliseconds. */
const minInterval = 5 * minute

/** The minimum interval after a clearer sign: a web page, which already caused a backoff, or a missing operation. */
export const minIntervalAfterSign = 5 * second

/** Requests the offered versions and returns the one to use. */
type RequestVersion = () => Promise<string>

/**
 * The version of the service that a sign-in uses, negotiated once and again when there are signs that the service has
 * withdrawn it. A withdrawn version may answer with anything: a web page, any status, or JSON (field fact: at least a
 * page).
 */
export class ServiceVersion {
  readonly #clock: Clock
  /** The negotiated version, as soon as it is being negotiated. */
  #negotiated: Promise<string> | undefined
  #agreed: string | undefined
  /** The time of the latest request (milliseconds of the monotonic clock). */
  #askedAt = Number.NEGATIVE_INFINITY
  #hasMetPage = false
  #failingSince: number | undefined
  /** The times since which operations have answers of an unexpected structure, by operation. */
  readonly #unreadableSince = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The result of the latest negotiation, for display; undefined before the first one. */
  get agreed(): string | undefined {
    return this.#agreed
  }

  /**
   * Returns the version in use; requests it if it is not known, or if there are signs that it was withdrawn.
   * @throws KeyholderError the error of the request, if no version is known
   */
  async current(request: RequestVersion): Promise<string> {
    if (this.#negotiated === undefined) {
      this.#negotiated = this.#request(request)
      this.#negotiated.catch(() => {
        this.#negotiated = undefined
      })
    }
    if (this.#isDoubtful()) await this.refresh(request)
    return this.#negotiated
  }

  /** Returns true if a version is known and was requested that many milliseconds ago. */
  isOlderThan(age: number): boolean {
    return this.#negotiated !== undefined && this.#clock.monotonic() - this.#askedAt >= age
  }

  /** Requests the version again. If that fails, the known one stays: this operation may fail alone. Never rejects. */
  async refresh(request: RequestVersion): Promise<void> {
    try {
      const version = await this.#request(request)
      this.#negotiated = Promise.resolve(version)
    } catch {
      // The requests that follow report the error if it is one of the service.
    }
  }

  /**
   * Requests the version again; all who need it wait for the answer.
   * @throws KeyholderError the error of the request; the version before then stays in use
   */
  renegotiate(request: RequestVersion): Promise<string> {
    const known = this.#negotiated
    const renewed = this.#request(request)
    this.#negotiated = renewed
    renewed.catch(() => {
      if (this.#negotiated !== renewed) return
      // Keeps the earlier version until the service answers again.
      this.#negotiated = known
      known?.catch(() => {
        if (this.#negotiated === known) this.#negotiated = undefined
      })
    })
    return renewed
  }

  /**
   * Notes the outcome of an exchange; a request of the versions shows nothing.
   * @param outcome undefined without an answer
   */
  noteOutcome(operation: string, outcome: Success<unknown> | ClassifiedError | undefined, body = ''): void {
    if (operation === operations.version.name) return
    if (outcome !== undefined && 'value' in outcome) {
      this.#hasMetPage = false
      this.#failingSince = undefined
      this.#unreadableSince.delete(operation)
      return
    }
    const now = this.#clock.monotonic()
    this.#failingSince ??= now
    if (outcome?.effect === 'hold' && isPage(body)) this.#hasMetPage = true
    // The success of another operation proves nothing then, because an empty answer may pass for one.
    const isUnreadable = outcome?.effect === 'failed' && isSuccess(outcome.error.status)
    if (isUnreadable && !this.#unreadableSince.has(operation)) this.#unreadableSince.set(operation, now)
  }

  async #request(request: RequestVersion): Promise<string> {
    this.#askedAt = this.#clock.monotonic()
    // The same answers are no reason to request the versions once more.
    this.#hasMetPage = false
    this.#unreadableSince.clear()
    this.#agreed = await request()
    return this.#agreed
  }

  /** Returns true if the version should be requested again. */
  #isDoubtful(): boolean {
    const now = this.#clock.monotonic()
    const interval = now - this.#askedAt
    if (this.#hasMetPage && interval >= minIntervalAfterSign) return true
    const failingSince = Math.min(this.#failingSince ?? now, ...this.#unreadableSince.values())
    return now - failingSince >= minFailing && interval >= minInterval
  }
}

function isSuccess(status = 0): boolean {
  return status >= 200 && status < 300
}
