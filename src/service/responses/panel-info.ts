import {
  type Check,
  capitals,
  capitalsList,
  dictionary,
  flag,
  flagOrFalse,
  flagOrNull,
  invalid,
  list,
  number,
  partitionId,
  record,
  text,
  textOrEmpty,
  withDefault,
} from '../schema.ts'
import { sharedObject } from '../shared-values.ts'

/** An arming state and the states that can follow it (interface specification 2.6 and 3). */
export interface StateDefinition {
  name: string
  /** True if a client may request this state. */
  settable: boolean
  /** Options of the request: `NOENTRY`, `LATCHKEY`, or a name not known yet. */
  options: string[]
  /** Possible values of a partition's `status`: `EXIT`, or a name not known yet. */
  statuses: string[]
  /** Names of the states that can be reached from this one. */
  transitions: string[]
}

/** The setup of a partition; its current state is in the status. */
export interface PanelPartition {
  /** -1 is the whole panel. */
  id: number
  active: boolean
  /** Seconds; null if the service leaves it out. */
  exit_delay_time: number | null
  /** A key of `state_sets`. */
  state_set: string
  name: string
}

/** The panel's own list of its features; null if it leaves one out. */
export interface PanelFeatures {
  video_on_demand: boolean | null
  alerts: boolean | null
  enabling_siren: boolean | null
  disabling_siren: boolean | null
  wi_fi_connection: boolean | null
  set_date_time: boolean | null
  outputs_setup: boolean | null
}

/** The setup of the panel (interface specification 2.5). */
export interface PanelInfo {
  serial: string
  model: string
  manufacturer: string
  /** Role of the user who is signed in; `master_user` was seen. */
  current_user: string
  /** State sets by name; `all` was seen, and `default` at the installer service (field fact). */
  state_sets: ReadonlyMap<string, StateDefinition[]>
  partitions: PanelPartition[]
  /** `manual_bypass` was seen; an open set. */
  bypass_mode: string
  /** Null if the service leaves it out, as for the next member. */
  local_wakeup_needed: boolean | null
  remote_switch_to_programming_mode_requires_user_acceptance: boolean | null
  features: PanelFeatures | null
}

const stateDefinition: Check<StateDefinition> = record({
  name: capitals,
  settable: flagOrFalse,
  options: capitalsList,
  statuses: capitalsList,
  transitions: capitalsList,
})

const wirePartition = record({
  id: partitionId,
  active: withDefault(flag, true),
  exit_delay_time: withDefault(number, null),
  exit_delay: withDefault(number, null),
  state_set: textOrEmpty,
  name: textOrEmpty,
})

// Field fact: the installer service uses exit_delay for the end-user service's exit_delay_time.
const panelPartition: Check<PanelPartition> = (value, tally) => {
  const checked = wirePartition(value, tally)
  if (checked === invalid) return invalid
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

/** Shared, because panels of one model have the same ones. */
const stateSets: Check<ReadonlyMap<string, StateDefinition[]>> = sharedObject(
  dictionary(withDefault(list(stateDefinition), [])),
  (sets) => JSON.stringify([...sets]),
)

/** The answer to GET /panel_info (interface specification 4.4). */
export const panelInfo: Check<PanelInfo> = record({
  serial: text,
  model: textOrEmpty,
  manufacturer: textOrEmpty,
  current_user: textOrEmpty,
  state_sets: withDefault(stateSets, new Map()),
  partitions: withDefault(list(panelPartition), []),
  bypass_mode: textOrEmpty,
  local_wakeup_needed: flagOrNull,
  remote_switch_to_programming_mode_requires_user_acceptance: flagOrNull,
  features: withDefault(panelFeatures, null),
})
