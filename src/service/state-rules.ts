import type { StateDefinition } from './responses/panel-info.ts'

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

/** Returns true if the panel can change from one state to the other (interface specification 3, rule 2). */
function isReachable(definitions: readonly StateDefinition[], from: string, to: string): boolean {
  return definitions.some(({ name, transitions }) => name === from && transitions.includes(to))
}

/**
 * Returns true if a partition with this state and status is in its exit delay: if the panel's own definition of
 * the state has the status EXIT. If the definitions have no statuses at all, or lack the state, the armed states
 * of interface specification 3 have it.
 */
export function isExitDelay(definitions: readonly StateDefinition[], state: string, status: string): boolean {
  if (status !== 'EXIT') return false
  const known = definitions.some(({ statuses }) => statuses.length > 0) ? definitions : []
  const rows = [...known, ...defaultStates]
  return rows.find(({ name }) => name === state)?.statuses.includes(status) ?? false
}

/** Returns the states that may be requested while the panel is in `current`, in order of the definitions. */
export function requestable(definitions: readonly StateDefinition[], current: string): string[] {
  return definitions
    .map(({ name }) => name)
    .filter((name) => isSettable(definitions, name) && isReachable(definitions, current, name))
}
