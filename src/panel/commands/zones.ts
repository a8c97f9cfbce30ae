import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'
import {
  isBypassed,
  isZone,
  nameOf,
  shortTitle,
  troublesOf,
  warningsOf,
  zoneTitle,
} from '../devices/device.ts'

/** Returns the zones that keep partitions from being ready, and the bypassed ones, which do not. */
export function unreadyZones(partitions: readonly { id: number }[], devices: readonly Device[]) {
  const isTarget = (device: Device) => partitions.some(({ id }) => concerns(device.partitions, id))
  const zones = devices.filter((device) => isZone(device) && isTarget(device))
  const counted = zones.filter((zone) => !isBypassed(zone))
  return {
    open: counted.filter((zone) => warningsOf(zone).includes('OPENED')),
    troubled: counted.filter((zone) => troublesOf(zone).length > 0),
    bypassed: zones.filter(isBypassed),
  }
}

/** Returns the names of the zones that keep partitions from being ready, the open ones first. */
export function blockingZoneNames(
  partitions: readonly { id: number }[],
  devices: readonly Device[],
): string[] {
  const { open, troubled } = unreadyZones(partitions, devices)
  return [...new Set([...open, ...troubled])].map(shortTitle)
}

/** Returns the zone with this number; undefined if it is not listed. */
export function findZone(zone: number, devices: readonly Device[]): Device | undefined {
  return devices.find((device) => isZone(device) && device.device_number === zone)
}

/** Returns the name of the zone with this number, or else its location; empty if it has neither. */
export function nameOfZone(zone: number, devices: readonly Device[]): string {
  const found = findZone(zone, devices)
  return (found && nameOf(found)) ?? ''
}

/** Returns a zone with its troubles in words. */
export function withTroubles(zone: Device): string {
  return `${zoneTitle(zone)}: ${troublesOf(zone).map(readable).join(' and ')}`
}

/** Returns a word of the service in words: `low battery` for LOW_BATTERY. */
export function readable(type: string): string {
  if (type.endsWith('1_WAY')) return 'one-way radio'
  return type === 'NO_ACTIVE' ? 'inactive' : type.toLowerCase().replaceAll('_', ' ')
}

/** Returns zones as a list in a sentence. */
export function list(zones: readonly Device[], title: (zone: Device) => string): string {
  return zones.map(title).join(', ')
}
