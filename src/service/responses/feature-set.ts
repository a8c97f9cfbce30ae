import {
  type Check,
  flagOrNull,
  integerOrNull,
  integers,
  invalid,
  list,
  record,
  text,
  textOrEmpty,
  texts,
  withDefault,
} from '../schema.ts'
import { sharedObject } from '../shared-values.ts'

/** A feature that is on or off; null if the service leaves it out, as for all flags below. */
export interface Capability {
  is_enabled: boolean | null
}

/** The properties of devices of one subtype (interface specification 2.8). */
export interface DeviceTypeDescriptor {
  /** Three digits, or empty. */
  enrollment_prefix: string
  /** Subtype of the device: one of `deviceSubtypes`, or a name not known yet. */
  name: string
  /** True if it can be enrolled. */
  enroll: boolean | null
  /** True if it can be removed. */
  removing: boolean | null
  partitions_required: boolean | null
  users_required: boolean | null
  is_zone_type_applicable: boolean | null
}

/** The maximum number of partitions of the panel, and flags about their names. */
export interface PartitionFeatures extends Capability {
  is_labels_enabled: boolean | null
  is_labels_editable: boolean | null
  max_partitions: number | null
}

/** The devices and zone types that the panel supports. */
export interface DeviceFeatures extends Capability {
  is_enrollable: boolean | null
  devices: DeviceTypeDescriptor[]
  /** Members of `zoneTypes`, or names not known yet. */
  zone_types: string[]
  video_on_demand: boolean | null
}

/** The supported operations on outputs. */
export interface HomeAutomationFeatures extends Capability {
  enabling: boolean | null
  disabling: boolean | null
  toggling: boolean | null
  setting: boolean | null
}

/** The lists of faults that the panel keeps. */
export interface FaultFeatures extends Capability {
  has_alarms: boolean | null
  has_alerts: boolean | null
  has_troubles: boolean | null
}

/** The properties of panel users that can be changed. */
export interface UserFeatures {
  /**
   * `UEF_CODE`, `UEF_ROLE`, `UEF_PARTITIONS`, `UEF_LABEL`, `UEF_CREATE_USER`, `UEF_REMOVE_USER`; an open set.
   */
  editable_features: string[]
  /** The possible numbers of digits of a user code. */
  code_length: number[]
}

/**
 * The features that the panel supports (interface specification 2.7). A member is null if the service leaves
 * it out, as it does for panels of the second family (field fact).
 */
export interface FeatureSet {
  events: Capability | null
  datetime: Capability | null
  partitions: PartitionFeatures | null
  sirens: { can_enable: boolean | null; can_disable: boolean | null } | null
  devices: DeviceFeatures | null
  home_automation_devices: HomeAutomationFeatures | null
  /** The flags for reading and requesting the arming state. */
  state: (Capability & { can_set: boolean | null; can_get: boolean | null }) | null
  faults: FaultFeatures | null
  diagnostic: Capability | null
  wifi: Capability | null
  locations: Capability | null
  user: UserFeatures | null
  emergency: (Capability & { is_support_specified_partitions: boolean | null }) | null
}

const capability = { is_enabled: flagOrNull }
const plain: Check<Capability | null> = withDefault(record(capability), null)

const deviceType: Check<DeviceTypeDescriptor> = record({
  enrollment_prefix: textOrEmpty,
  name: text,
  enroll: flagOrNull,
  removing: flagOrNull,
  partitions_required: flagOrNull,
  users_required: flagOrNull,
  is_zone_type_applicable: flagOrNull,
})

const partitions: Check<PartitionFeatures> = record({
  ...capability,
  is_labels_enabled: flagOrNull,
  is_labels_editable: flagOrNull,
  max_partitions: integerOrNull,
})

const devices: Check<DeviceFeatures> = record({
  ...capability,
  is_enrollable: flagOrNull,
  devices: withDefault(list(deviceType), []),
  zone_types: texts,
  video_on_demand: flagOrNull,
})

const homeAutomation: Check<HomeAutomationFeatures> = record({
  ...capability,
  enabling: flagOrNull,
  disabling: flagOrNull,
  toggling: flagOrNull,
  setting: flagOrNull,
})

