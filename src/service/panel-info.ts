import { type Check, dictionary, flag, integer, list, number, or, record, text } from './check.ts'

/** One arming state and what may follow it (interface specification 2.6 and 3). */
export interface StateDefinition {
  name: string
  /** Whether a client may request this state. */
  settable: boolean
  options: string[]
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
  current_user: string
  state_sets: Map<string, StateDefinition[]>
  partitions: PanelPartition[]
  bypass_mode: string
  features: PanelFeatures | null
}

interface WirePartition extends PanelPartition {
  exit_delay: number | null
}

const words = or(list(text), [])
const said = or(flag, null)

const stateDefinition: Check<StateDefinition> = record({
  name: text,
  settable: or(flag, false),
  options: words,
  statuses: words,
  transitions: words,
})

const wirePartition: Check<WirePartition> = record({
  id: integer,
  active: or(flag, true),
  exit_delay_time: or(number, null),
  exit_delay: or(number, null),
  state_set: or(text, ''),
  name: or(text, ''),
})

// Field fact: the installer service writes exit_delay where the end-user service writes exit_delay_time.
const panelPartition: Check<PanelPartition> = (value, tally) => {
  const checked = wirePartition(value, tally)
  if (typeof checked === 'symbol') return checked
  const { exit_delay, ...partition } = checked
  partition.exit_delay_time ??= exit_delay
  return partition
}

const panelFeatures: Check<PanelFeatures> = record({
  video_on_demand: said,
  alerts: said,
  enabling_siren: said,
  disabling_siren: said,
  wi_fi_connection: said,
  set_date_time: said,
  outputs_setup: said,
})

/** The answer to GET /panel_info (interface specification 4.4). */
export const panelInfo: Check<PanelInfo> = record({
  serial: text,
  model: or(text, ''),
  manufacturer: or(text, ''),
  current_user: or(text, ''),
  state_sets: or(dictionary(or(list(stateDefinition), [])), new Map()),
  partitions: or(list(panelPartition), []),
  bypass_mode: or(text, ''),
  features: or(panelFeatures, null),
})
