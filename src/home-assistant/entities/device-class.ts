import { type Hazard, hazardOf, isZone } from '../../panel/devices/device.ts'
import type { Device } from '../../service/responses/devices.ts'

/** The classes of Home Assistant for the main entity of a zone. */
type ZoneClass = Hazard | 'door' | 'opening' | 'window'

/** The subtypes of detectors of motion, broken glass and shock: the service reports none of them except by an alarm. */
const momentary = /MOTION|CURTAIN|PIR|CEILING|GLASS_BREAK/

/** Zone types through which people enter. */
const entries = /^(DELAY_[12]|HOME_DELAY|INTERIOR_DELAY|INTERIOR_FOLLOW|PERIMETER_FOLLOW)$/

/**
 * Returns the class of the main entity of a zone: a contact, or a detector of a hazard; null for a device that has no
 * such entity, because the service does not report what it detects.
 */
export function zoneClass(device: Pick<Device, 'device_type' | 'subtype' | 'zone_type'>): ZoneClass | null {
  if (!isZone(device)) return null
  const hazard = hazardOf(device)
  if (hazard !== undefined) return hazard
  const { subtype, zone_type } = device
  if (momentary.test(subtype)) return null
  if (entries.test(zone_type ?? '')) return 'door'
  return zone_type === 'PERIMETER' ? 'window' : 'opening'
}

/** Returns true for a contact of a door, a window or another opening: only of these the service tells if they are open. */
export function isContact(one: ZoneClass | null): boolean {
  return one === 'door' || one === 'window' || one === 'opening'
}
