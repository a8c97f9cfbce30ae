import { kindOfListed } from '../../service/catalogue/alarm-kind.ts'
import { KeyholderError } from '../../service/error.ts'
import { isInMemory, type PanelAlarm, typeOfSource } from '../../service/responses/alarms.ts'
import type { PanelInfo, PanelPartition, StateDefinition } from '../../service/responses/panel-info.ts'
import {
  concerns,
  defaultStates,
  isExitDelay,
  type PanelStatus,
  type PartitionStatus,
  requestable,
  type Transport,
  type WaysToArm,
  waysToArm,
} from '../../service/responses/status.ts'
import { utcTime } from '../../service/time.ts'
import type { AlarmEvidence } from './alarm-evidence.ts'

/** The panel's setup for a partition that is in a given state. */
interface PartitionSetup extends WaysToArm {
  /** Empty if the setup does not name it. */
  name: string
  /** True if the setup does not say. */
  active: boolean
  /** Seconds. */
  exitDelay: number | null
  /** States that a client can request now, in the order of the state set (interface specification 3). */
  settable: string[]
}

/** Returns the setup of the partition `id`, and what can be requested while the service reports `state`. */
export function partitionSetup(info: PanelInfo | null, id: number, state: string): PartitionSetup {
  const partition = findPartition(info, id)
  const definitions = stateDefinitions(info, id)
  return {
    name: partition?.name ?? '',
    active: partition?.active ?? true,
    exitDelay: partition?.exit_delay_time ?? null,
    settable: requestable(definitions, state),
    ...waysToArm(definitions, state),
  }
}

/** Returns the seconds that people have to leave the partition `id`; null if the setup does not say. */
export function exitDelayOf(info: PanelInfo | null, id: number): number | null {
  return findPartition(info, id)?.exit_delay_time ?? null
}

/** Returns the definitions of the states that the partition `id` can be in; empty if they are unknown. */
export function stateDefinitions(info: PanelInfo | null, id: number): readonly StateDefinition[] {
  // Nothing is known about a panel whose setup was not read yet, so nothing is offered.
  if (info === null) return []
  const sets = [...info.state_sets.values()]
  if (sets.length === 0) return defaultStates
  const named = info.state_sets.get(findPartition(info, id)?.state_set ?? '')
  // A single set applies whatever its name is: `all` and `default` are both in use.
  return named ?? (sets.length === 1 ? (sets[0] ?? []) : [])
}

function findPartition(info: PanelInfo | null, id: number): PanelPartition | undefined {
  // No callback: this is done for each partition and poll.
  for (const partition of info?.partitions ?? []) if (partition.id === id) return partition
  return undefined
}

/** An alarm that concerns a partition. */
export interface ActiveAlarm {
  /** The service's word for the kind of alarm. */
  type: string
  /** True for a past alarm, kept only until someone looks at it: it does not put the partition in alarm. */
  inMemory: boolean
  deviceType: string
  zone: number | null
  zoneName: string
  location: string
  /** Empty means the whole panel. */
  partitions: number[]
  /** ISO 8601 in UTC; null if the service's text is not a valid time. */
  time: string | null
  timeRaw: string
}

/** The cause of a change of state: the user or thing that the event of that change names. */
export interface ChangedBy {
  /** The service's name for the person or thing; empty if the event names none. */
  name: string
  /** ISO 8601 in UTC; null if the service's text is not a valid time. */
  at: string | null
}

/** One partition at one moment. */
export interface PartitionState {
  /** -1 is the whole panel. */
  id: number
  name: string
  active: boolean
  /**
   * AWAY HOME DISARM ENTRY_DELAY PROGRAMMING ARMING ALARM, or the service's own word if it is none of these.
   */
  value: string
  /** `EXIT` during the exit delay, usually empty. */
  status: string
  /** True if the partition could be armed now; null if the service does not say. */
  ready: boolean | null
  options: string[]
  /** States that can be requested now (interface specification 3). */
  settable: string[]
  /** True if the panel defines its state as an armed one, also if no other panel has it. */
  isArmed: boolean
  /** The state to request for the night; null if it has none. */
  night: 'NIGHT' | 'HOME' | null
  /** Seconds, as configured in the panel; null if the service does not say. */
  exitDelay: number | null
  /**
   * The end of the running exit delay: milliseconds of the monotonic clock; null if none runs or if its
   * length is unknown.
   */
  exitUntil: number | null
  alarms: ActiveAlarm[]
  /** True if the value is inferred from events and not reported by the service. */
  inferred: boolean
  /** The user who armed or disarmed it; null while no event is known that led to the value. */
  changedBy: ChangedBy | null
  /** True if this event says that the panel was armed although it was not ready. */
  isForced?: true
}

/** All partitions of a panel at one moment. */
export interface StateView {
  /** True if the service reaches the panel; null if the service does not say. */
  online: boolean | null
  /** The ways to the service, as the latest answer tells them; absent where the service has no status. */
  transports?: Transports
  /** Also those that one answer lacks: only a second one shows that a partition or an alarm is gone. */
  partitions: PartitionState[]
  /** True once two answers agree on the partitions: the panel has no other one. */
  hasAllPartitions?: boolean
  /** True once two answers agree on the alarms: there is no other one. Absent if the service has no list of them. */
  hasAllAlarms?: boolean
  /** Those of the alarms that the latest list lacks: they may be over. Absent if there is none. */
  heldAlarms?: readonly ActiveAlarm[]
  /** The facts that the answers show of alarms that no event ends; absent if nothing is known of them. */
  evidence?: AlarmEvidence
  /** True if the list of alarms cannot be read now: the alarms are those that are known otherwise. */
  isListLost?: true
}

