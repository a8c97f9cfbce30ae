import { type Device, hasWarning } from '../device.ts'
import type { PanelOptions } from '../panel-options.ts'
import { isBypassed } from './bypasses.ts'

/** The parts of a panel by which a partition is ready to be armed, or not. */
interface Parts {
  /** The devices of the partition, or of the whole panel where it has no partitions. */
  readonly ownDevices: readonly Device[]
  /** All devices of the panel. */
  readonly devices: readonly Device[]
  readonly options: PanelOptions
}

/** Returns true if the partition shows that it is ready: no zone is open that is not bypassed, and no trouble forbids arming. */
export function isReady(parts: Parts): boolean {
  return openZones(parts.ownDevices).length === 0 && !hasTrouble(parts)
}

/**
 * Returns true if the partition can be armed: it is ready, or the panel arms past open zones (makers' guides, "forced
 * arming"). It does not arm past a trouble, nor past a zone that cannot be bypassed.
 */
export function canBeArmed(parts: Parts): boolean {
  const { bypassMode } = parts.options
  const isInTheWay = ({ traits }: Device) => bypassMode !== 'force-arm' || traits.bypass === undefined
  return !openZones(parts.ownDevices).some(isInTheWay) && !hasTrouble(parts)
}

/** Returns the devices that are open and not bypassed. */
export function openZones(devices: readonly Device[]): Device[] {
  return devices.filter((device) => hasWarning(device, 'OPENED') && !isBypassed(device))
}

/** Makers' guides: while the radio is jammed the panel cannot be armed; a missing device and other troubles are options. */
function hasTrouble({ ownDevices, devices, options: { notReadyBy } }: Parts): boolean {
  if (notReadyBy === 'zones') return false
  if (devices.some((device) => hasWarning(device, 'JAMMED'))) return true
  if (ownDevices.some((device) => hasWarning(device, 'INACTIVE'))) return true
  return notReadyBy === 'troubles' && devices.some(hasTroubleOfPanel)
}

function hasTroubleOfPanel({ device_type, warnings }: Device): boolean {
  return device_type === 'CONTROL_PANEL' && (warnings?.some(({ in_memory }) => !in_memory) ?? false)
}
