import type { Trouble } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'

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

/** Returns true if a list says more about a device than that it is there, and its warnings. */
export function showsTraits({ traits }: Pick<Device, 'traits'>): boolean {
  return Object.values(traits).some((trait) => trait !== null)
}

/** Returns true for the device that is the control panel. */
export function isControlPanel({ device_type }: Pick<Device, 'device_type'>): boolean {
  return device_type === 'CONTROL_PANEL'
}

/** Returns true for a device that is the panel itself, or its network module. */
export function isPanelItself({ device_type }: Pick<Device, 'device_type'>): boolean {
  return device_type === 'CONTROL_PANEL' || device_type === 'POWER_LINK'
}

/** Returns true if an entry of a list of faults is about the panel itself: it may leave out the type of the device. */
export function isOfPanel(source: Pick<Trouble, 'device_type'>): boolean {
  return source.device_type === '' || isPanelItself(source)
}

/** Returns true for a zone. */
export function isZone({ device_type }: Pick<Device, 'device_type'>): boolean {
  return device_type === 'ZONE'
}

/** Returns true for a zone with a number, by which a command can name it. */
export function hasZoneNumber(device: Device): boolean {
  return isZone(device) && device.device_number !== null
}

/** Returns the zone with this number; undefined if it is not listed. */
export function findZone(zone: number | null, devices: readonly Device[]): Device | undefined {
  return devices.find((device) => isZone(device) && device.device_number === zone)
}

/** Returns the name of a device, or else its location; empty if it has neither. */
export function nameOf({ name, traits }: Device): string {
  return name.trim() || (traits.location?.name.trim() ?? '')
}

/** Returns the name of the zone with this number, or else its location; empty if it has neither. */
export function nameOfZone(zone: number, devices: readonly Device[]): string {
  const found = findZone(zone, devices)
  return found === undefined ? '' : nameOf(found)
}

/** Returns the name of the device of an entry of a list of faults, or else its location; empty if it tells neither. */
export function nameOfSource({ zone_name, location }: Pick<Trouble, 'zone_name' | 'location'>): string {
  return zone_name?.trim() || location?.trim() || ''
}

/** Returns the name of a device, or else its location, or else its type and number. */
function labelOf(device: Device): string {
  const { id, device_number, device_type } = device
  // Without a number, the id is better than a label that several devices share.
  return nameOf(device) || `${device_type} ${device_number ?? `id ${id}`}`.trim()
}

/** Returns the name of a zone, or else its location, or else its number. */
export function shortTitle(zone: Device): string {
  return nameOf(zone) || zoneTitle(zone)
}

/** Returns the name of a zone, or else its location, with its number. */
export function zoneTitle(zone: Device): string {
  const number = zone.device_number
  if (number === null) return labelOf(zone)
  return nameOf(zone) ? `${nameOf(zone)} (zone ${number})` : `zone ${number}`
}

/** Returns the device as messages describe it. */
export function readingDevice(device: Device): ReadingDevice {
  const { id, device_number, device_type, traits } = device
  return {
    id,
    number: device_number,
    type: device_type,
    subtype: device.subtype,
    zoneType: device.zone_type,
    label: labelOf(device),
    name: device.name.trim(),
    location: traits.location?.name.trim() ?? '',
    partitions: [...device.partitions],
    enrollmentId: device.enrollment_id,
    bypassed: bypassOf(device),
    soak: traits.soak?.enabled ?? null,
    preenroll: device.preenroll,
    owner: traits.owner,
    parent: traits.parent,
  }
}

/** Returns the types of the warnings that stand now, each once. */
export function standing({ warnings }: Pick<Device, 'warnings'>): string[] {
  const types = warnings.filter(({ in_memory, type }) => !in_memory && !type.endsWith('_MEMORY'))
  return [...new Set(types.map(({ type }) => type))].toSorted()
}

/** Returns true for a zone with the warning OPENED, the only sign of an open door or window that the service gives (field fact). */
export function isOpen(device: Device): boolean {
  return isZone(device) && standing(device).includes('OPENED')
}

/** Returns true for a device that its trait or a warning shows as bypassed; null if the list tells neither. */
export function bypassOf(device: Pick<Device, 'traits' | 'warnings'>): boolean | null {
  return standing(device).includes('BYPASS') || (device.traits.bypass?.enabled ?? null)
}

/** Returns the same for the zone with this number; null if it is not listed. */
export function bypassOfZone(zone: number, devices: readonly Device[]): boolean | null {
  const found = findZone(zone, devices)
  return found === undefined ? null : bypassOf(found)
}

/** Returns true for a device that the list shows as bypassed. */
export function isBypassed(device: Pick<Device, 'traits' | 'warnings'>): boolean {
  return bypassOf(device) === true
}

