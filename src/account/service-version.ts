import type { Clock } from '../clock.ts'
import { hour, minute, second } from '../duration.ts'
import { type ClassifiedError, isPage } from '../service/classify-error.ts'
import { hasCode, KeyholderError, reportAddress } from '../service/error.ts'
import { codesThatAre } from '../service/error-codes.ts'
import { noService } from '../service/error-table.ts'
import { type Api, type OfferedVersions, oldestSupported, operations } from '../service/operations.ts'
import type { AccountSettings } from './account-settings.ts'
import type { Answer, Success } from './answer.ts'
import { type ExchangeDependencies, exchange } from './requests/exchange.ts'
import { Credentials } from './service-user/auth/token-holder.ts'
import { forAllCallers } from './service-user/rate-limit/rate-limiter.ts'

/** Milliseconds for which all requests must fail, or one be unreadable, before the versions are requested again. */
const minFailing = 3 * minute

/** The minimum interval between two such requests, in milliseconds. */
const minInterval = 5 * minute

/** The minimum interval after a clearer sign: a web page, which already caused a backoff, or a missing operation. */
export const minIntervalAfterSign = 5 * second

/** Milliseconds for which a version that another process has learned is used. */
const maxSharedAge = hour

/** Requests the offered versions and returns the one to use. */
type RequestVersion = () => Promise<string>

/** The version that the processes with the same account have learned, for each other. Neither function rejects. */
export interface SharedVersion {
  recall(): Promise<Answer<string> | undefined>
  keep(answer: Answer<string>): Promise<void>
}

/**
 * The version of the service that a sign-in uses, negotiated once and again when there are signs that the service has
 * withdrawn it. A withdrawn version may answer with anything: a web page, any status, or JSON (field fact: at least a
 * page).
 */
