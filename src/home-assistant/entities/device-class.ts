import type { Device } from '../../service/responses/devices.ts'

/** The classes of Home Assistant for the main entity of a zone. */
type ZoneClass = 'carbon_monoxide' | 'door' | 'gas' | 'heat' | 'moisture' | 'opening' | 'smoke' | 'window'

const classOfSubtype: readonly (readonly [RegExp, ZoneClass])[] = [
  [/SMOKE/, 'smoke'],
  [/^(S_)?CO(_|$)/, 'carbon_monoxide'],
  [/^GAS/, 'gas'],
  [/^FLOOD/, 'moisture'],
  [/^TEMPERATURE/, 'heat'],
]

const classOfZoneType: ReadonlyMap<string, ZoneClass> = new Map([
  ['FIRE', 'smoke'],
  ['GAS', 'gas'],
  ['FLOOD', 'moisture'],
  ['TEMPERATURE', 'heat'],
])

/** The subtypes of detectors of motion, broken glass and shock: the service reports none of them except by an alarm. */
const momentary = /MOTION|CURTAIN|PIR|CEILING|GLASS_BREAK/

/** Zone types through which people enter. */
const entries = /^(DELAY_[12]|HOME_DELAY|INTERIOR_DELAY|INTERIOR_FOLLOW|PERIMETER_FOLLOW)$/

/**
 * Returns the class of the main entity of a zone: a contact, or a detector of a hazard; null for a device that has no
 * such entity, because the service does not report what it detects.
 */
export function zoneClass({
  device_type,
  subtype,
  zone_type,
}: Pick<Device, 'device_type' | 'subtype' | 'zone_type'>): ZoneClass | null {
  if (device_type !== 'ZONE') return null
  const bySubtype = classOfSubtype.find(([pattern]) => pattern.test(subtype))?.[1]
  const hazard = bySubtype ?? classOfZoneType.get(zone_type ?? '')
  if (hazard !== undefined) return hazard
  if (momentary.test(subtype)) return null
  if (entries.test(zone_type ?? '')) return 'door'
  return zone_type === 'PERIMETER' ? 'window' : 'opening'
}

/** Returns true for a contact of a door, a window or another opening: only of these the service tells if they are open. */
export function isContact(one: ZoneClass | null): boolean {
  return one !== null && !isHazard(one)
}

/** Returns true for a class whose entity is on during an alarm of the zone. */
export function isHazard(one: ZoneClass): boolean {
  return !['door', 'window', 'opening'].includes(one)
}
