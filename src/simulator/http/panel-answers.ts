import type { Panel } from '../world/panel.ts'
import { stateSet } from '../world/partition.ts'
import { customization } from './customization.ts'

/** GET panels (interface specification 2.4); model and type came with version 14 (field fact). */
export function panelList(panels: readonly Panel[], version: number) {
  return panels.map(({ plan }) => ({
    panel_serial: plan.serial,
    alias: plan.alias,
    role: 'MASTER_USER',
    ...(version >= 10 ? { customization } : {}),
    ...(version >= 14 ? { panel_model: plan.model, type: 'SIMULATED' } : {}),
  }))
}

/** GET panel_info (interface specification 2.5): with partitions, -1 "ALL" stands before 1..n (field fact). */
export function panelInfo({ plan }: Panel) {
  const longest = Math.max(...plan.partitions.map(({ exitDelay }) => exitDelay))
  const whole = { id: -1, name: 'ALL', exitDelay: longest }
  const parts = plan.partitions.filter(({ id }) => id !== -1)
  return {
    serial: plan.serial,
    model: plan.model,
    manufacturer: 'Keyholder',
    current_user: 'master_user',
    state_sets: { all: stateSet },
    partitions: [whole, ...parts].map(({ id, name, exitDelay }) => ({
      id,
      active: true,
      exit_delay_time: exitDelay,
      state_set: 'all',
      name,
    })),
    bypass_mode: 'manual_bypass',
    local_wakeup_needed: false,
    remote_switch_to_programming_mode_requires_user_acceptance: true,
    features: {
      video_on_demand: false,
      alerts: true,
      enabling_siren: true,
      disabling_siren: true,
      wi_fi_connection: false,
      set_date_time: true,
      outputs_setup: true,
    },
  }
}

/** GET status (field fact: where every client reads the arming state). */
export function status(panel: Panel) {
  return {
    connected: panel.connected,
    connected_status: {
      bba: { is_connected: panel.connected, state: panel.online ? 'online' : 'offline' },
      gprs: { is_connected: false, state: null },
    },
    discovery: { completed: true, stages: 11, in_queue: 0, triggered: null },
    partitions: panel.report().partitions,
    rssi: { level: 'ok', network: 'Unknown' },
  }
}

/** GET events, shape A (interface specification 2.12); before version 10 `zone_name` was `name` (field fact). */
export function eventList(panel: Panel, version: number, order: 'oldest-first' | 'newest-first') {
  const events = order === 'oldest-first' ? panel.events : [...panel.events].reverse()
  if (version >= 10) return events
  return events.map(({ zone_name, ...event }) => ({ ...event, name: zone_name }))
}