export class ServiceVersion {
  readonly #clock: Clock
  /** The negotiated version, as soon as it is being negotiated. */
  #negotiated: Promise<string> | undefined
  /** The result of the latest negotiation, for display; undefined before the first one. */
  agreed: string | undefined
  /** The time of the latest request (milliseconds of the monotonic clock). */
  #askedAt = Number.NEGATIVE_INFINITY
  #hasMetPage = false
  #failingSince: number | undefined
  /** The times since which operations have answers of an unexpected structure, by operation. */
  readonly #unreadableSince = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the version in use; requests it if no process knows it, or if there are signs that it was withdrawn.
   * @throws KeyholderError the error of the request, if no version is known
   */
  async current(request: RequestVersion, shared: SharedVersion | undefined): Promise<string> {
    if (this.#negotiated === undefined) {
      this.#negotiated = this.#learn(request, shared)
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

  async #learn(request: RequestVersion, shared: SharedVersion | undefined): Promise<string> {
    const known = await shared?.recall()
    if (known === undefined || this.#clock.monotonic() - known.at >= maxSharedAge)
      return this.#request(request)
    this.#askedAt = known.at
    this.agreed = known.value
    return known.value
  }

  async #request(request: RequestVersion): Promise<string> {
    this.#askedAt = this.#clock.monotonic()
    // The same answers are no reason to request the versions once more.
    this.#hasMetPage = false
    this.#unreadableSince.clear()
    this.agreed = await request()
    return this.agreed
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

/** The base address of the service: as configured, or of the pinned or the highest offered version. */
export class BaseUrl {
  readonly #settings: AccountSettings
  readonly #version: ServiceVersion
  readonly #parts: ExchangeDependencies
  readonly #shared: SharedVersion | undefined
  readonly #onNotice: (sentence: string) => void
  #reportedVersion = ''

  /**
   * @param version what all accounts of the sign-in know of the offered versions
   * @param onNotice receives a sentence about a version that is newer than all tested ones
   */
  constructor(
    settings: AccountSettings,
    version: ServiceVersion,
    parts: ExchangeDependencies,
    shared: SharedVersion | undefined,
    onNotice: (sentence: string) => void,
  ) {
    this.#settings = settings
    this.#version = version
    this.#parts = parts
    this.#shared = shared
    this.#onNotice = onNotice
  }

  /** The version in use; undefined while it is not known, or if the complete base address is configured. */
  get version(): string | undefined {
    const { urlIsBase, apiVersion } = this.#settings
    return urlIsBase ? undefined : apiVersion || this.#version.agreed
  }

  /**
   * Returns the base address without a trailing slash.
   * @throws KeyholderError if the service does not answer the version request, or offers no usable version
   */
  async base(): Promise<string> {
    const { url, urlIsBase, api, apiVersion } = this.#settings
    if (urlIsBase) return url
    const version = apiVersion || (await this.#version.current(this.#requestVersion, this.#shared))
    this.#reportIfNew(version)
    return api === 'user' ? `${url}/rest_api/${version}` : `${url}/rest_api/installer/${version}`
  }

  /** Requests the versions again if the latest request is older than `age` milliseconds. Never rejects. */
  async refreshIfOlderThan(age: number): Promise<void> {
    if (this.#version.isOlderThan(age)) await this.#version.refresh(this.#requestVersion)
  }

  /**
   * Returns true if the base address of the service has changed since the failed request: servers offer one
   * version, and the older one stops working on the day of the change (field fact).
   */
  async hasMovedFrom(base: string): Promise<boolean> {
    if (this.#version.isOlderThan(minIntervalAfterSign)) {
      this.#parts.log.trace?.('"version": requesting it again, because the service may have changed it')
      this.renegotiate().catch(() => {})
    }
    return (await this.base().catch(() => base)) !== base
  }

  /**
   * Requests the offered versions again and returns the highest one.
   * @throws KeyholderError
   */
  renegotiate(): Promise<string> {
    return this.#version.renegotiate(this.#requestVersion)
  }

  readonly #requestVersion = async (): Promise<string> => {
    const { url, api } = this.#settings
    const { version } = operations
    const attempt = { method: version.method, url: url + version.path, credentials: new Credentials() }
    const outcome = await exchange(this.#parts, version, attempt, forAllCallers())
    if (!('value' in outcome))
      throw hasCode(outcome.error, ...foreignCodes) ? noServiceError(outcome.error) : outcome.error
    const value = highestVersion(outcome.value, api)
    this.#reportIfNew(value)
    const { clock } = this.#parts
    const answer = { value, sentAt: outcome.sentAt, at: clock.monotonic(), fetchedAt: clock.wall() }
    void this.#shared?.keep(answer)
    return value
  }

  #reportIfNew(version: string): void {
    if (version === this.#reportedVersion || Number(version) <= newestSeen[this.#settings.api]) return
    this.#reportedVersion = version
    this.#onNotice(
      `The service uses the new version ${version}, which nobody has tested with these nodes yet. If something does not work, please report it at ${reportAddress}.`,
    )
  }
}

/** The codes of answers to the request of the versions that no alarm service gives. */
const foreignCodes = codesThatAre('foreign')

/** Returns the error for an address at which another server answers. Dialogs and node statuses know it by its text. */
function noServiceError({
  code,
  status,
  reason,
}: Pick<KeyholderError, 'code' | 'status' | 'reason'>): KeyholderError {
  const { sentence, text } = noService
  const answer = status === undefined ? '' : `, answer ${status}`
  return new KeyholderError(
    code,
    `${sentence} (request "${operations.version.name}"${answer})`,
    { status, reason },
    { text },
  )
}

/** The newest version whose answers were seen: a newer one is worth a warning, not an error. */
const newestSeen: Record<Api, number> = { user: 14, service: 8 }

/**
 * Returns the numerically highest version that a service offers (interface specification 9 leaves the choice
 * open).
 *
 * Versions are decimal texts such as "14.0"; sorted as text, "10.0" would come before "8.0". The installer
 * API has its own version numbers, and 8 is its oldest known version too.
 * @throws KeyholderError UNSUPPORTED_VERSION if no version is 8 or above.
 */
function highestVersion(offered: OfferedVersions, api: Api): string {
  const versions = api === 'user' ? offered.rest_versions : offered.installer_versions
  let highest: string | undefined
  for (const version of versions) {
    const isUsable = /^\d+(\.\d+)?$/.test(version)
    if (isUsable && (highest === undefined || Number(version) > Number(highest))) highest = version
  }
  const hasNone = offered.rest_versions.length === 0 && offered.installer_versions.length === 0
  if (hasNone) throw noServiceError({ code: 'UNSUPPORTED_VERSION' })
  if (highest === undefined || Number(highest) < oldestSupported) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `The service offers ${highest === undefined ? 'no usable version' : `no version above ${highest}`}, ` +
        `but version ${oldestSupported} or above is needed. Check "Service address" and "Account type" in the alarm account node. If both are right, ask your alarm provider for a newer version of the service.`,
    )
  }
  return highest
}
