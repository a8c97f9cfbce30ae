import { isClosed, type KeyholderError } from '../../service/error.ts'
import type { Trouble } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import {
  blockingZoneNames,
  detections,
  hazardOf,
  readable,
  troubles as troublesOf,
  zonesOf,
  zoneTitle,
} from '../devices/device.ts'
import { type Command, capitalized, commandError } from './command.ts'
import { type CurrentState, describePartition, type PartitionSituation } from './current-state.ts'
import { describeOwnTroubles } from './own-troubles.ts'
import { bypassModeRefusal, chooseBypass, isForceArm } from './preconditions.ts'

/** Partitions that are not ready for a command. */
interface Unready {
  partitions: readonly PartitionSituation[]
  command: Command
  /** The panel's own word for how zones can be bypassed; empty if it names none. */
  bypassMode: string
}

/** The devices and troubles that can keep partitions from being ready. */
interface Reasons {
  devices: readonly Device[]
  /** The list of troubles; empty if it was not read. */
  troubles?: readonly Trouble[]
}

/**
 * Reads what keeps partitions from being ready. The troubles are read only if no open zone does: a panel can be set up so that
 * it cannot be armed with some of them (makers' guides).
 * @param since milliseconds of the monotonic clock; answers requested earlier are not used
 * @throws KeyholderError if the devices cannot be read
 */
export async function readReasons(unready: Unready, state: CurrentState, since: number): Promise<Reasons> {
  const { value: devices } = await state.devices(since)
  const { open } = zonesOf(unready.partitions, devices)
  if (open.length > 0 && !isForced(unready)) return { devices }
  try {
    return { devices, troubles: (await state.troubles(since))?.value ?? [] }
  } catch (thrown) {
    if (isClosed(thrown)) throw thrown
    return { devices }
  }
}

/** Returns the error for partitions that are not ready to arm, with what prevents it. */
export function unreadyRefusal(unready: Unready, reasons: Reasons): KeyholderError {
  const error = commandError('NOT_SETTABLE', describeReasons(unready, reasons), 'NotReady')
  noteZonesOfRefusal(error, blockingZoneNames(unready.partitions, reasons.devices))
  return error
}

/**
 * Returns sentences about the reasons why partitions are not ready to arm: their zones that are open or in
 * trouble, or detect something, the bypassed ones, which do not count, by name and number, and the troubles of the panel itself.
 */
export function describeReasons(unready: Unready, { devices, troubles = [] }: Reasons): string {
  const { partitions, bypassMode } = unready
  const names = capitalized(partitions.map(describePartition).join(', '))
  const are = partitions.length === 1 ? 'is' : 'are'
  const { open: all, detecting, troubled, bypassed } = zonesOf(partitions, devices)
  // Smoke or water is never open.
  const open = all.filter((zone) => hazardOf(zone) === undefined)
  const armedPast = isForced(unready) ? open : []
  const closing = isForced(unready) ? [] : open
  const own = closing.length > 0 ? '' : describeOwnTroubles(devices, troubles)
  const isByZone = closing.length + detecting.length + troubled.length > 0
  const orBypass = bypassModeRefusal(bypassMode, true) === undefined ? ' or bypass' : ''
  const sentences = [
    `${names} ${are} not ready to arm.`,
    ...(isByZone || armedPast.length > 0 ? [] : ['No zone is open or has a fault.']),
    ...(detecting.length > 0
      ? [
          `Detected: ${list(detecting, withDetections)}. Look there first, because the danger can be real. Arm once it is no longer reported.`,
        ]
      : []),
    ...(closing.length > 0 ? [`Close${orBypass}: ${list(closing, zoneTitle)}.`] : []),
    ...(closing.length > 0 && isForceArm(bypassMode)
      ? [`Or ${chooseBypass}: this panel then arms and leaves out what is open at the end of the exit delay.`]
      : []),
    ...(troubled.length > 0 ? [`Repair${orBypass}: ${list(troubled, withTroubles)}.`] : []),
    ...(own === '' ? [] : [own]),
    ...(isByZone || own !== '' ? [] : ['Look at the keypad for the reason.']),
    ...(armedPast.length > 0
      ? [`Open zones, past which this panel can be armed: ${list(armedPast, zoneTitle)}.`]
      : []),
    ...(bypassed.length > 0
      ? [`Bypassed zones, which do not prevent arming: ${list(bypassed, zoneTitle)}.`]
      : []),
  ]
  return sentences.join(' ')
}

/** Returns a zone with what it detects in words. */
function withDetections(zone: Device): string {
  const hazard = hazardOf(zone) ?? ''
  const ofOpened = hazard === 'moisture' ? 'water' : hazard
  const words = detections(zone).map((type) =>
    readable(type === 'OPENED' ? ofOpened : type.replace(/_OPEN$/, '')),
  )
  return `${zoneTitle(zone)}: ${[...new Set(words)].join(' and ')}`
}

/** Returns a zone with its troubles in words. */
function withTroubles(zone: Device): string {
  return `${zoneTitle(zone)}: ${troublesOf(zone).map(readable).join(' and ')}`
}

/** Returns zones as a list in a sentence. */
function list(zones: readonly Device[], title: (zone: Device) => string): string {
  return zones.map(title).join(', ')
}

/** Returns true if open zones are no reason, because the panel arms past them by itself, as the command says. */
function isForced({ command, bypassMode }: Unready): boolean {
  return command.action === 'set_state' && command.openZones === 'bypass' && isForceArm(bypassMode)
}

/** The zones that the errors name, kept beside them: a flow gets the properties of an error. */
const zonesOfRefusals = new WeakMap<KeyholderError, readonly string[]>()

/** Notes the names of the zones for which a command was refused. */
export function noteZonesOfRefusal(error: KeyholderError, zones: readonly string[]): void {
  zonesOfRefusals.set(error, zones)
}

/** Returns the names of the zones for which a command was refused. */
export function zonesOfRefusal(error: KeyholderError): readonly string[] {
  return zonesOfRefusals.get(error) ?? []
}
