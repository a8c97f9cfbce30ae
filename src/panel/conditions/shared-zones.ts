import type { Device } from '../../service/responses/devices.ts'
import { hasJoined, isZone, readingDevice } from '../devices/device.ts'
import type { PanelDevices } from '../devices/readings.ts'
import type { PartitionState, StateView } from '../state/partition-state.ts'
import {
  type Evidence,
  idOf,
  isAt,
  newEvidence,
  type PanelCondition,
  placeOf,
  withEvidence,
} from './condition.ts'
import type { ConditionBook } from './condition-book.ts'

/** Types of zones that guard while their partition is armed, in any way, and those that do so only while it is armed away. */
const perimeter: ReadonlySet<string> = new Set([
  'DELAY_1',
  'DELAY_2',
  'HOME_DELAY',
  'PERIMETER',
  'PERIMETER_FOLLOW',
  'OUTDOOR',
])
const interior: ReadonlySet<string> = new Set(['INTERIOR', 'INTERIOR_FOLLOW', 'INTERIOR_DELAY'])

/**
 * Returns the book after the devices and the state were compared: a zone of several partitions guards only while all of them
 * are armed, one inside only while all of them are armed away (makers' guides, "common areas"). If one of them is and
 * another one is not, the zone guards nothing. All other types of zones guard always, or nobody knows when.
 * @param now milliseconds since 1970
 */
export function withSharedZones(
  book: ConditionBook,
  devices: PanelDevices,
  state: StateView,
  now: number,
): ConditionBook {
  if (!devices.isCurrent) return book
  const { listed, held, hasAll } = devices
  const zones = [...listed, ...held].filter((device) => isZone(device) && hasJoined(device))
  const evidence = zones.flatMap((zone) => unguarded(zone, state))
  const speaksOf = (condition: PanelCondition) => {
    const zone = zones.find(({ device_type, device_number, id }) =>
      isAt(condition, placeOf(device_type, device_number, id)),
    )
    return zone === undefined ? hasAll : isDecided(zone, state)
  }
  const conditions = withEvidence(book.conditions, 'partitions', evidence, now, speaksOf)
  return conditions === book.conditions ? book : { ...book, conditions }
}

/** Returns the condition of a zone that guards nothing because of some of its partitions; none if it guards. */
function unguarded(zone: Device, { partitions }: StateView): Evidence[] {
  const { device_type, device_number, id } = zone
  const isInside = isInterior(zone)
  if (!isInside && !perimeter.has(zone.zone_type ?? '')) return []
  const shared = partitionsOf(zone, partitions)
  const blocking = shared.filter((partition) => {
    const mode = modeOf(partition)
    return mode === 'disarmed' || (isInside && mode === 'home')
  })
  const isWanted = shared.some((partition) => {
    const mode = modeOf(partition)
    return mode === 'away' || (!isInside && (mode === 'home' || mode === 'armed'))
  })
  if (blocking.length === 0 || !isWanted) return []
  const says = isInside ? 'unguardedInside' : 'unguarded'
  // Other partitions are another reason, which is told anew.
  const reason = blocking.map((partition) => partition.id).join()
  return [
    newEvidence('unguarded', {
      id: idOf('unguarded', placeOf(device_type, device_number, id), reason),
      zone: device_number,
      name: readingDevice(zone).label,
      says,
      what: blocking.map((partition) => partition.name || `${partition.id}`).join(', '),
    }),
  ]
}

/** Returns true if the state tells whether a zone guards: an exit delay, for example, will. */
function isDecided(zone: Device, { partitions, hasAllPartitions = false }: StateView): boolean {
  const isListed = (id: number) => partitions.some((partition) => partition.id === id)
  const modes = partitionsOf(zone, partitions).map(modeOf)
  const isKnown = modes.every((mode) => mode !== undefined && (mode !== 'armed' || !isInterior(zone)))
  return isKnown && (hasAllPartitions || zone.partitions.every(isListed))
}

function isInterior({ zone_type }: Device): boolean {
  return interior.has(zone_type ?? '')
}

/** Returns the partitions of a zone that are in use. */
function partitionsOf(zone: Device, partitions: readonly PartitionState[]): PartitionState[] {
  return partitions.filter(({ id, active }) => active && zone.partitions.includes(id))
}

/** Returns how a partition is armed; `armed` if it is not known how, undefined if it is not known whether. */
function modeOf({ value, isArmed }: PartitionState): 'away' | 'home' | 'armed' | 'disarmed' | undefined {
  if (value === 'DISARM') return 'disarmed'
  if (value === 'AWAY') return 'away'
  if (value === 'HOME' || value === 'NIGHT') return 'home'
  if (value === 'ARMING') return undefined
  return isArmed || value === 'ENTRY_DELAY' ? 'armed' : undefined
}
