import { type Check, dictionary, flag, integer, list, misfit, number, or, record, text } from './check.ts'
import { flagOrFalse, flagOrNull, textOrEmpty, texts } from './fallbacks.ts'

/** One arming state and what may follow it (interface specification 2.6 and 3). */
export interface StateDefinition {
  name: string
  /** Whether a client may request this state. */
  settable: boolean
  /** Ways of requesting it: `NOENTRY`, `LATCHKEY`, or a word not known yet. */
  options: string[]
  /** What may stand in a partition's `status`: `EXIT`, or a word not known yet. */
  statuses: string[]
  /** Names of the states that can be reached from this one. */
  transitions: string[]
}

/** A partition as it is set up; its state of the moment is in the status. */
export interface PanelPartition {
  /** -1 is the whole panel. */
  id: number
  active: boolean
  /** Seconds; null where the service does not say. */
  exit_delay_time: number | null
  /** A key of `state_sets`. */
  state_set: string
  name: string
}

/** What the panel says it can do; null where it does not say. */
export interface PanelFeatures {
  video_on_demand: boolean | null
  alerts: boolean | null
  enabling_siren: boolean | null
  disabling_siren: boolean | null
  wi_fi_connection: boolean | null
  set_date_time: boolean | null
  outputs_setup: boolean | null
}

/** How the panel is set up (interface specification 2.5). */
export interface PanelInfo {
  serial: string
  model: string
  manufacturer: string
  /** Role of whoever is signed in; `master_user` was seen. */
  current_user: string
  /** By name; `all` was seen, and `default` at the installer service (field fact). */
  state_sets: Map<string, StateDefinition[]>
  partitions: PanelPartition[]
  /** `manual_bypass` was seen; an open set. */
  bypass_mode: string
  /** Null where the service does not say; the same for the next one. */
  local_wakeup_needed: boolean | null
  remote_switch_to_programming_mode_requires_user_acceptance: boolean | null
  features: PanelFeatures | null
}

interface WirePartition extends PanelPartition {
  exit_delay: number | null
}

const stateDefinition: Check<StateDefinition> = record({
  name: text,
  settable: flagOrFalse,
  options: texts,
  statuses: texts,
  transitions: texts,
})

const wirePartition: Check<WirePartition> = record({
  id: integer,
  active: or(flag, true),
  exit_delay_time: or(number, null),
  exit_delay: or(number, null),
  state_set: textOrEmpty,
  name: textOrEmpty,
})

// Field fact: the installer service writes exit_delay where the end-user service writes exit_delay_time.
const panelPartition: Check<PanelPartition> = (value, tally) => {
  const checked = wirePartition(value, tally)
  if (checked === misfit) return misfit
  const { exit_delay, ...partition } = checked
  partition.exit_delay_time ??= exit_delay
  return partition
}

const panelFeatures: Check<PanelFeatures> = record({
  video_on_demand: flagOrNull,
  alerts: flagOrNull,
  enabling_siren: flagOrNull,
  disabling_siren: flagOrNull,
  wi_fi_connection: flagOrNull,
  set_date_time: flagOrNull,
  outputs_setup: flagOrNull,
})

/** The answer to GET /panel_info (interface specification 4.4). */
export const panelInfo: Check<PanelInfo> = record({
  serial: text,
  model: textOrEmpty,
  manufacturer: textOrEmpty,
  current_user: textOrEmpty,
  state_sets: or(dictionary(or(list(stateDefinition), [])), new Map()),
  partitions: or(list(panelPartition), []),
  bypass_mode: textOrEmpty,
  local_wakeup_needed: flagOrNull,
  remote_switch_to_programming_mode_requires_user_acceptance: flagOrNull,
  features: or(panelFeatures, null),
})
