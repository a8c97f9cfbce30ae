import { KeyholderError } from './error.ts'
import { texts } from './optional-fields.ts'
import { type Check, record } from './schema.ts'

/** The API on the host: the end user's (`user`) or the service's own, for installers (`service`). */
export type Api = 'user' | 'service'

/** The answer to GET /rest_api/version (field fact: no credentials, no version in the path). */
export interface OfferedVersions {
  rest_versions: string[]
  installer_versions: string[]
}

/** Check of the answer to GET /rest_api/version; a missing list counts as empty. */
export const offeredVersions: Check<OfferedVersions> = record({
  rest_versions: texts,
  installer_versions: texts,
})

/** Older versions sign in without e-mail and password and are a completely different API (field fact). */
const oldestSupported = 8

/** The newest version whose answers were seen. */
const newestSeen: Record<Api, number> = { user: 14, service: 8 }

/** Returns the base address of a version, below the service's host. */
export function versionedBase(origin: string, api: Api, version: string): string {
  return api === 'user' ? `${origin}/rest_api/${version}` : `${origin}/rest_api/installer/${version}`
}

/**
 * Returns the numerically highest version that a service offers (interface specification 9 leaves the choice
 * open).
 *
 * Versions are decimal texts such as "14.0"; sorted as text, "10.0" would come before "8.0". The installer
 * API has its own version numbers, and 8 is its oldest known version too.
 * @throws KeyholderError UNSUPPORTED_VERSION if no version is 8 or above.
 */
export function highestVersion(offered: OfferedVersions, api: Api): string {
  const versions = api === 'user' ? offered.rest_versions : offered.installer_versions
  const usable = versions.filter((version) => /^\d+(\.\d+)?$/.test(version))
  const highest = usable.sort((a, b) => Number(b) - Number(a))[0]
  const hasNone = offered.rest_versions.length === 0 && offered.installer_versions.length === 0
  if (highest === undefined || !isSupported(highest)) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `The service offers ${highest === undefined ? 'no usable version' : `no version above ${highest}`}, ` +
        `but version ${oldestSupported} or above is needed. Check "Service address" and "Account type" in the alarm account node. If both are right, ask your alarm provider for a newer version of the service.`,
      {},
      hasNone ? { text: 'finding.noService' } : {},
    )
  }
  return highest
}

/** Returns true if this package supports a version. */
export function isSupported(version: string): boolean {
  return Number(version) >= oldestSupported
}

/** Returns true if a version is newer than all whose answers were seen: worth a warning, not an error. */
export function isNewerThanSeen(version: string, api: Api): boolean {
  return Number(version) > newestSeen[api]
}
