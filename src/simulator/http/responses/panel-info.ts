import { deviceSubtypes, subtypeFlags, zoneTypes } from '../../../service/catalogue/device-types.ts'
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

/** The words of the service for the bypass modes. */
const bypassModes = { none: 'no_bypass', manual: 'manual_bypass', 'force-arm': 'force_arm' } as const

/** GET panel_info (interface specification 2.5) for the user who opened the session. */
export function panelInfo({ plan, options }: Panel, user: string) {
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
    bypass_mode: bypassModes[options.bypassMode],
    local_wakeup_needed: false,
    remote_switch_to_programming_mode_requires_user_acceptance: true,
    features,
  }
}

/** GET panel_info for the installer (field fact): other names, null for empty lists, and the firmware. */
export function installerPanelInfo({ plan, options }: Panel) {
  return {
    name: plan.alias,
    serial: plan.serial,
    model: plan.model,
    manufacturer: 'Keyholder',
    current_user: 'INSTALLER',
    bypass_mode: bypassModes[options.bypassMode],
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

/** The subtypes that a panel supports (interface specification 2.8). */
const supportedSubtypes = [...deviceSubtypes.values()].filter(({ specified }) => specified)
const subtypeRows = supportedSubtypes.map(({ enrollment_prefix, name, group }) => ({
  enrollment_prefix,
  name,
  ...subtypeFlags[group],
}))

/** GET feature_set (interface specification 2.7). */
export function featureSet({ plan }: Panel) {
  const partitioned = plan.partitions.length > 1
  return {
    events: { is_enabled: true },
    datetime: { is_enabled: true },
    partitions: {
      is_enabled: partitioned,
      is_labels_enabled: partitioned,
      is_labels_editable: true,
      max_partitions: 3,
    },
    sirens: { can_enable: true, can_disable: true },
    devices: {
      is_enabled: true,
      is_enrollable: true,
      devices: subtypeRows,
      zone_types: zoneTypes,
      video_on_demand: false,
    },
    home_automation_devices: {
      is_enabled: true,
      enabling: true,
      disabling: true,
      toggling: true,
      setting: false,
    },
    state: { is_enabled: true, can_set: true, can_get: true },
    faults: { is_enabled: true, has_alarms: true, has_alerts: true, has_troubles: true },
    diagnostic: { is_enabled: true },
    wifi: { is_enabled: false },
    locations: { is_enabled: true },
    user: {
      editable_features: [
        'UEF_CODE',
        'UEF_ROLE',
        'UEF_PARTITIONS',
        'UEF_LABEL',
        'UEF_CREATE_USER',
        'UEF_REMOVE_USER',
      ],
      code_length: [4],
    },
    emergency: { is_enabled: true, is_support_specified_partitions: partitioned },
  }
}

/** GET feature_set for the installer (field fact): with additional features for servicing the panel. */
export function installerFeatureSet(panel: Panel) {
  return {
    ...featureSet(panel),
    walktest: { state: 'AVAILABLE' },
    logs: { is_enabled: true, types: ['STANDARD'] },
    configuration: {
      is_enabled: true,
      family: 'simulated_*',
      is_downloadable: true,
      is_uploadable: false,
      is_basic_available: true,
    },
    rssi: { gsm: false, devices: true },
    discovery: { is_discoverable: true, force_discovery: false },
    remote_inspections: { is_enabled: true },
  }
}