const faults: Check<FaultFeatures> = record({
  ...capability,
  has_alarms: flagOrNull,
  has_alerts: flagOrNull,
  has_troubles: flagOrNull,
})

const user: Check<UserFeatures> = record({ editable_features: texts, code_length: integers })

/** The answer to GET /feature_set (interface specification 4.5). */
export const featureSet: Check<FeatureSet> = record({
  events: plain,
  datetime: plain,
  partitions: withDefault(partitions, null),
  sirens: withDefault(record({ can_enable: flagOrNull, can_disable: flagOrNull }), null),
  devices: withDefault(devices, null),
  home_automation_devices: withDefault(homeAutomation, null),
  state: withDefault(record({ ...capability, can_set: flagOrNull, can_get: flagOrNull }), null),
  faults: withDefault(faults, null),
  diagnostic: plain,
  wifi: plain,
  locations: plain,
  user: withDefault(user, null),
  emergency: withDefault(record({ ...capability, is_support_specified_partitions: flagOrNull }), null),
})

/**
 * The part of the panel's feature set that the nodes use (interface specification 2.7): only a clear no, or a
 * limit, holds anything back. A member that the service leaves out holds nothing back.
 */
export interface PanelLimits {
  /** False if the service refuses to set the arming state, or does not report it. */
  setsState: boolean
  readsState: boolean
  /** False if the panel has no list of alarms, or no list of events. */
  listsAlarms: boolean
  listsEvents: boolean
  /** False if the panel has no list of devices. */
  listsDevices: boolean
  /** True only if the panel says so: nobody else needs these lists. */
  listsTroubles: boolean
  listsAlerts: boolean
  turnsSirenOn: boolean
  turnsSirenOff: boolean
  /** Infinity if the panel does not say. */
  maxPartitions: number
  /** The possible lengths of a user code; empty if the panel does not say. */
  codeLengths: readonly number[]
  /** The subtypes of devices to which no zone type applies. */
  otherThanZones: readonly string[]
}

/** The limits of a panel whose feature set is not known: none. */
export const noLimits: PanelLimits = {
  setsState: true,
  readsState: true,
  listsAlarms: true,
  listsEvents: true,
  listsDevices: true,
  listsTroubles: false,
  listsAlerts: false,
  turnsSirenOn: true,
  turnsSirenOff: true,
  maxPartitions: Number.POSITIVE_INFINITY,
  codeLengths: [],
  otherThanZones: [],
}

/** Returns the limits that a feature set tells. */
function limitsOf({ state, faults, events, sirens, partitions, user, devices }: FeatureSet): PanelLimits {
  const { max_partitions = null } = partitions ?? {}
  const rows = devices?.devices ?? []
  return {
    setsState: state?.is_enabled !== false && state?.can_set !== false,
    readsState: state?.is_enabled !== false && state?.can_get !== false,
    listsAlarms: faults?.is_enabled !== false && faults?.has_alarms !== false,
    listsEvents: events?.is_enabled !== false,
    listsDevices: devices?.is_enabled !== false,
    listsTroubles: faults?.is_enabled !== false && faults?.has_troubles === true,
    listsAlerts: faults?.is_enabled !== false && faults?.has_alerts === true,
    turnsSirenOn: sirens?.can_enable !== false,
    turnsSirenOff: sirens?.can_disable !== false,
    // A panel without partitions may say 0; its only partition is the whole panel.
    maxPartitions: max_partitions === null || max_partitions < 1 ? Number.POSITIVE_INFINITY : max_partitions,
    codeLengths: user?.code_length ?? [],
    otherThanZones: rows
      .filter(({ is_zone_type_applicable }) => is_zone_type_applicable === false)
      .map(({ name }) => name),
  }
}

const limits: Check<PanelLimits> = (value, tally) => {
  const checked = featureSet(value, tally)
  return checked === invalid ? invalid : limitsOf(checked)
}

/**
 * The answer to GET /feature_set, reduced to the limits, which panels of one model share: the rest of this long answer
 * is not kept in memory. It is by query only.
 */
export const panelLimits = sharedObject(limits, (one) => JSON.stringify(one))
