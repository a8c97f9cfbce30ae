import { deviceSubtypes, subtypeFlags, zoneTypes } from '../../../service/catalogue/device-types.ts'
import type { Panel } from '../../world/panel.ts'

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
