import type { Trouble } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'

/** The device of a reading (interface specification 2.10); null if the service does not say. */
export interface ReadingDevice {
  id: number
  /** The number within the type. */
  number: number | null
  type: string
  subtype: string
  zoneType: string | null
  /** Its name, else its location, else its type and number. */
  label: string
  name: string
  location: string
  partitions: number[]
  enrollmentId: string | null
  /** Left out of arming. */
  bypassed: boolean | null
  /** In test mode: reports, but never raises an alarm. */
  soak: boolean | null
  /** True for one that was entered in the panel but has not joined yet: it has no readings. */
  preenroll: boolean
  /** The user of a keyfob. */
  owner: { id: number; name: string } | null
  /** The device that an output (PGM) is connected to, and the port there. */
  parent: { id: number; port: number | null } | null
}

/** Returns true for a device that has joined the panel, not only been entered there. */
export function hasJoined({ preenroll }: Pick<Device, 'preenroll'>): boolean {
  return !preenroll
}

/** Returns true for a device that the list shows as bypassed. */
export function isBypassed({ traits }: Pick<Device, 'traits'>): boolean {
  return traits.bypass?.enabled === true
}

/** Returns true if a list says more about a device than that it is there, and its warnings. */
export function showsTraits({ traits }: Pick<Device, 'traits'>): boolean {
  return Object.values(traits).some((trait) => trait !== null)
}

/** Types of devices that are the panel itself. */
const ownTypes: ReadonlySet<string> = new Set(['CONTROL_PANEL', 'POWER_LINK', ''])

/** Returns true if a device, or the source of a trouble, is the panel itself. */
export function isPanelItself({ device_type }: Pick<Trouble, 'device_type'>): boolean {
  return ownTypes.has(device_type)
}

/** Returns the name of a zone, or else its location, or else its number. */
export function shortTitle(zone: Device): string {
  return nameOf(zone) || zoneTitle(zone)
}

/** Returns the name of a zone, or else its location, with its number. */
export function zoneTitle(zone: Device): string {
  const name = nameOf(zone)
  return name ? `${name} (zone ${zone.device_number})` : `zone ${zone.device_number}`
}

/** Returns the name of a device, or else its location; undefined if it has neither. */
export function nameOf({ name, traits }: Device): string | undefined {
  return name || traits.location?.name
}

/** Returns true if a device is a zone: only zones have numbers that a command can name. */
export function isZone({ device_type, device_number }: Device): boolean {
  return device_type === 'ZONE' && device_number !== null
}

/** Returns true if a device is a zone that is open now. */
export function isOpenZone(device: Device): boolean {
  return isZone(device) && warningsOf(device).includes('OPENED')
}

/** Warnings that do not prevent arming: past ones, and the bypass of a zone, which is reported separately. */
const nonBlockingWarnings = /^BYPASS$|_MEMORY$/

/** Returns the zone's current warnings that can prevent arming. */
export function warningsOf({ warnings }: Device): string[] {
  return warnings
    .filter(({ type, in_memory }) => !in_memory && !nonBlockingWarnings.test(type))
    .map(({ type }) => type)
}

/** Returns the zone's troubles that can prevent arming. */
export function troublesOf(zone: Device): string[] {
  return warningsOf(zone).filter((type) => type !== 'OPENED')
}

/** Returns the device as messages describe it. */
export function readingDevice(device: Device): ReadingDevice {
  const { id, device_number, device_type, traits } = device
  const name = device.name.trim()
  const location = traits.location?.name.trim() ?? ''
  return {
    id,
    number: device_number,
    type: device_type,
    subtype: device.subtype,
    zoneType: device.zone_type,
    // Without a number, the id is better than a label that several devices share.
    label: name || location || `${device_type} ${device_number ?? `id ${id}`}`.trim(),
    name: device.name,
    location,
    partitions: [...device.partitions],
    enrollmentId: device.enrollment_id,
    bypassed: traits.bypass?.enabled ?? null,
    soak: traits.soak?.enabled ?? null,
    preenroll: device.preenroll,
    owner: traits.owner,
    parent: traits.parent,
  }
}

/** Warnings that are no trouble: what the device detects, and what is over and only remembered. */
const noTrouble: ReadonlySet<string> = new Set([
  ...['OPENED', 'BYPASS', 'FIRE', 'PANIC', 'EMERGENCY', 'SMOKE_OPEN', 'HEAT_OPEN', 'COLD_ALERT', 'HOT_ALERT'],
  ...['FREEZER_ALERT', 'FREEZING_ALERT'],
])

/** Warnings of a device that the panel does not hear any more. */
export const silence: ReadonlySet<string> = new Set(['INACTIVE', 'NO_ACTIVE', 'WENT_OFFLINE'])

/** Returns the types of the warnings that stand now, each once. */
export function standing({ warnings }: Device): string[] {
  const types = warnings.filter(({ in_memory, type }) => !in_memory && !type.endsWith('_MEMORY'))
  return [...new Set(types.map(({ type }) => type))].toSorted()
}

/** Returns the types of the standing warnings that are a trouble of the device. */
export function troubles(device: Device): string[] {
  return standing(device).filter(isTrouble)
}

/** Returns true for a word of the service that means a trouble: neither what a device detects, nor what is over. */
export function isTrouble(type: string): boolean {
  return !noTrouble.has(type) && !type.endsWith('_MEMORY')
}

/** The types of devices that report tampering; others have the entity once they have reported it. */
export const withTamper: ReadonlySet<string> = new Set(['ZONE', 'WL_SIREN', 'WIRELESS_COMMANDER', 'REPEATER'])

/** The types of devices that run on a battery; others have the entity once they have reported a low one. */
export const withBattery: ReadonlySet<string> = new Set([...withTamper, 'KEYFOB', 'PENDANT'])

/** Warnings that tell that a detector of a hazard detects it. */
const hazards: ReadonlySet<string> = new Set([
  ...[
    'OPENED',
    'FIRE',
    'SMOKE_OPEN',
    'HEAT_OPEN',
    'COLD_ALERT',
    'HOT_ALERT',
    'FREEZER_ALERT',
    'FREEZING_ALERT',
  ],
])

/** Returns true if a warning stands that tells that a detector of a hazard detects it. */
export function detectsHazard(device: Device): boolean {
  return standing(device).some((type) => hazards.has(type))
}
