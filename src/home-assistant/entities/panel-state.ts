import { second } from '../../duration.ts'
import { commonWord, homeAssistant } from '../../messages/state-message.ts'
import { isBypassed, isPanelItself, isTrouble, troubles, zonesOf } from '../../panel/devices/device.ts'
import type { PanelFault } from '../../panel/devices/readings.ts'
import {
  type ActiveAlarm,
  type PartitionState,
  type StateView,
  withoutThreats,
} from '../../panel/state/partition-state.ts'
import type { Device } from '../../service/responses/devices.ts'
import { onOff } from './component.ts'

/** Returns the name of a device in Home Assistant. */
type NameOf = (device: Device) => string

/** The clocks of the machine at one moment, in milliseconds: the monotonic one, and the one since 1970. */
interface Clocks {
  now: number
  wall: number
}

/**
 * Returns the state of a partition as JSON.
 * @param devices undefined while they are not known
 */
export function partitionPayload(
  partition: PartitionState,
  devices: readonly Device[] | undefined,
  nameOf: NameOf,
): object {
  const { value, ready, alarms, options, inferred } = partition
  const word = homeAssistant(commonWord(partition))
  return {
    state: word === 'unknown' ? null : word,
    ready: onOff(ready),
    ready_attributes: {
      open_zones: devices === undefined ? null : openZones(partition, devices).map(nameOf),
    },
    attributes: { panel_state: value, options, alarms: withoutThreats(alarms).map(zoneOfAlarm), inferred },
  }
}

/**
 * Returns the state of the whole panel as JSON.
 * @param devices undefined while they are not known
 * @param exitUntil see `exitUntil`
 * @param areDevicesAll false if other devices may have troubles or be bypassed: that none of these has is then no news
 * @param ofPanel `faults`: null before they were read; `areBypassesAll`: false if others of the devices may be bypassed
 */
export function panelPayload(
  { partitions, hasAllAlarms }: StateView,
  devices: readonly Device[] | undefined,
  exitUntil: string | null,
  nameOf: NameOf,
  areDevicesAll = true,
  ofPanel: { title: string; faults?: readonly PanelFault[] | null | undefined; areBypassesAll: boolean } = {
    title: '',
    areBypassesAll: true,
  },
): object {
  const isAny = (some: readonly unknown[] | undefined, areAll: boolean) =>
    onOff(some === undefined || (some.length === 0 && !areAll) ? null : some.length > 0)
  const areFaultsAll = areDevicesAll && ofPanel.faults !== null
  const alarms = withoutThreats(partitions.flatMap((partition) => partition.alarms))
  // Without a list of alarms, only those that the events tell are known.
  const isAlarm = (some: readonly unknown[]) =>
    onOff(some.length > 0 || (hasAllAlarms === undefined ? null : false))
  const own = (ofPanel.faults ?? []).filter(({ type }) => isTrouble(type))
  // The panel as a device may warn of the same, without a time.
  const told = new Set(own.map(({ type }) => type))
  const faulty = devices && [
    ...own.map(({ type, since }) => ({ device: ofPanel.title, warnings: [type], since })),
    ...devices.flatMap((device) => {
      const warnings = troubles(device).filter((type) => !isPanelItself(device) || !told.has(type))
      return warnings.length > 0 ? [{ device: nameOf(device), warnings }] : []
    }),
  ]
  const bypassed = devices?.filter(isBypassed)
  return {
    triggered: isAlarm(alarms.filter(({ inMemory }) => !inMemory)),
    memory: isAlarm(alarms.filter(({ inMemory }) => inMemory)),
    alarms_attributes: { zones: [...new Set(alarms.map(zoneOfAlarm))] },
    exit_until: exitUntil,
    problem: isAny(faulty, areFaultsAll),
    troubles: areFaultsAll ? (faulty?.reduce((sum, { warnings }) => sum + warnings.length, 0) ?? null) : null,
    problem_attributes: { devices: faulty ?? [] },
    bypassed_zones: isAny(bypassed, areDevicesAll && ofPanel.areBypassesAll),
    bypassed_attributes: { zones: bypassed?.map(nameOf) ?? [] },
  }
}

function zoneOfAlarm({ zoneName, location, type }: ActiveAlarm): string {
  return zoneName || location || type
}

/** Returns the zones that are open and not bypassed while a partition is not ready to arm; none while it is. */
function openZones(partition: PartitionState, devices: readonly Device[]): Device[] {
  return partition.ready === false ? zonesOf([partition], devices).open : []
}

/** Returns the end of the longest running exit delay, in whole seconds so that it stays the same; null if none runs. */
export function exitUntil(partitions: readonly PartitionState[], { now, wall }: Clocks): string | null {
  const ends = partitions.flatMap(({ value, exitUntil }) =>
    value === 'ARMING' && exitUntil !== null && exitUntil > now ? [exitUntil] : [],
  )
  if (ends.length === 0) return null
  return new Date(second * Math.round((wall - now + Math.max(...ends)) / second)).toISOString()
}

/** Returns the numbers of the zones that are in alarm. */
export function alarmedZones({ partitions }: StateView): Set<number> {
  const alarms = withoutThreats(partitions.flatMap((partition) => partition.alarms))
  return new Set(alarms.flatMap(({ zone, inMemory }) => (zone !== null && !inMemory ? [zone] : [])))
}
