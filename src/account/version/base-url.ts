import { reportAddress } from '../../service/error.ts'
import { operations } from '../../service/operations.ts'
import { highestVersion, isNewerThanSeen, versionedBase } from '../../service/version.ts'
import type { AccountSettings } from '../account-settings.ts'
import { type ExchangeDependencies, exchange } from '../requests/exchange.ts'
import { Credentials } from '../service-user/auth/credentials.ts'
import { forAllCallers } from '../service-user/rate-limit/rate-limiter.ts'
import { minIntervalAfterSign } from './version-doubt.ts'

/** The base address of the service: as configured, or of the pinned or the highest offered version. */
export class BaseUrl {
  readonly #settings: AccountSettings
  readonly #parts: ExchangeDependencies
  readonly #onNotice: (sentence: string) => void
  #reportedVersion = ''

  /** @param onNotice receives a sentence about a version that is newer than all tested ones */
  constructor(settings: AccountSettings, parts: ExchangeDependencies, onNotice: (sentence: string) => void) {
    this.#settings = settings
    this.#parts = parts
    this.#onNotice = onNotice
  }

  /** The version in use; undefined while it is not known, or if the complete base address is configured. */
  get version(): string | undefined {
    const { urlIsBase, apiVersion } = this.#settings
    return urlIsBase ? undefined : apiVersion || this.#parts.signInState.agreedVersion
  }

  /**
   * Returns the base address without a trailing slash.
   * @throws KeyholderError if the service does not answer the version request, or offers no usable version
   */
  async base(): Promise<string> {
    const { url, urlIsBase, api, apiVersion } = this.#settings
    const { signInState, clock } = this.#parts
    if (urlIsBase) return url
    if (apiVersion !== '') {
      this.#reportIfNew(apiVersion)
      return versionedBase(url, api, apiVersion)
    }
    if (signInState.version === undefined) {
      signInState.version = this.#requestVersion()
      signInState.version.catch(() => {
        signInState.version = undefined
      })
    }
    if (signInState.versionDoubt.isDue(clock.monotonic(), signInState.versionAskedAt)) await this.#refresh()
    return versionedBase(url, api, await signInState.version)
  }

  /** Requests the versions again if the latest request is older than `age` milliseconds. Never rejects. */
  async refreshIfOlderThan(age: number): Promise<void> {
    const { version, versionAskedAt } = this.#parts.signInState
    if (version === undefined || this.#parts.clock.monotonic() - versionAskedAt < age) return
    await this.#refresh()
  }

  /**
   * Returns true if the base address of the service has changed since the failed request: servers offer one
   * version, and the older one stops working on the day of the change (field fact).
   */
  async hasMovedFrom(base: string): Promise<boolean> {
    const { signInState } = this.#parts
    const { version, versionAskedAt } = signInState
    if (version !== undefined && this.#parts.clock.monotonic() - versionAskedAt >= minIntervalAfterSign) {
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
    const { signInState } = this.#parts
    const known = signInState.version
    const renewed = this.#requestVersion()
    signInState.version = renewed
    renewed.catch(() => {
      if (signInState.version !== renewed) return
      // Keeps the earlier address until the service answers again.
      signInState.version = known
      known?.catch(() => {
        if (signInState.version === known) signInState.version = undefined
      })
    })
    return renewed
  }

  /** Requests the versions again. If that fails, the known one stays: this operation may fail alone. */
  async #refresh(): Promise<void> {
    try {
      const version = await this.#requestVersion()
      this.#parts.signInState.version = Promise.resolve(version)
    } catch {
      // The requests that follow report the error if it is one of the service.
    }
  }

  async #requestVersion(): Promise<string> {
    const { url, api } = this.#settings
    this.#parts.signInState.versionAskedAt = this.#parts.clock.monotonic()
    this.#parts.signInState.versionDoubt.noteRequest()
    const { version } = operations
    const attempt = { method: version.method, url: url + version.path, credentials: new Credentials() }
    const outcome = await exchange(this.#parts, version, attempt, forAllCallers())
    if (!('value' in outcome)) throw outcome.error
    const highest = highestVersion(outcome.value, api)
    this.#parts.signInState.agreedVersion = highest
    this.#reportIfNew(highest)
    return highest
  }

  #reportIfNew(version: string): void {
    if (version === this.#reportedVersion || !isNewerThanSeen(version, this.#settings.api)) return
    this.#reportedVersion = version
    this.#onNotice(
      `The service uses the new version ${version}, which nobody has tested with these nodes yet. If something does not work, please report it at ${reportAddress}.`,
    )
  }
}
