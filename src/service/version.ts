import { type Check, record } from './check.ts'
import { KeyholderError } from './error.ts'
import { texts } from './fallbacks.ts'

/** Which of the two APIs on one host an account uses: the end user's or the service's own (installer). */
export type Api = 'user' | 'service'

/** What the service offers, from GET /rest_api/version (field fact: no credentials, no version in the path). */
export interface OfferedVersions {
  rest_versions: string[]
  installer_versions: string[]
}

/** Check of the answer to GET /rest_api/version; a list that is missing counts as empty. */
export const offeredVersions: Check<OfferedVersions> = record({
  rest_versions: texts,
  installer_versions: texts,
})

/** Older versions sign in without e-mail and password and are another API altogether (field fact). */
const oldestSupported = 8

/** The newest version whose answers were seen. */
const newestSeen: Record<Api, number> = { user: 14, service: 8 }

/** Base address of a version below the service's host. */
export function versionedBase(origin: string, api: Api, version: string): string {
  return api === 'user' ? `${origin}/rest_api/${version}` : `${origin}/rest_api/installer/${version}`
}

/**
 * The numerically highest version a service offers (interface specification 9 leaves the choice open).
 *
 * Versions are decimal texts such as "14.0"; sorted as text, "10.0" would come before "8.0". The installer API
 * counts its versions on its own, and 8 is its oldest known one too.
 * @throws KeyholderError UNSUPPORTED_VERSION when none is 8 or above.
 */
export function highestVersion(offered: OfferedVersions, api: Api): string {
  const versions = api === 'user' ? offered.rest_versions : offered.installer_versions
  const usable = versions.filter((version) => /^\d+(\.\d+)?$/.test(version))
  const highest = usable.sort((a, b) => Number(b) - Number(a))[0]
  if (highest === undefined || !isSupported(highest)) {
    throw new KeyholderError(
      'UNSUPPORTED_VERSION',
      `The service offers ${highest === undefined ? 'no version' : `version ${highest} at most`}; ` +
        `version ${oldestSupported} or above is needed. Check the address in the account's url with your provider.`,
    )
  }
  return highest
}

/** Whether a version is one that this package can speak. */
export function isSupported(version: string): boolean {
  return Number(version) >= oldestSupported
}

/** Whether a version is newer than any whose answers were seen: worth a warning, no reason to stop. */
export function isNewerThanSeen(version: string, api: Api): boolean {
  return Number(version) > newestSeen[api]
}
