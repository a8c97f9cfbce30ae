import type { Panel, PanelPlan } from '../../world/panel.ts'
import { listUsers } from '../../world/users.ts'

const features = {
  video_on_demand: false,
  alerts: true,
  enabling_siren: true,
  disabling_siren: true,
  wi_fi_connection: false,
  set_date_time: true,
  outputs_setup: true,
}

/** GET panel_info (interface specification 2.5) for the user who opened the session. */
export function panelInfo({ plan }: Panel, user: string) {
  const isMaster = listUsers(plan).some((person) => person.name === user && person.isMaster)
  return {
    serial: plan.serial,
    model: plan.model,
    manufacturer: 'Keyholder',
    current_user: isMaster ? 'master_user' : 'user',
    state_sets: { all: statesOf(plan) },
    partitions: listPartitions(plan).map(({ id, name, exitDelay }) => ({
      id,
      active: true,
      exit_delay_time: exitDelay,
      state_set: 'all',
      name,
    })),
    bypass_mode: 'manual_bypass',
    local_wakeup_needed: false,
    remote_switch_to_programming_mode_requires_user_acceptance: true,
    features,
  }
}

/** GET panel_info for the installer (field fact): other names, null for empty lists, and the firmware. */
export function installerPanelInfo({ plan }: Panel) {
  return {
    name: plan.alias,
    serial: plan.serial,
    model: plan.model,
    manufacturer: 'Keyholder',
    current_user: 'INSTALLER',
    bypass_mode: 'manual_bypass',
    local_wakeup_needed: false,
    remote_switch_to_programming_mode_requires_user_acceptance: true,
    state_sets: {
      default: null,
      all: statesOf(plan).map((state) => ({
        ...state,
        options: nullIfEmpty(state.options),
        statuses: nullIfEmpty(state.statuses),
        transitions: nullIfEmpty(state.transitions),
      })),
    },
    partitions: listPartitions(plan).map(({ id, name, exitDelay }) => ({
      id,
      name,
      active: true,
      exit_delay: exitDelay,
      state_set: 'all',
    })),
    firmware: {
      panel_hw_version: plan.model,
      panel_sw_version: panelFirmware,
      panel_sw_last_upgraded: '',
      powerlink_hw_version: 'simulated',
      powerlink_sw_version: moduleFirmware,
      powerlink_sw_last_upgraded: '',
    },
    features: { ...features, gsm_rssi_level_on_request: false },
  }
}

/** Firmware of all simulated panels. */
export const panelFirmware = '20.214'

/** Firmware of all network modules. */
export const moduleFirmware = '7.5.58'

/** With partitions, -1 "ALL" comes before 1..n (field fact). */
function listPartitions({
  partitions,
}: PanelPlan): readonly { id: number; name: string; exitDelay: number }[] {
  const longest = Math.max(...partitions.map(({ exitDelay }) => exitDelay))
  return [{ id: -1, name: 'ALL', exitDelay: longest }, ...partitions.filter(({ id }) => id !== -1)]
}

/** All partitions of a panel have the same states. */
function statesOf({ partitions: [partition] }: PanelPlan) {
  return partition?.states ?? []
}

function nullIfEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null
}
