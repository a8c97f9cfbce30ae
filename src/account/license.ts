import { counted } from '../duration.ts'
import {
  type License,
  type LicenseValidity,
  licenseNotice,
  licenseRefusal,
  licenseReminder,
  licenseTitle,
  licenseValidity,
} from '../service/responses/license.ts'
import { utcTime } from '../service/time.ts'

/** The license as the health of an account shows it: times and numbers, and no text of the service. */
export interface LicenseHealth {
  /** `ending` during the last 30 days. */
  validity: LicenseValidity
  /** ISO 8601 in UTC; null if the service sends no such time. */
  notBefore: string | null
  notAfter: string | null
  /** The caps of the interface specification 8.1 that the license has. */
  limits: LicenseLimit[]
}

/** One cap of a license and how much of it is used. */
export interface LicenseLimit {
  limit: string
  value: number
  /** Null if it is not known: the service does not tell it, and not every panel has a known family. */
  used: number | null
}

/** The caps that may be shown; another name could be anything. */
const knownLimits: readonly string[] = ['central_station_num', 'panels', 'panels_dual_path', 'panels_neo']

/**
 * The type, in capitals, that the list of panels gives to the panels which a cap counts. Field facts: the list
 * has `POWER_MASTER` and `Neo`, and nothing in it shows a dual-path system.
 */
const countedTypes: Readonly<Record<string, string>> = { panels: 'POWER_MASTER', panels_neo: 'NEO' }

/**
 * Returns what the health shows of a license.
 * @param types the type of each panel of the account; undefined until their list was read
 * @param wall milliseconds since 1970
 */
export function licenseHealth(
  license: License,
  types: readonly string[] | undefined,
  wall: number,
): LicenseHealth {
  const { not_before, not_after } = license.valid
  return {
    validity: licenseValidity(license, wall),
    notBefore: utcTime(not_before, 'UTC'),
    notAfter: utcTime(not_after, 'UTC'),
    limits: limitsOf(license, types),
  }
}

/**
 * Reports in plain words what the license of a service sign-in does not cover, and 30 days ahead that it ends.
 * Each sentence is reported once, before the service refuses the operation.
 *
 * No request is blocked because of it: the service decides whether it enforces its license (interface
 * specification 5.8).
 */
export class LicenseCheck {
  /** The operations that the license did not cover at their latest request. */
  readonly uncovered = new Set<string>()
  readonly #onNotice: (sentence: string) => void
  readonly #reported = new Set<string>()

  /** @param onNotice receives each sentence once */
  constructor(onNotice: (sentence: string) => void) {
    this.#onNotice = onNotice
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
    if (sentence === undefined) this.uncovered.delete(operation)
    else this.uncovered.add(operation)
    this.#report(sentence)
  }

  #report(sentence: string | undefined): void {
    if (sentence === undefined || this.#reported.has(sentence)) return
    this.#reported.add(sentence)
    this.#onNotice(sentence)
  }
}

/** Returns a sentence for each cap of which the account uses more than the license allows. */
export function exceededLimits(license: License, types: readonly string[] | undefined): string[] {
  return limitsOf(license, types).flatMap(({ limit, value, used }) =>
    used !== null && used > value
      ? [
          `${licenseTitle(license)} allows ${counted(value, 'system')} ("${limit}"), and the account has ${used}. Ask your alarm provider to extend it.`,
        ]
      : [],
  )
}

function limitsOf(license: License, types: readonly string[] | undefined): LicenseLimit[] {
  return license.limits
    .filter(({ limit }) => knownLimits.includes(limit))
    .map(({ limit, value }) => ({ limit, value, used: usedOf(limit, types) }))
}

function usedOf(limit: string, types: readonly string[] | undefined): number | null {
  const ours = countedTypes[limit]
  if (ours === undefined || types === undefined) return null
  const known = Object.values(countedTypes)
  const counts = countTypes(types)
  // A panel of an unknown type may belong to any family.
  return [...counts.keys()].every((type) => known.includes(type)) ? (counts.get(ours) ?? 0) : null
}

/** The numbers of panels by list: each request is checked, and a list may have thousands. */
const countsByList = new WeakMap<readonly string[], ReadonlyMap<string, number>>()

/** Returns the number of panels of each type, in capitals. */
function countTypes(types: readonly string[]): ReadonlyMap<string, number> {
  const before = countsByList.get(types)
  if (before !== undefined) return before
  const counts = new Map<string, number>()
  for (const type of types) counts.set(type.toUpperCase(), (counts.get(type.toUpperCase()) ?? 0) + 1)
  countsByList.set(types, counts)
  return counts
}
