import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { Device } from '../../service/responses/devices.ts'
import { concerns } from '../../service/responses/status.ts'
import { findZone, isBypassed } from '../devices/device.ts'
import type { PartitionState } from '../state/partition-state.ts'
import { alarmsIn, type Incident } from './incident.ts'
import type { IncidentBook } from './incident-book.ts'
import { viewOf } from './incident-view.ts'

/** A list of devices, and the state of their partitions. */
export interface ListedZones {
  readonly listed: readonly Device[]
  readonly partitions: readonly Pick<PartitionState, 'id' | 'isArmed'>[]
  /** Milliseconds since 1970 at which the list was requested. */
  readonly requestedAt: number
}

/**
 * Returns the book after a list of devices that somebody else has read: the zones of open incidents that the panel itself has
 * left out until the disarm, after a number of their alarms (makers' guides, "swinger stop"). A zone that people have
 * bypassed raises no alarm in that arming.
 * @param now milliseconds since 1970
 */
export function withLeftOutZones(
  book: IncidentBook,
  list: ListedZones,
  catalogue: Catalogue,
  now: number,
): IncidentBook {
  const incidents = book.incidents.map((incident) => {
    const isOpen = viewOf(incident, catalogue, now).until === null
    const leftOut = isOpen ? leftOutZones(incident, list, catalogue) : []
    return leftOut.join() === incident.leftOut.join() ? incident : { ...incident, leftOut }
  })
  const isSame = incidents.every((incident, at) => incident === book.incidents[at])
  return isSame ? book : { ...book, incidents }
}

function leftOutZones(
  incident: Incident,
  { listed, partitions, requestedAt }: ListedZones,
  catalogue: Catalogue,
): number[] {
  const alarms = alarmsIn(incident, catalogue).filter(({ deviceType }) => deviceType === 'ZONE')
  const zones = [...new Set(alarms.map(({ zone }) => zone))]
  return zones.filter((zone) => {
    const device = findZone(zone, listed)
    const known = alarms.filter((alarm) => alarm.zone === zone).map(({ readAt, time }) => readAt ?? time)
    // An older list may show the bypass of an earlier arming; one that lacks the zone says nothing of it.
    if (device === undefined || requestedAt < Math.min(...known)) return incident.leftOut.includes(zone)
    const isArmed = partitions.some(({ id, isArmed: isOn }) => isOn && concerns(device.partitions, id))
    return isArmed && isBypassed(device)
  })
}
