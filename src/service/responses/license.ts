import { type Check, flag, integer, list, or, record, text } from './check.ts'
import { textOrEmpty } from './fallbacks.ts'
import { utcTime } from './time.ts'

/** What a licence may allow, as the service names it (interface specification 2.2); `/` puts a part below a whole. */
export const licenceFeatures = [
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

/** One of the features that a licence may allow. */
export type LicenceFeature = (typeof licenceFeatures)[number]

/** What the service sign-in says of the account's licence (interface specification 2.2). */
export interface Licence {
  /** Tier, such as `Gold`. */
  name: string
  /** Signature of the licence. */
  hmac: string
  /** Times `YYYY-MM-DDTHH:MM:SS+HH:MM`; empty where the service gives none. */
  valid: { not_after: string; not_before: string }
  /** `feature` is one of `licenceFeatures`, or a word not known yet; `description` may be empty. */
  features: { allowed: boolean; description: string; feature: string }[]
  /**
   * Caps, by name in `limit` (interface specification 8.1): `central_station_num` connections of automation
   * software, `panels` systems of the first family, `panels_dual_path` dual-path systems, `panels_neo` systems
   * of the second family.
   */
  limits: { description: string; limit: string; value: number }[]
}

/** The member `license` of the service sign-in's answer. */
export const licence: Check<Licence> = record({
  name: textOrEmpty,
  hmac: textOrEmpty,
  valid: or(record({ not_after: textOrEmpty, not_before: textOrEmpty }), { not_after: '', not_before: '' }),
  features: or(list(record({ allowed: flag, description: textOrEmpty, feature: text })), []),
  limits: or(list(record({ description: textOrEmpty, limit: text, value: integer })), []),
})

/**
 * What to tell of a licence that is outside its validity: a sentence with the date; nothing while it is valid.
 * @param wall milliseconds since 1970
 */
export function licenceNotice(licence: Licence, wall: number): string | undefined {
  const { not_after, not_before } = licence.valid
  const called = licenceTitle(licence)
  if (instant(not_after) < wall) return `${called} ended on ${day(not_after)}. Ask your provider to renew it.`
  if (instant(not_before) > wall) return `${called} is not valid before ${day(not_before)}.`
  return undefined
}

/** The licence as a sentence begins with it. */
export function licenceTitle({ name }: Licence): string {
  return name === '' ? "The account's licence" : `The account's licence "${name}"`
}

/** Milliseconds since 1970; no number, so neither before nor after anything, where the text is no time. */
function instant(time: string): number {
  return Date.parse(utcTime(time, 'UTC') ?? '')
}

/** The date as the service writes it, on its own calendar. */
function day(time: string): string {
  return time.trim().slice(0, 10)
}

/**
 * Whether the licence allows a feature. One that it does not list is as the whole it belongs to; where it lists
 * neither, nothing speaks against asking (interface specification 5.8 leaves open what the service does).
 */
export function isAllowed(licence: Licence, feature: string): boolean {
  const listed = licence.features.find((row) => row.feature === feature)
  if (listed !== undefined) return listed.allowed
  const end = feature.lastIndexOf('/')
  return end < 0 || isAllowed(licence, feature.slice(0, end))
}
