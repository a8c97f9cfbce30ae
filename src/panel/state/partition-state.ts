import type { PanelAlarm } from '../service/alarms.ts'
import { KeyholderError } from '../service/error.ts'
import type { PanelInfo } from '../service/panel-info.ts'
import { concerns } from '../service/partition.ts'
import type { PanelStatus, PartitionStatus, Transport } from '../service/status.ts'
import { utcTime } from '../service/time.ts'
import { partitionFacts } from './partition-facts.ts'

/** An alarm as it bears on a partition. */
export interface ActiveAlarm {
  /** The service's word for the kind of alarm. */
  type: string
  /** Past, and only remembered until somebody looks: no reason to say that the partition is in alarm. */
  inMemory: boolean
  deviceType: string
  zone: number | null
  zoneName: string
  location: string
  /** Empty means the whole panel. */
  partitions: number[]
  /** ISO 8601 in UTC; null where the service's text is no time. */
  time: string | null
  timeRaw: string
}

/** One partition at one moment. */
export interface PartitionState {
  /** -1 is the whole panel. */
  id: number
  name: string
  active: boolean
  /** AWAY HOME DISARM ENTRY_DELAY PROGRAMMING ARMING ALARM, or the service's own word when it is none of these. */
  value: string
  /** `EXIT` while the exit delay runs, usually empty. */
  status: string
  /** Whether it could be armed now; null where the service does not say. */
  ready: boolean | null
  options: string[]
  /** States that may be requested now (interface specification 3). */
  settable: string[]
  /** Seconds, as the panel is set up; null where the service does not say. */
  exitDelay: number | null
  /** When the exit delay that runs will end: milliseconds of the monotonic clock; null while none does, or one of unknown length. */
  exitUntil: number | null
  alarms: ActiveAlarm[]
  /** True when the value is concluded from events, not told by the service. */
  inferred: boolean
}

/** All partitions of a panel at one moment. */
export interface StateView {
  /** Whether the service reaches the panel; null where it says nothing about that. */
  online: boolean | null
  partitions: PartitionState[]
}

/**
 * The state of the panel as its status and its list of alarms tell it (both field facts).
 * @param exits when the exit delays that run will end, by partition
 */
export function stateView(
  status: PanelStatus,
  alarms: readonly PanelAlarm[],
  info: PanelInfo | null,
  timeZone: string,
  exits: ReadonlyMap<number, number> = new Map(),
): StateView {
  const active = alarms.map((alarm) => activeAlarm(alarm, timeZone))
  return {
    online: isOnline(status),
    partitions: status.partitions.map((partition) => partitionState(partition, active, info, exits)),
  }
}

function partitionState(
  { id, state, status, ready, options }: PartitionStatus,
  alarms: ActiveAlarm[],
  info: PanelInfo | null,
  exits: ReadonlyMap<number, number>,
): PartitionState {
  const own = alarms.filter((alarm) => concerns(alarm.partitions, id))
  return {
    id,
    value: nativeWord(state, status, own),
    status,
    ready,
    options,
    ...partitionFacts(info, id, state),
    exitUntil: exits.get(id) ?? null,
    alarms: own,
    inferred: false,
  }
}

/** During an alarm and during the exit delay the service's state is already, or still, the armed one (field fact). */
function nativeWord(state: string, status: string, alarms: ActiveAlarm[]): string {
  if (alarms.some(({ inMemory }) => !inMemory)) return 'ALARM'
  if (status === 'EXIT' && (state === 'AWAY' || state === 'HOME')) return 'ARMING'
  return state
}

function activeAlarm(alarm: PanelAlarm, timeZone: string): ActiveAlarm {
  return {
    type: alarm.alarm_type,
    inMemory: alarm.alarm_type.endsWith('_MEMORY'),
    deviceType: alarm.device_type,
    zone: alarm.zone,
    zoneName: alarm.zone_name,
    location: alarm.location,
    partitions: alarm.partitions,
    time: utcTime(alarm.datetime, timeZone),
    timeRaw: alarm.datetime,
  }
}

/**
 * Refuses a status that shows nothing of the panel.
 * @throws KeyholderError BAD_RESPONSE
 */
export function requirePartitions({ partitions }: PanelStatus): void {
  if (partitions.length > 0) return
  throw new KeyholderError(
    'BAD_RESPONSE',
    'The service shows no partition of the panel; it may still be connecting.',
  )
}

/**
 * `connected` alone drops for a minute every so often on panels that are well; the state of the transports
 * does not (field fact). So the panel is online as soon as one of them says so.
 */
export function isOnline({ connected, connected_status }: PanelStatus): boolean | null {
  const said = [connected, ...[...connected_status.values()].map(carries)].filter((word) => word !== null)
  return said.length === 0 ? null : said.includes(true)
}

function carries({ state, is_connected }: Transport): boolean | null {
  return state === null ? is_connected : state === 'online'
}
