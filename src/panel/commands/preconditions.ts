import { KeyholderError } from '../../service/error.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { PanelLimits } from '../../service/responses/feature-set.ts'
import type { PanelFeatures, StateDefinition } from '../../service/responses/panel-info.ts'
import { isSettable, mayFollow, wholePanel } from '../../service/responses/status.ts'
import { hasZoneNumber, hazardOf, zoneTitle } from '../devices/device.ts'
import { type Bypass, type Command, capitalized, isCommon, type SetState, type Siren } from './command.ts'
import {
  describePartition,
  describeState,
  type PartitionSituation,
  type Situation,
  targets,
} from './current-state.ts'
import { type OpenEffect, statesBrought } from './open-effects.ts'

/**
 * Returns an error if the service does not reach the panel: it would accept a command that is never executed.
 */
export function onlineRefusal({ online }: Situation): KeyholderError | undefined {
  if (online !== false) return undefined
  return new KeyholderError(
    'PANEL_OFFLINE',
    'The service cannot reach the panel, so nothing was sent. Check the internet connection of the panel, then send the command again.',
  )
}

/**
 * Returns the reason why a state cannot be requested now; undefined if it can (interface specification 3,
 * rules 1 and 2). For the whole panel, all partitions must allow it. Readiness is checked separately, see
 * `unreadyPartitions`.
 *
 * A rule decides only where the setup of the panel speaks: about a state that it does not define, the panel decides. Each
 * state counts in which a partition may be by now, although the answer does not show it.
 * @param open the effects of earlier commands that the answer has not shown
 */
export function stateRefusal(
  { partition, state, options }: SetState,
  situation: Situation,
  open: readonly OpenEffect[],
): KeyholderError | undefined {
  const partitions = targets(situation, partition)
  const isDisarm = state === 'DISARM'
  if (partitions.length === 0) {
    // One status may lack a partition that the panel has.
    const isCertain = situation.defined.length > 0 && !situation.defined.includes(partition)
    return isDisarm && !isCertain ? undefined : partitionUnknown(partition, situation)
  }
  const unknown = partitions.find(({ definitions }) => !definitions.some(({ name }) => name === state))
  if (unknown !== undefined && !isCommon(state)) {
    const there = settableStates(unknown.definitions)
    const sentence = `${state} is not a known state of ${describePartition(unknown)}. Possible: ${list(there)}.`
    return new KeyholderError('BAD_SETTING', sentence)
  }
  const unsettable = partitions.find(({ definitions }) => {
    const isSilent = isDisarm ? !definitions.some(({ name }) => name === state) : definitions.length === 0
    return !isSilent && !isSettable(definitions, state)
  })
  if (unsettable !== undefined) {
    const there = settableStates(unsettable.definitions)
    const sentence = `${state} is not possible for ${describePartition(unsettable)}. Possible: ${list(there)}.`
    return new KeyholderError('NOT_SETTABLE', sentence)
  }
  // What shows may be over, so the panel decides about a disarm.
  const held = isDisarm ? undefined : partitions.find((one) => !mayLeadTo(state, one, open))
  if (held !== undefined) return transitionRefusal(state, held, partitions)
  for (const one of partitions) {
    const definition = one.definitions.find(({ name }) => name === state)
    const foreign = options.find((option) => definition?.options.includes(option) === false)
    if (definition === undefined || foreign === undefined) continue
    const sentence = `${describePartition(one)} does not have the option "${foreign}" for ${state}. Possible: ${list(definition.options)}.`
    return new KeyholderError('BAD_SETTING', sentence)
  }
  return undefined
}

function partitionUnknown(partition: number, { partitions }: Situation): KeyholderError {
  const known = partitions.map(({ id, name }) => (name === '' ? `${id}` : `${id} (${name})`))
  const sentence = partitions.some(({ id }) => id === wholePanel)
    ? `The panel has no partition ${partition}, because it has no partitions. Use ${wholePanel}, the whole panel.`
    : `The panel has no partition ${partition}. It has: ${known.join(', ')}.`
  return new KeyholderError('BAD_SETTING', sentence)
}

/** Returns true if a state can follow one in which a partition may be, as far as the setup of the panel tells. */
function mayLeadTo(
  state: string,
  { id, state: shown, definitions }: PartitionSituation,
  open: readonly OpenEffect[],
): boolean {
  const states = [shown, ...statesBrought(open, id)]
  return states.some((one) => mayFollow(definitions, one, state))
}

function transitionRefusal(
  state: string,
  elsewhere: PartitionSituation,
  partitions: readonly PartitionSituation[],
): KeyholderError {
  const isThere = elsewhere.state === state
  const others = partitions.filter((one) => one.state !== state)
  if (isThere && others.length > 0) {
    const sentence = `The command ${state} for the whole panel was not sent, because ${describePartition(elsewhere)} is already ${describeState(elsewhere)}. Send it to each of the others alone: ${others.map(describePartition).join(', ')}.`
    return new KeyholderError('INVALID_TRANSITION', sentence)
  }
  const now = `${describePartition(elsewhere)} is ${isThere ? 'already ' : ''}${describeState(elsewhere)}`
  const next =
    elsewhere.settable.length === 0
      ? 'Wait until that changes.'
      : `Possible now: ${list(elsewhere.settable)}.`
  const sentence = isThere
    ? `${capitalized(now)}, so nothing was sent.`
    : `${state} is not possible now, because ${now}.`
  return new KeyholderError('INVALID_TRANSITION', `${sentence} ${next}`)
}

