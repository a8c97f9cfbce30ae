import { day } from '../../duration.ts'
import { type Check, flag, integer, list, record, text, textOrEmpty, withDefault } from '../schema.ts'
import { utcTime } from '../time.ts'

/**
 * The features that a license can allow, with the service's names (interface specification 2.2); `/`
 * separates a part from the feature that it belongs to.
 */
export const licenseFeatures = [
  'interactive',
  'interactive/end_user_reporting',
  'interactive/installer_app',
  'interactive/user_app',
  'receiver',
  'receiver/central_stations',
  'receiver/receive_events',
  'resolve',
  'resolve/dls_api',
  'resolve/panel_configuration',
  'resolve/panel_diagnostic',
  'resolve/panel_event_log',
  'resolve/panel_labels',
  'resolve/panel_set_state',
  'resolve/remote_inspection',
  'resolve/reports',
  'resolve/software_upgrade',
  'resolve/virtual_keypad',
] as const

/** One of the features that a license can allow. */
export type LicenseFeature = (typeof licenseFeatures)[number]

/** The account's license, from the answer to the service sign-in (interface specification 2.2). */
export interface License {
  /** Tier, such as `Gold`. */
  name: string
  /** Signature of the license. */
  hmac: string
  /** Times `YYYY-MM-DDTHH:MM:SS+HH:MM`; empty if the service sends none. */
  valid: { not_after: string; not_before: string }
  /** `feature` is one of `licenseFeatures`, or a name not known yet; `description` can be empty. */
  features: { allowed: boolean; description: string; feature: string }[]
  /**
   * Caps, with their name in `limit` (interface specification 8.1): `central_station_num` connections of
   * automation software, `panels` systems of the first family, `panels_dual_path` dual-path systems,
   * `panels_neo` systems of the second family.
   */
  limits: { description: string; limit: string; value: number }[]
}

/** The member `license` of the answer to the service sign-in. */
export const license: Check<License> = record({
  name: textOrEmpty,
  hmac: textOrEmpty,
  valid: withDefault(record({ not_after: textOrEmpty, not_before: textOrEmpty }), {
    not_after: '',
    not_before: '',
  }),
  features: withDefault(list(record({ allowed: flag, description: textOrEmpty, feature: text })), []),
  limits: withDefault(list(record({ description: textOrEmpty, limit: text, value: integer })), []),
})

/** The validity of a license now; `ending` during its last 30 days. */
export type LicenseValidity = 'not-yet' | 'valid' | 'ending' | 'ended'

/** Milliseconds before the end of a license from which its end is announced. */
const announcedBefore = 30 * day

/**
 * Returns the validity of a license; a time that the service does not send, or that is not a time, does not
 * limit it.
 * @param wall milliseconds since 1970
 */
export function licenseValidity({ valid }: License, wall: number): LicenseValidity {
  const end = instant(valid.not_after)
  if (end < wall) return 'ended'
  if (instant(valid.not_before) > wall) return 'not-yet'
  return end - wall <= announcedBefore ? 'ending' : 'valid'
}

/**
 * Returns a sentence with the date for a license outside its validity; undefined while it is valid.
 * @param wall milliseconds since 1970
 */
export function licenseNotice(license: License, wall: number): string | undefined {
  const { not_after, not_before } = license.valid
  const called = licenseTitle(license)
  const validity = licenseValidity(license, wall)
  if (validity === 'ended')
    return `${called} ended on ${dateOf(not_after)}. Ask your alarm provider to renew it.`
  return validity === 'not-yet' ? `${called} is not valid before ${dateOf(not_before)}.` : undefined
}

/** Returns a sentence with the date for a license that ends within 30 days; otherwise undefined. */
export function licenseReminder(license: License, wall: number): string | undefined {
  if (licenseValidity(license, wall) !== 'ending') return undefined
  return `${licenseTitle(license)} ends on ${dateOf(license.valid.not_after)}. Ask your alarm provider to renew it.`
}

/** Returns the name of the license for the beginning of a sentence. */
export function licenseTitle({ name }: License): string {
  return name === '' ? "The account's license" : `The account's license "${name}"`
}

/** Returns milliseconds since 1970; NaN, neither before nor after anything, if the text is not a time. */
function instant(time: string): number {
  return Date.parse(utcTime(time, 'UTC') ?? '')
}

/** Returns the date as the service writes it, without conversion to another time zone. */
function dateOf(time: string): string {
  return time.trim().slice(0, 10)
}

/**
 * Returns true if the license allows a feature. A feature that is not listed is treated like the feature that
 * it is a part of. If neither is listed, the result is true (interface specification 5.8 does not define what
 * the service does).
 */
function isAllowed(license: License, feature: string): boolean {
  const listed = license.features.find((row) => row.feature === feature)
  if (listed !== undefined) return listed.allowed
  const end = feature.lastIndexOf('/')
  return end < 0 || isAllowed(license, feature.slice(0, end))
}

/**
 * The license features of which an operation needs at least one.
 *
 * Derived from the names of the features: interface specification 5.8 says that they define what a service
 * account may use, but not which operation belongs to which feature.
 */
export const licenseNeeds: ReadonlyMap<string, readonly LicenseFeature[]> = new Map([
  ['events', ['resolve/panel_event_log']],
  ['standard_log', ['resolve/panel_event_log']],
  ['rri_results', ['resolve/remote_inspection', 'resolve/panel_diagnostic']],
  ['configuration_list', ['resolve/panel_configuration']],
  ['set_state', ['resolve/panel_set_state']],
])

/**
 * Returns a sentence about why the license does not cover an operation; undefined if it does or does not
 * mention it.
 * @param operation the service's name of the operation, such as `standard_log`
 */
export function licenseRefusal(license: License, operation: string): string | undefined {
  const needed = licenseNeeds.get(operation) ?? []
  if (needed.length === 0 || needed.some((feature) => isAllowed(license, feature))) return undefined
  return `${licenseTitle(license)} does not allow "${operation}", which needs ${needed.join(' or ')}. Ask your alarm provider to add it.`
}
