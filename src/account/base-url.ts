import { operations } from '../service/operations.ts'
import { highestVersion, isNewerThanSeen, versionedBase } from '../service/version.ts'
import { forEverybody } from './budget.ts'
import { Credentials } from './credentials.ts'
import { type ExchangeParts, exchange } from './exchange.ts'
import type { AccountSettings } from './settings.ts'

/** A moved version is looked for at most this often, in milliseconds. */
const versionPause = 5_000

/** Where the service is: the base address as it is set, of the pinned version, or of the highest one offered. */
export class Address {
  readonly #settings: AccountSettings
  readonly #parts: ExchangeParts
  readonly #onNotice: (sentence: string) => void
  #told = ''

  /** @param onNotice takes a sentence about a version newer than any that was seen */
  constructor(settings: AccountSettings, parts: ExchangeParts, onNotice: (sentence: string) => void) {
    this.#settings = settings
    this.#parts = parts
    this.#onNotice = onNotice
  }

  /** The version that is spoken; nothing while it is not known, or the base address is set whole. */
  get version(): string | undefined {
    const { urlIsBase, apiVersion } = this.#settings
    return urlIsBase ? undefined : apiVersion || this.#parts.access.agreedVersion
  }

  /**
   * The base address, without a slash at its end.
   * @throws KeyholderError when the service must be asked and does not answer, or offers no usable version
   */
  async base(): Promise<string> {
    const { url, urlIsBase, api, apiVersion } = this.#settings
    const { access } = this.#parts
    if (urlIsBase) return url
    if (apiVersion !== '') {
      this.#tellIfNew(apiVersion)
      return versionedBase(url, api, apiVersion)
    }
    if (access.version === undefined) {
      access.version = this.#askVersion()
      access.version.catch(() => {
        access.version = undefined
      })
    }
    return versionedBase(url, api, await access.version)
  }

  /**
   * Whether the service has another base address by now than the one that failed: servers offer one version, and
   * the older one stops working on the day of the change (field fact).
   */
  async hasMovedFrom(base: string): Promise<boolean> {
    const { access } = this.#parts
    const { version, versionAskedAt } = access
    if (version !== undefined && this.#parts.clock.monotonic() - versionAskedAt >= versionPause) {
      this.renewedVersion().catch(() => {})
    }
    return (await this.base().catch(() => base)) !== base
  }

  /**
   * The highest version offered, asked for anew.
   * @throws KeyholderError
   */
  renewedVersion(): Promise<string> {
    const { access } = this.#parts
    const known = access.version
    const renewed = this.#askVersion()
    access.version = renewed
    renewed.catch(() => {
      if (access.version !== renewed) return
      // The address known before is as good as any until the service answers again.
      access.version = known
      known?.catch(() => {
        if (access.version === known) access.version = undefined
      })
    })
    return renewed
  }

  async #askVersion(): Promise<string> {
    const { url, api } = this.#settings
    this.#parts.access.versionAskedAt = this.#parts.clock.monotonic()
    const { version } = operations
    const attempt = { method: version.method, url: url + version.path, credentials: new Credentials() }
    const outcome = await exchange(this.#parts, version, attempt, forEverybody())
    if (!('value' in outcome)) throw outcome.error
    const highest = highestVersion(outcome.value, api)
    this.#parts.access.agreedVersion = highest
    this.#tellIfNew(highest)
    return highest
  }

  #tellIfNew(version: string): void {
    if (version === this.#told || !isNewerThanSeen(version, this.#settings.api)) return
    this.#told = version
    this.#onNotice(`The service speaks version ${version}, newer than this package was tested with.`)
  }
}