/** Returns the partitions that are not ready for the command; a disarm does not need them to be ready. */
export function unreadyPartitions(
  { partition, state }: SetState,
  situation: Situation,
): readonly PartitionSituation[] {
  return state === 'DISARM' ? [] : targets(situation, partition).filter(({ ready }) => ready === false)
}

/**
 * Returns the reason why a zone cannot be bypassed; undefined if it can.
 * @param otherThanZones subtypes to which no zone type applies, by the panel's feature set
 */
export function bypassRefusal(
  { zone }: Bypass,
  devices: readonly Device[],
  otherThanZones: readonly string[],
): KeyholderError | undefined {
  const zones = devices.filter(hasZoneNumber)
  const meantZone = zones.find(({ device_number }) => device_number === zone)
  if (meantZone === undefined) {
    const sentence = `The panel has no zone ${zone}. It has: ${list(zones.map(zoneTitle))}.`
    return new KeyholderError('BAD_SETTING', sentence)
  }
  if (meantZone.traits.bypass !== null && !otherThanZones.includes(meantZone.subtype)) return undefined
  return new KeyholderError(
    'NOT_SETTABLE',
    `The panel does not allow a bypass of ${zoneTitle(meantZone)}.${hazardOf(meantZone) ? '' : ' Close the zone instead.'}`,
  )
}

/** Returns the reason why a siren command cannot be sent; undefined if it can, or if the panel does not say. */
export function sirenRefusal({ action }: Siren, features: PanelFeatures | null): KeyholderError | undefined {
  const offered = action === 'siren_on' ? features?.enabling_siren : features?.disabling_siren
  return offered === false ? sirenError({ action }) : undefined
}

function settableStates(definitions: readonly StateDefinition[]): string[] {
  return definitions.filter(({ settable }) => settable).map(({ name }) => name)
}

function list(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.join(', ')
}

/** The only known mode in which a zone can be bypassed by a command (interface specification 2.5). */
const manualBypass = 'manual_bypass'

/** The mode in which the panel arms past open zones by itself (makers' guides, "force arm": D-303222 p. 46 and 78). */
const forceArm = 'force_arm'

/** Returns true for the bypass mode of a panel that leaves out by itself what is open at the end of the exit delay. */
export function isForceArm(mode: string): boolean {
  return mode.toLowerCase() === forceArm
}

/**
 * Returns the reason why the panel's feature set rules a command out; undefined if it does not, or does not say.
 */
export function featureRefusal(command: Command, limits: PanelLimits): KeyholderError | undefined {
  switch (command.action) {
    case 'set_state': {
      if (limits.setsState) return undefined
      return lacks('By its feature set, this panel can be armed and disarmed only at the panel itself.')
    }
    case 'bypass':
      return undefined
    default: {
      const isPossible = command.action === 'siren_on' ? limits.turnsSirenOn : limits.turnsSirenOff
      return isPossible ? undefined : sirenError(command)
    }
  }
}

/** Returns the reason why a partition is beyond the panel's limit (8.2); undefined if it is not. */
export function partitionRefusal(
  partition: number,
  { maxPartitions }: PanelLimits,
): KeyholderError | undefined {
  if (partition <= maxPartitions) return undefined
  const sentence = `By its feature set, the panel has ${maxPartitions} partitions at most, so partition ${partition} cannot be set. Choose another one, or -1 for the whole panel.`
  return new KeyholderError('BAD_SETTING', sentence)
}

/**
 * Returns the reason why no zone of the panel can be bypassed by a command; undefined if one can, or if the panel
 * does not name its mode. A bypass can be removed in any mode.
 */
export function bypassModeRefusal(mode: string, isEnabled: boolean): KeyholderError | undefined {
  if (!isEnabled || mode === '' || mode.toLowerCase() === manualBypass) return undefined
  const shown = /^\w{1,40}$/.test(mode) ? ` is "${mode}"` : ' is another one'
  const remedy = isForceArm(mode)
    ? `To arm past open zones, ${chooseBypass}.`
    : 'Ask your installer to change it.'
  return lacks(
    `Zones can be bypassed only in the bypass mode "${manualBypass}", and that of this panel${shown}. ${remedy}`,
  )
}

/** The way to arm a panel in the mode force arm past open zones, for a sentence. */
export const chooseBypass =
  'choose "Bypass them and arm" as "Open zones" in the node, or send payload.openZones "bypass"'

/** Returns the error for a siren command that the panel has no function for; the user's rights are not the cause. */
function sirenError({ action }: Siren): KeyholderError {
  return lacks(
    `The siren of this panel cannot be turned ${action === 'siren_on' ? 'on' : 'off'} from a flow.`,
  )
}

/** Returns the error for a function that the panel does not have. */
function lacks(sentence: string): KeyholderError {
  return new KeyholderError('NOT_SETTABLE', sentence)
}
