import { isClosed, type KeyholderError } from '../../service/error.ts'
import type { Trouble } from '../../service/responses/alarms.ts'
import type { Device } from '../../service/responses/devices.ts'
import { capitalized, commandError } from './command.ts'
import { type CurrentState, describePartition, type PartitionSituation } from './current-state.ts'
import { describeOwnTroubles } from './own-troubles.ts'
import { blockingZoneNames, list, unreadyZones, withTroubles, zoneTitle } from './zones.ts'

/** What the panel shows that can keep partitions from being ready. */
interface Reasons {
  devices: readonly Device[]
  /** The list of troubles; empty if it was not read. */
  troubles?: readonly Trouble[]
}

/**
 * Reads what keeps partitions from being ready. The troubles are read only if no zone is open: a panel can be set up so that
 * it cannot be armed with some of them (makers' guides).
 * @param since milliseconds of the monotonic clock; answers requested earlier are not used
 * @throws KeyholderError if the devices cannot be read
 */
export async function readReasons(
  partitions: readonly PartitionSituation[],
  state: CurrentState,
  since: number,
): Promise<Reasons> {
  const { value: devices } = await state.devices(since)
  if (unreadyZones(partitions, devices).open.length > 0) return { devices }
  try {
    return { devices, troubles: (await state.troubles(since))?.value ?? [] }
  } catch (thrown) {
    if (isClosed(thrown)) throw thrown
    return { devices }
  }
}

/** Returns the error for partitions that are not ready to arm, with what prevents it. */
export function unreadyRefusal(partitions: readonly PartitionSituation[], reasons: Reasons): KeyholderError {
  const error = commandError('NOT_SETTABLE', describeReasons(partitions, reasons), 'NotReady')
  noteZonesOfRefusal(error, blockingZoneNames(partitions, reasons.devices))
  return error
}

/**
 * Returns sentences about the reasons why partitions are not ready to arm: their zones that are open or in
 * trouble, the bypassed ones, which do not count, by name and number, and the troubles of the panel itself.
 */
export function describeReasons(
  partitions: readonly PartitionSituation[],
  { devices, troubles = [] }: Reasons,
): string {
  const names = capitalized(partitions.map(describePartition).join(', '))
  const are = partitions.length === 1 ? 'is' : 'are'
  const { open, troubled, bypassed } = unreadyZones(partitions, devices)
  const own = open.length > 0 ? '' : describeOwnTroubles(devices, troubles)
  const isByZone = open.length + troubled.length > 0
  const sentences = [
    `${names} ${are} not ready to arm.`,
    ...(isByZone ? [] : ['No zone is open or has a fault.']),
    ...(open.length > 0 ? [`Close or bypass: ${list(open, zoneTitle)}.`] : []),
    ...(troubled.length > 0 ? [`Repair or bypass: ${list(troubled, withTroubles)}.`] : []),
    ...(own === '' ? [] : [own]),
    ...(isByZone || own !== '' ? [] : ['Look at the keypad for the reason.']),
    ...(bypassed.length > 0
      ? [`Bypassed zones, which do not prevent arming: ${list(bypassed, zoneTitle)}.`]
      : []),
  ]
  return sentences.join(' ')
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
