import { second } from '../../duration.ts'
import { commonWord, homeAssistant } from '../../messages/state-words.ts'
import { isBypassed, isPanelItself, isTrouble, troubles, zonesOf } from '../../panel/devices/device.ts'
import type { PanelFault } from '../../panel/devices/readings.ts'
import { type PartitionState, type StateView, withoutThreats } from '../../panel/state/partition-state.ts'
import type { Device } from '../../service/responses/devices.ts'
import { onOff, stateOf } from './component.ts'
import { panelEntities, zoneOfAlarm } from './panel-entities.ts'

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
  const own = (ofPanel.faults ?? []).filter(({ type }) => isTrouble(type))
  // The panel as a device may warn of the same, without a time.
  const told = new Set(own.map(({ type }) => type))
  return stateOf(panelEntities, Object.keys(panelEntities), {
    alarms: withoutThreats(partitions.flatMap((partition) => partition.alarms)),
    areAlarmsAll: hasAllAlarms !== undefined,
    exitUntil,
    faulty: devices && [
      ...own.map(({ type, since }) => ({ device: ofPanel.title, warnings: [type], since })),
      ...devices.flatMap((device) => {
        const warnings = troubles(device).filter((type) => !isPanelItself(device) || !told.has(type))
        return warnings.length > 0 ? [{ device: nameOf(device), warnings }] : []
      }),
    ],
    areFaultsAll: areDevicesAll && ofPanel.faults !== null,
    bypassed: devices?.filter(isBypassed).map(nameOf),
    areBypassesAll: areDevicesAll && ofPanel.areBypassesAll,
  })
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
