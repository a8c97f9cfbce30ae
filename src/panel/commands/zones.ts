import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'
import { isBypassed } from '../devices/readings.ts'

/** Warnings that do not prevent arming: past ones, and the bypass of a zone, which is reported separately. */
const nonBlockingWarnings = /^BYPASS$|_MEMORY$/

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

/** Returns the name of a zone, or else its location, or else its number. */
export function shortTitle(zone: Device): string {
  return nameOf(zone) || zoneTitle(zone)
}

/** Returns the name of a zone, or else its location, with its number. */
export function zoneTitle(zone: Device): string {
  const name = nameOf(zone)
  return name ? `${name} (zone ${zone.device_number})` : `zone ${zone.device_number}`
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

function nameOf({ name, traits }: Device): string | undefined {
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

/** Returns the zone's current warnings that can prevent arming. */
function warningsOf({ warnings }: Device): string[] {
  return warnings
    .filter(({ type, in_memory }) => !in_memory && !nonBlockingWarnings.test(type))
    .map(({ type }) => type)
}

function troublesOf(zone: Device): string[] {
  return warningsOf(zone).filter((type) => type !== 'OPENED')
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
