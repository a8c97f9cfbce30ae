import { KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { hasZoneNumber, hazardOf, shortTitle, zonesOf, zoneTitle } from '../../devices/device.ts'
import { capitalized } from '../command.ts'
import { noteZonesOfRefusal } from '../not-ready.ts'
import { bypassRefusal } from '../preconditions.ts'

/** Zones that are bypassed for one arming; of a panel with more open ones something else is wrong. */
const maxBypassed = 128

/** Types of zones that also protect while the panel is disarmed: arming is no reason to leave them out. */
const alwaysOn: ReadonlySet<string> = new Set([
  'EMERGENCY',
  'FLOOD',
  'GAS',
  'H24_SILENT',
  'H24_AUDIBLE',
  'FIRE',
  'TEMPERATURE',
  'ARMING_KEY',
  'GUARD_KEYBOX',
  'TAMPER',
  'LINE_FAIL',
  'PSU_FAIL',
  'PANIC',
])

/**
 * Types of zones on the way in and out: one that is open is the door through which somebody is about to leave. Left out,
 * it would be the one door that anybody can open for as long as the panel is armed.
 */
const entryAndExit: ReadonlySet<string> = new Set(['DELAY_1', 'DELAY_2', 'HOME_DELAY', 'INTERIOR_DELAY'])

/**
 * Returns the open zones of partitions, which are bypassed in order to arm.
 * @param otherThanZones subtypes to which no zone type applies, by the panel's feature set
 * @throws KeyholderError NOT_SETTABLE if one of them must stay on or be closed, or if there are too many
 */
export function zonesToBypass(
  partitions: readonly { id: number }[],
  devices: readonly Device[],
  otherThanZones: readonly string[],
): Device[] {
  const open = openZonesOf(partitions, devices)
  const doors = open.filter(isDoor)
  if (doors.length > 0) throw mustBeClosed(doors)
  refuseUnlessBypassable(open, devices, otherThanZones)
  if (open.length <= maxBypassed) return open
  const sentence = `${open.length} zones are open, and the nodes bypass ${maxBypassed} at most. Close some of them.`
  throw new KeyholderError('NOT_SETTABLE', sentence)
}

/**
 * Returns the open zones of partitions past which a panel in the mode force arm is armed. A door on the way out is one of them:
 * the panel leaves out only what is open at the end of the exit delay.
 * @param otherThanZones subtypes to which no zone type applies, by the panel's feature set
 * @throws KeyholderError NOT_SETTABLE if one of them must stay on, or if the panel cannot leave it out
 */
export function zonesToArmPast(
  partitions: readonly { id: number }[],
  devices: readonly Device[],
  otherThanZones: readonly string[],
): Device[] {
  const open = openZonesOf(partitions, devices)
  refuseUnlessBypassable(open, devices, otherThanZones)
  return open
}

/** Returns true for a zone on the way in and out, by its type. */
export function isDoor({ zone_type }: Device): boolean {
  return entryAndExit.has(zone_type ?? '')
}

function openZonesOf(partitions: readonly { id: number }[], devices: readonly Device[]): Device[] {
  return zonesOf(partitions, devices).open.filter(hasZoneNumber)
}

function refuseUnlessBypassable(
  open: readonly Device[],
  devices: readonly Device[],
  otherThanZones: readonly string[],
): void {
  for (const zone of open) {
    const { device_number, zone_type } = zone
    const command = { action: 'bypass', zone: device_number as number, enabled: true } as const
    const refusal = alwaysOn.has(zone_type ?? '')
      ? new KeyholderError('NOT_SETTABLE', mustStayOn(zone))
      : bypassRefusal(command, devices, otherThanZones)
    if (refusal !== undefined) throw refusal
  }
}

function mustBeClosed(doors: readonly Device[]): KeyholderError {
  const [are, they] = doors.length === 1 ? ['is', 'It is a door'] : ['are', 'They are doors']
  const types = [...new Set(doors.map(({ zone_type }) => zone_type))].join(', ')
  const error = new KeyholderError(
    'NOT_SETTABLE',
    `${capitalized(doors.map(zoneTitle).join(', '))} ${are} open. ${they} through which people leave and enter (${types}), so the nodes do not bypass ${doors.length === 1 ? 'it' : 'them'} to arm the panel. Close ${doors.length === 1 ? 'the door' : 'the doors'}.`,
  )
  noteZonesOfRefusal(error, doors.map(shortTitle))
  return error
}

function mustStayOn(zone: Device): string {
  const [is, remedy] = hazardOf(zone)
    ? ['detects something', 'Look there first']
    : ['is open', 'Close the zone']
  return `${zoneTitle(zone)} ${is} and must stay on, because its type is ${zone.zone_type}: the nodes do not bypass it to arm the panel. ${remedy}.`
}