/**
 * Returns the panel's state from its status and its list of alarms (both field facts), which alone do not show that
 * nothing is missing.
 * @param exits the ends of the running exit delays, by partition id
 * @param held those of the alarms that the latest list lacks
 */
export function stateView(
  status: PanelStatus,
  alarms: readonly PanelAlarm[],
  info: PanelInfo | null,
  timeZone: string,
  exits: ReadonlyMap<number, number> = new Map(),
  held: ReadonlySet<PanelAlarm> = new Set(),
): StateView {
  const active = alarms.map((alarm) => activeAlarm(alarm, timeZone))
  return {
    online: isOnline(status),
    transports: transportsOf(status),
    partitions: status.partitions.map((partition) => partitionState(partition, active, info, exits)),
    ...(held.size > 0 && { heldAlarms: active.filter((_, at) => held.has(alarms[at] as PanelAlarm)) }),
  }
}

function partitionState(
  { id, state, status, ready, options }: PartitionStatus,
  alarms: ActiveAlarm[],
  info: PanelInfo | null,
  exits: ReadonlyMap<number, number>,
): PartitionState {
  const own = alarms.filter((alarm) => concerns(alarm.partitions, id))
  // During an alarm and the exit delay the service's state is already, or still, the armed one (field fact).
  const isAlarm = withoutThreats(own).some(({ inMemory }) => !inMemory)
  const isExit = status === 'EXIT' && isExitDelay(stateDefinitions(info, id), state)
  return {
    id,
    value: isAlarm ? 'ALARM' : isExit ? 'ARMING' : state,
    status,
    ready,
    options,
    ...partitionSetup(info, id, state),
    exitUntil: exits.get(id) ?? null,
    alarms: own,
    inferred: false,
    changedBy: null,
  }
}

/** Returns the alarms that everybody may see: the person who threatens may read them. */
export function withoutThreats(alarms: readonly ActiveAlarm[]): ActiveAlarm[] {
  return alarms.filter(({ type }) => kindOfListed(type) !== 'duress')
}

function activeAlarm(alarm: PanelAlarm, timeZone: string): ActiveAlarm {
  return {
    type: alarm.alarm_type,
    inMemory: isInMemory(alarm),
    deviceType: typeOfSource(alarm),
    zone: alarm.zone,
    zoneName: alarm.zone_name.trim(),
    location: alarm.location.trim(),
    partitions: [...alarm.partitions],
    time: utcTime(alarm.datetime, timeZone),
    timeRaw: alarm.datetime,
  }
}

/** Returns true for a disarmed partition in use that could not be armed now. */
export function isUnready({ value, ready, active }: PartitionState): boolean {
  return value === 'DISARM' && ready === false && active
}

/**
 * Rejects a status without any partition of the panel.
 * @throws KeyholderError BAD_RESPONSE
 */
export function requirePartitions({ partitions }: PanelStatus): void {
  if (partitions.length > 0) return
  throw new KeyholderError(
    'BAD_RESPONSE',
    'The service reports no partition of the panel. The panel may still be connecting. Wait a few minutes.',
  )
}

/** The ways of the panel to the service: true if one works, false if not, null if the status does not say. */
export interface Transports {
  broadband: boolean | null
  mobile: boolean | null
}

/** The transports of a status that says nothing of them. */
export const unknownTransports: Transports = { broadband: null, mobile: null }

/** The names that services have for transports. */
const broadbandNames = /^(bba|broadband|ethernet|lan|wi_?fi)$/i
const mobileNames = /^(gprs|gsm|cellular|mobile|lte)$/i
const transportNames: readonly (readonly [keyof Transports, RegExp])[] = [
  ['broadband', broadbandNames],
  ['mobile', mobileNames],
]

/** Returns the transports of a status; of several of one kind, one that works counts. */
function transportsOf({ connected_status }: PanelStatus): Transports {
  const transports = { ...unknownTransports }
  for (const [name, transport] of connected_status)
    for (const [kind, pattern] of transportNames)
      if (pattern.test(name) && transports[kind] !== true)
        transports[kind] = carries(transport) ?? transports[kind]
  return transports
}

/**
 * Returns true if the panel is online; null if the status does not say.
 *
 * `connected` drops for a minute now and then on panels that work; the state of the transports does not (field fact). So
 * `connected` decides only if no transport says anything. A transport with an unknown name is no reason to be offline.
 */
export function isOnline({ connected, connected_status }: PanelStatus): boolean | null {
  let said: boolean | null = null
  for (const [name, transport] of connected_status) {
    const carrying = carries(transport)
    const isKnown = broadbandNames.test(name) || mobileNames.test(name)
    if (carrying || isKnown) said = said === true || (carrying ?? said)
  }
  return said ?? connected
}

/** Returns true if a transport works; null if its words do not say: an unknown one means nothing. */
function carries({ state, is_connected }: Transport): boolean | null {
  switch (state?.toLowerCase()) {
    case 'online':
      return true
    case 'offline':
      return false
    case undefined:
      return is_connected
    default:
      return is_connected || null
  }
}
