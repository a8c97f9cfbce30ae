import { type AlarmKind, kindOfListed } from '../../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { wholePanel } from '../../service/responses/status.ts'
import type { ActiveAlarm, StateView } from '../state/partition-state.ts'
import { type Alarm, alarmsOf } from './alarm-end.ts'
import type { Incident } from './incident.ts'
import { areOfOnePlace, shareAPartition } from './story-event.ts'

/** An alarm that runs: the panel's list shows it as active, or nothing that is known has ended it. */
export interface RunningAlarm {
  readonly kind: AlarmKind
  readonly deviceType: string
  /** Number of the zone or user; 0 is the control panel. */
  readonly zone: number
  readonly name: string
  /** Empty means the whole panel. */
  readonly partitions: readonly number[]
  /** Milliseconds since 1970 of its first event; null if the service does not tell it. */
  readonly since: number | null
  /** `eventKey` of that event; null if none is known. */
  readonly eventKey: string | null
}

/**
 * Returns the alarms of incidents that are not over, by time. A threat is none of them, because the person who threatens
 * may see what they change.
 * @param now milliseconds since 1970
 */
export function unendedAlarms(
  incidents: readonly Incident[],
  catalogue: Catalogue,
  now: number,
): RunningAlarm[] {
  return incidents.flatMap((incident) => {
    const alarms = alarmsOf(incident, catalogue, now).filter(({ kind }) => kind !== 'duress')
    const lasting = alarms.filter(({ overAt }) => overAt === null)
    // The panel's list can show an incident that its events have ended.
    return (lasting.length === 0 && incident.isListed ? alarms.slice(-1) : lasting).map(ofEvent)
  })
}

/** Returns the alarms that the panel's list shows as active. */
export function listedAlarms({ partitions }: StateView): RunningAlarm[] {
  return partitions
    .flatMap(({ alarms }) => alarms.filter(({ inMemory }) => !inMemory).map(ofList))
    .filter(({ kind }) => kind !== 'duress')
}

function ofList(alarm: ActiveAlarm): RunningAlarm {
  const { type, deviceType, zone, zoneName, location, partitions, time } = alarm
  return {
    kind: kindOfListed(type),
    deviceType,
    // The service leaves out the zone of an alarm of the control panel.
    zone: zone ?? 0,
    name: zoneName || location,
    partitions: partitions.includes(wholePanel) ? [] : partitions,
    since: time === null ? null : Date.parse(time),
    eventKey: null,
  }
}

/** Returns the alarms without those of a place that has an earlier one in the list. */
export function oncePerPlace(alarms: readonly RunningAlarm[]): RunningAlarm[] {
  return alarms.filter((alarm, at) => !alarms.slice(0, at).some((other) => isSamePlace(alarm, other)))
}

function isSamePlace(one: RunningAlarm, other: RunningAlarm): boolean {
  return areOfOnePlace(one, other) && shareAPartition(one, other)
}

function ofEvent({ event, kind }: Alarm): RunningAlarm {
  const { deviceType, zone, zoneName, actor, partitions, time, key } = event
  const name = zoneName || (deviceType === 'USER' ? actor : '')
  return { kind, deviceType, zone, name, partitions, since: time, eventKey: key }
}