/** A hazard that a zone detects. */
export type Hazard = 'carbon_monoxide' | 'gas' | 'heat' | 'moisture' | 'smoke'

const hazardOfSubtype: readonly (readonly [RegExp, Hazard])[] = [
  [/SMOKE/, 'smoke'],
  [/^(S_)?CO(_|$)/, 'carbon_monoxide'],
  [/^GAS/, 'gas'],
  [/^FLOOD/, 'moisture'],
  [/^TEMPERATURE/, 'heat'],
]

const hazardOfZoneType: ReadonlyMap<string, Hazard> = new Map([
  ['FIRE', 'smoke'],
  ['GAS', 'gas'],
  ['FLOOD', 'moisture'],
  ['TEMPERATURE', 'heat'],
])

/** Returns the hazard that a zone detects, by its subtype, or else by its type; undefined for other devices. */
export function hazardOf(device: Pick<Device, 'device_type' | 'subtype' | 'zone_type'>): Hazard | undefined {
  if (!isZone(device)) return undefined
  const bySubtype = hazardOfSubtype.find(([pattern]) => pattern.test(device.subtype))?.[1]
  return bySubtype ?? hazardOfZoneType.get(device.zone_type ?? '')
}

/** Warnings by which people call for help. */
const calls: ReadonlySet<string> = new Set(['PANIC', 'EMERGENCY'])

/** Warnings that tell what a device detects, and no fault of it. */
const detected: ReadonlySet<string> = new Set([
  ...calls,
  ...['FIRE', 'SMOKE_OPEN', 'HEAT_OPEN', 'COLD_ALERT', 'HOT_ALERT', 'FREEZER_ALERT', 'FREEZING_ALERT'],
])

/** Returns the types of the standing warnings that tell what a device detects; for a detector of a hazard, also OPENED. */
export function detections(device: Device): string[] {
  const isHazard = hazardOf(device) !== undefined
  return standing(device).filter((type) => detected.has(type) || (isHazard && type === 'OPENED'))
}

/** Returns true if a warning stands that tells that a detector of a hazard detects it. */
export function detectsHazard(device: Device): boolean {
  return detections(device).some((type) => !calls.has(type))
}

/** Warnings of a device that the panel does not hear any more. */
export const silence: ReadonlySet<string> = new Set(['INACTIVE', 'NO_ACTIVE', 'WENT_OFFLINE'])

/** Returns the types of the standing warnings that are a trouble of the device. */
export function troubles(device: Device): string[] {
  return standing(device).filter(isTrouble)
}

/** Returns true for a word of the service that means a trouble: neither what a device detects, nor what is over. */
export function isTrouble(type: string): boolean {
  return type !== 'OPENED' && type !== 'BYPASS' && !detected.has(type) && !type.endsWith('_MEMORY')
}

/** Returns a word of the service in words: `low battery` for LOW_BATTERY. */
export function readable(type: string): string {
  if (type.endsWith('1_WAY')) return 'one-way radio'
  return type === 'NO_ACTIVE' ? 'inactive' : type.toLowerCase().replaceAll('_', ' ')
}

/**
 * Returns the zones of partitions that keep these from being ready, because they are open, detect something or have a trouble,
 * and the bypassed ones, which do not.
 */
export function zonesOf(partitions: readonly { id: number }[], devices: readonly Device[]) {
  const isTarget = (device: Device) => partitions.some(({ id }) => concerns(device.partitions, id))
  const zones = devices.filter((device) => isZone(device) && hasJoined(device) && isTarget(device))
  const counted = zones.filter((zone) => !isBypassed(zone))
  return {
    open: counted.filter(isOpen),
    detecting: counted.filter((zone) => detections(zone).length > 0),
    troubled: counted.filter((zone) => troubles(zone).length > 0),
    bypassed: zones.filter(isBypassed),
  }
}

/** Returns the names of the zones that keep partitions from being ready, the open ones first. */
export function blockingZoneNames(
  partitions: readonly { id: number }[],
  devices: readonly Device[],
): string[] {
  const { open, detecting, troubled } = zonesOf(partitions, devices)
  return [...new Set([...open, ...detecting, ...troubled])].map(shortTitle)
}

/** The types of devices that report tampering; a device of another type may, too. */
export const withTamper: ReadonlySet<string> = new Set(['ZONE', 'WL_SIREN', 'WIRELESS_COMMANDER', 'REPEATER'])

/** The types of devices that run on a battery; a device of another type may, too. */
export const withBattery: ReadonlySet<string> = new Set([...withTamper, 'KEYFOB', 'PENDANT'])
