import {
  type Check,
  capitals,
  capitalsList,
  capitalsOrEmpty,
  dictionary,
  flagOrNull,
  invalid,
  list,
  partitionId,
  record,
  textOrNull,
  withDefault,
} from '../schema.ts'
import type { StateDefinition } from './panel-info.ts'

/** The states of a panel without a state set of its own: the table of interface specification 3. */
export const defaultStates: readonly StateDefinition[] = [
  state('AWAY', true, ['NOENTRY', 'LATCHKEY'], ['EXIT'], ['DISARM', 'HOME']),
  state('HOME', true, ['NOENTRY'], ['EXIT'], ['DISARM', 'AWAY']),
  state('DISARM', true, [], [], ['DISARM', 'AWAY', 'HOME']),
  state('ENTRY_DELAY', false, [], [], ['DISARM']),
  state('PROGRAMMING', false, [], [], []),
]

function state(
  name: string,
  settable: boolean,
  options: string[],
  statuses: string[],
  transitions: string[],
): StateDefinition {
  return { name, settable, options, statuses, transitions }
}

/** Returns true if a client may request the state at all (interface specification 3, rule 1). */
export function isSettable(definitions: readonly StateDefinition[], state: string): boolean {
  return definitions.some(({ name, settable }) => settable && name === state)
}

/** The option of a state without an entry delay (interface specification 2.6). */
export const noEntryDelay = 'NOENTRY'

/** Returns true for a state in which people are at home and every opening is an alarm at once. */
export function isNight(state: string, options: readonly string[]): boolean {
  return state === 'NIGHT' || (state === 'HOME' && options.includes(noEntryDelay))
}

/** The ways to arm by the definitions of a panel. */
export interface WaysToArm {
  /** True for an armed state, also one that only this panel has: a client may request it, or the panel can be disarmed there. */
  isArmed: boolean
  /** The state to request for the night: one of its own, or HOME without entry delay; null if the panel has neither. */
  night: 'NIGHT' | 'HOME' | null
}

/** Returns the ways to arm, and if `state` is armed. */
export function waysToArm(definitions: readonly StateDefinition[], state: string): WaysToArm {
  const ways: WaysToArm = { isArmed: false, night: null }
  for (const { name, settable, options, transitions } of definitions) {
    if (name === state && state !== 'DISARM') ways.isArmed = settable || transitions.includes('DISARM')
    if (settable && name === 'NIGHT') ways.night = name
    if (settable && name === 'HOME' && options.includes(noEntryDelay)) ways.night ??= name
  }
  return ways
}

/**
 * Returns true if a partition with this state and the status EXIT is in its exit delay: if the panel's own definition of
 * the state has that status. If the definitions have no statuses at all, or lack the state, the armed states
 * of interface specification 3 have it.
 */
export function isExitDelay(definitions: readonly StateDefinition[], state: string): boolean {
  const known = definitions.some(({ statuses }) => statuses.length > 0) ? definitions : []
  const rows = [...known, ...defaultStates]
  return rows.find(({ name }) => name === state)?.statuses.includes('EXIT') ?? false
}

/**
 * Returns true if the panel can change from one state to another one (interface specification 3, rule 2), or if the
 * definitions do not tell, because they lack the first one.
 */
export function mayFollow(definitions: readonly StateDefinition[], current: string, next: string): boolean {
  let isDefined = false
  for (const { name, transitions } of definitions) {
    if (name !== current) continue
    if (transitions.includes(next)) return true
    isDefined = true
  }
  return !isDefined
}

/**
 * Returns the states that may be requested while the panel is in `current`, in order of the definitions: those that are
 * settable and to which it can change from there, as far as the definitions tell.
 */
export function requestable(definitions: readonly StateDefinition[], current: string): string[] {
  const names: string[] = []
  for (const { name, settable } of definitions)
    if (settable && mayFollow(definitions, current, name)) names.push(name)
  return names
}

/**
 * One connection of the panel to the service, such as broadband; null for values that the service leaves out.
 */
export interface Transport {
  is_connected: boolean | null
  /** `online`, `offline` or a word not known yet. */
  state: string | null
}

/** The current state of one partition. */
export interface PartitionStatus {
  /** -1 is the whole panel. */
  id: number
  /** A state of the panel (interface specification 3), or a word not known yet. */
  state: string
  /** `EXIT` during the exit delay, usually empty. */
  status: string
  /** True if it could be armed now; null if the service leaves it out. */
  ready: boolean | null
  options: string[]
}

/**
 * The current state of the panel. Field fact: the interface specification names no operation for it; every
 * known service answers GET /status with this shape.
 */
export interface PanelStatus {
  /** True if the panel has a live connection now; changes often on panels that work well (field fact). */
  connected: boolean | null
  /** Transports by the service's name for them, such as `bba` and `gprs`; any of them can be missing. */
  connected_status: Map<string, Transport>
  partitions: PartitionStatus[]
}

const wireTransport = record({ is_connected: flagOrNull, connected: flagOrNull, state: textOrNull })

// Field fact: the member is is_connected or connected, and a transport can be null: its members are then null
// too.
const transport: Check<Transport> = (value, tally) => {
  const wire = wireTransport(value, tally)
  if (wire === invalid) return { is_connected: null, state: null }
  return { is_connected: wire.is_connected ?? wire.connected, state: wire.state }
}

const partitionStatus: Check<PartitionStatus> = record({
  id: partitionId,
  state: capitals,
  status: capitalsOrEmpty,
  ready: flagOrNull,
  options: capitalsList,
})

/** The maximum length of the list. The largest panels have eight partitions. */
const maxPartitions = 32

const wireStatus = record({
  connected: flagOrNull,
  connected_status: withDefault(dictionary(transport), new Map<string, Transport>()),
  partitions: withDefault(list(partitionStatus, maxPartitions), []),
  bba: transport,
  gprs: transport,
  wifi: transport,
})

/** The answer to GET /status, of the end-user or the installer service (field fact). */
export const status: Check<PanelStatus> = (value, tally) => {
  const checked = wireStatus(value, tally)
  if (checked === invalid) return invalid
  const { connected, connected_status, partitions, ...beside } = checked
  // Field fact: the installer service has its transports next to the partitions instead of in one member.
  const installer = Object.entries(beside).filter(
    ([, { is_connected, state }]) => is_connected !== null || state !== null,
  )
  return { connected, connected_status: new Map([...installer, ...connected_status]), partitions }
}

/** The partition id of the whole panel (interface specification 2.5). */
export const wholePanel = -1

/**
 * Returns true if an object with the given `partitions` concerns the partition `id`.
 *
 * An empty list or the whole panel means all partitions. Every object concerns the whole panel.
 */
export function concerns(partitions: readonly number[], id: number): boolean {
  return (
    id === wholePanel || partitions.length === 0 || partitions.includes(wholePanel) || partitions.includes(id)
  )
}
