import type { RunningAlarm } from '../incidents/running-alarms.ts'
import { type Evidence, idOf, placeOf, zoneOf } from './condition.ts'

/** Returns the conditions that the running alarms of a panel are: one for each place. */
export function alarmConditions(alarms: readonly RunningAlarm[]): Evidence[] {
  return alarms.map(({ kind, deviceType, zone, name, since, eventKey }) => ({
    id: idOf('alarm', placeOf(deviceType, zone)),
    kind: 'alarm',
    zone: zoneOf(deviceType, zone),
    name,
    since,
    eventKey,
    says: 'alarm',
    // An event that becomes known later tells more.
    what: kind === 'alarm' ? '' : kind,
    at: null,
  }))
}
