import { reportAddress } from '../../service/error.ts'
import { operations } from '../../service/operations.ts'
import { highestVersion, isNewerThanSeen, versionedBase } from '../../service/version.ts'
import type { AccountSettings } from '../account-settings.ts'
import { type ExchangeDependencies, exchange } from '../requests/exchange.ts'
import { Credentials } from '../service-user/auth/credentials.ts'
import { forAllCallers } from '../service-user/rate-limit/rate-limiter.ts'
import { minIntervalAfterSign, type ServiceVersion } from './service-version.ts'

/** The base address of the service: as configured, or of the pinned or the highest offered version. */
export class BaseUrl {
  readonly #settings: AccountSettings
  readonly #version: ServiceVersion
  readonly #parts: ExchangeDependencies
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
    onNotice: (sentence: string) => void,
  ) {
    this.#settings = settings
    this.#version = version
    this.#parts = parts
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
    if (apiVersion !== '') {
      this.#reportIfNew(apiVersion)
      return versionedBase(url, api, apiVersion)
    }
    return versionedBase(url, api, await this.#version.current(this.#requestVersion))
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
    if (!('value' in outcome)) throw outcome.error
    const highest = highestVersion(outcome.value, api)
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
