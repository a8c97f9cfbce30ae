import { type Check, invalid } from '../schema.ts'
import { sharedObject } from '../shared-values.ts'
import { type FeatureSet, featureSet } from './feature-set.ts'

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
  turnsSirenOn: true,
  turnsSirenOff: true,
  maxPartitions: Number.POSITIVE_INFINITY,
  codeLengths: [],
  otherThanZones: [],
}

/** Returns the limits that a feature set tells. */
export function limitsOf({
  state,
  faults,
  events,
  sirens,
  partitions,
  user,
  devices,
}: FeatureSet): PanelLimits {
  const { max_partitions = null } = partitions ?? {}
  const rows = devices?.devices ?? []
  return {
    setsState: state?.is_enabled !== false && state?.can_set !== false,
    readsState: state?.is_enabled !== false && state?.can_get !== false,
    listsAlarms: faults?.is_enabled !== false && faults?.has_alarms !== false,
    listsEvents: events?.is_enabled !== false,
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
