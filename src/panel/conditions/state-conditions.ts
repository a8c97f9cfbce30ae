import type { ActiveAlarm, StateView } from '../state/partition-state.ts'
import { type Evidence, idOf, type PanelCondition, placeOf, zoneOf } from './condition.ts'

/** Returns the conditions that the state of a panel shows: that it is offline, and what it remembers of alarms. */
export function stateConditions({ online, partitions }: StateView): Evidence[] {
  const remembered = partitions.flatMap(({ alarms }) => alarms.filter(({ inMemory }) => inMemory))
  return [...(online === false ? [offline] : []), ...remembered.map(memory)]
}

/** Returns true if the state says something about a condition: two answers without it do. */
export function stateSpeaksOf(
  { online, hasAllPartitions = false, hasAllAlarms = false }: StateView,
  { kind }: Pick<PanelCondition, 'kind'>,
): boolean {
  return kind === 'offline' ? online !== null || hasAllPartitions : hasAllAlarms
}

/** The condition of a panel that the service does not reach. */
export const offline: Evidence = {
  id: 'offline',
  kind: 'offline',
  zone: null,
  name: '',
  since: null,
  eventKey: null,
  says: 'offline',
  what: '',
  at: null,
}

function memory({ deviceType, zone, zoneName, location, time }: ActiveAlarm): Evidence {
  // The service leaves out the zone of an alarm of the control panel.
  const number = zone ?? 0
  return {
    id: idOf('memory', placeOf(deviceType, number)),
    kind: 'memory',
    zone: zoneOf(deviceType, number),
    name: zoneName || location,
    since: time === null ? null : Date.parse(time),
    eventKey: null,
    says: 'memory',
    what: '',
    at: null,
  }
}
