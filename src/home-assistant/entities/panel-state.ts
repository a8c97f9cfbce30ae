import { commonWord, homeAssistant } from '../../messages/vocabularies.ts'
import { readingDevice, troubles } from '../../panel/devices/readings.ts'
import { secondsUntil } from '../../panel/state/exit-delay.ts'
import {
  type ActiveAlarm,
  type PartitionState,
  type StateView,
  withoutThreats,
} from '../../panel/state/partition-state.ts'
import type { Device } from '../../service/responses/devices.ts'
import { onOff } from './component.ts'

/** Returns the state of a partition as JSON. */
export function partitionPayload(partition: PartitionState): object {
  const { value, ready, alarms, options, inferred } = partition
  const word = homeAssistant(commonWord(partition))
  return {
    state: word === 'unknown' ? null : word,
    ready: onOff(ready),
    attributes: { panel_state: value, options, alarms: withoutThreats(alarms).map(zoneOfAlarm), inferred },
  }
}

/**
 * Returns the state of the whole panel as JSON.
 * @param devices undefined while they are not known
 * @param now milliseconds of the monotonic clock
 * @param areDevicesAll false if other devices may have troubles or be bypassed: that none of these has is then no news
 */
export function panelPayload(
  { partitions, hasAllAlarms }: StateView,
  devices: readonly Device[] | undefined,
  now: number,
  areDevicesAll = true,
): object {
  const isAny = (some: readonly unknown[] | undefined) =>
    onOff(some === undefined || (some.length === 0 && !areDevicesAll) ? null : some.length > 0)
  const alarms = withoutThreats(partitions.flatMap((partition) => partition.alarms))
  // Without a list of alarms, only those that the events tell are known.
  const isAlarm = (some: readonly unknown[]) =>
    onOff(some.length > 0 || (hasAllAlarms === undefined ? null : false))
  const faulty = devices?.flatMap((device) => {
    const warnings = troubles(device)
    return warnings.length > 0 ? [{ device: readingDevice(device).label, warnings }] : []
  })
  const bypassed = devices?.filter(({ traits }) => traits.bypass?.enabled === true)
  return {
    triggered: isAlarm(alarms.filter(({ inMemory }) => !inMemory)),
    memory: isAlarm(alarms.filter(({ inMemory }) => inMemory)),
    alarms_attributes: { zones: [...new Set(alarms.map(zoneOfAlarm))] },
    exit_delay: exitDelay(partitions, now),
    problem: isAny(faulty),
    troubles: areDevicesAll
      ? (faulty?.reduce((sum, { warnings }) => sum + warnings.length, 0) ?? null)
      : null,
    problem_attributes: { devices: faulty ?? [] },
    bypassed_zones: isAny(bypassed),
    bypassed_attributes: { zones: bypassed?.map((device) => readingDevice(device).label) ?? [] },
  }
}

function zoneOfAlarm({ zoneName, location, type }: ActiveAlarm): string {
  return zoneName || location || type
}

/** Returns the seconds of the longest running exit delay; 0 if none runs. */
function exitDelay(partitions: readonly PartitionState[], now: number): number {
  const ends = partitions.flatMap(({ value, exitUntil }) =>
    value === 'ARMING' && exitUntil !== null ? [secondsUntil(exitUntil, now)] : [],
  )
  return Math.max(0, ...ends)
}

/** Returns the numbers of the zones that are in alarm. */
export function alarmedZones({ partitions }: StateView): Set<number> {
  const alarms = withoutThreats(partitions.flatMap((partition) => partition.alarms))
  return new Set(alarms.flatMap(({ zone, inMemory }) => (zone !== null && !inMemory ? [zone] : [])))
}
