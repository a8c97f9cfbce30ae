import { KeyholderError } from '../../../service/error.ts'
import type { Device } from '../../../service/responses/devices.ts'
import { concerns } from '../../../service/responses/status.ts'
import { capitalized } from '../command.ts'
import { maxFollowTime } from '../command-result.ts'
import { type Situation, targets } from '../current-state.ts'
import { bypassRefusal, noteZonesOfRefusal } from '../preconditions.ts'
import { showsState } from '../proof.ts'
import { findZone, isBypassed, isOpenZone, shortTitle, zoneTitle } from '../zones.ts'
import { type BypassRecord, maxBypassed } from './bypass-records.ts'

/** Types of zones that also protect while the panel is disarmed: arming is no reason to leave them out. */
const alwaysOn: ReadonlySet<string> = new Set([
  'EMERGENCY',
  'FLOOD',
  'GAS',
  'H24_SILENT',
  'H24_AUDIBLE',
  'FIRE',
  'TEMPERATURE',
  'ARMING_KEY',
  'GUARD_KEYBOX',
  'TAMPER',
  'LINE_FAIL',
  'PSU_FAIL',
  'PANIC',
])

/**
 * Types of zones on the way in and out: one that is open is the door through which somebody is about to leave. Left out,
 * it would be the one door that anybody can open for as long as the panel is armed.
 */
const entryAndExit: ReadonlySet<string> = new Set(['DELAY_1', 'DELAY_2', 'HOME_DELAY', 'INTERIOR_DELAY'])

/**
 * Returns the open zones of partitions, which are bypassed in order to arm.
 * @param otherThanZones subtypes to which no zone type applies, by the panel's feature set
 * @throws KeyholderError NOT_SETTABLE if one of them must stay on or be closed, or if there are too many
 */
export function zonesToBypass(
  partitions: readonly { id: number }[],
  devices: readonly Device[],
  otherThanZones: readonly string[],
): Device[] {
  const open = devices.filter(
    (device) =>
      isOpenZone(device) &&
      !isBypassed(device) &&
      partitions.some(({ id }) => concerns(device.partitions, id)),
  )
  const doors = open.filter(({ zone_type }) => entryAndExit.has(zone_type ?? ''))
  if (doors.length > 0) throw mustBeClosed(doors)
  for (const zone of open) {
    const { device_number, zone_type } = zone
    const command = { action: 'bypass', zone: device_number as number, enabled: true } as const
    const refusal = alwaysOn.has(zone_type ?? '')
      ? new KeyholderError('NOT_SETTABLE', mustStayOn(zone))
      : bypassRefusal(command, devices, otherThanZones)
    if (refusal !== undefined) throw refusal
  }
  if (open.length <= maxBypassed) return open
  const sentence = `${open.length} zones are open, and the nodes bypass ${maxBypassed} at most. Close some of them.`
  throw new KeyholderError('NOT_SETTABLE', sentence)
}

function mustBeClosed(doors: readonly Device[]): KeyholderError {
  const [are, they] = doors.length === 1 ? ['is', 'It is a door'] : ['are', 'They are doors']
  const types = [...new Set(doors.map(({ zone_type }) => zone_type))].join(', ')
  const error = new KeyholderError(
    'NOT_SETTABLE',
    `${capitalized(doors.map(zoneTitle).join(', '))} ${are} open. ${they} through which people leave and enter (${types}), so the nodes do not bypass ${doors.length === 1 ? 'it' : 'them'} to arm the panel. Close ${doors.length === 1 ? 'the door' : 'the doors'}.`,
  )
  noteZonesOfRefusal(error, doors.map(shortTitle))
  return error
}

function mustStayOn(zone: Device): string {
  return `${zoneTitle(zone)} is open and must stay on, because its type is ${zone.zone_type}: the nodes do not bypass it to arm the panel. Close the zone.`
}

/** The next step for a record. */
export type Settlement =
  /** The panel is armed as commanded: the bypasses stay. */
  | 'armed'
  /** The panel is armed in another way, so that no bypass can be removed now. */
  | 'wait'
  /** The panel shows no arming, but the last step may still be under way. */
  | 'too early'
  | 'take back'
  /** The panel was disarmed, and the bypasses stay by the choice of the flow. */
  | 'forget'
  /** People have decided about the bypasses, or may have, while nobody watched. */
  | 'leave'

/**
 * Returns what is to be done about a record in this situation.
 * @param isFresh true while the panel may still carry the last step out, or the service may not show it yet
 */
export function settlementOf(
  { partition, state, phase, restore }: BypassRecord,
  now: Situation,
  isFresh: boolean,
): Settlement {
  const states = targets(now, partition).map((one) => one.state)
  if (phase === 'armed') {
    const isArmed = states.some((one) => one !== 'DISARM')
    if (!restore) return isArmed ? 'armed' : 'forget'
    if (isArmed && !states.includes('DISARM')) return 'armed'
    return isFresh ? 'too early' : 'take back'
  }
  if (phase === 'arming' && showsState({ partition, state }, now)) return 'armed'
  if (states.length > 0 && states.every(isArmedState)) return 'wait'
  return phase === 'arming' && isFresh ? 'too early' : 'take back'
}

/** The last step of a record, as far as it is known. */
interface LastStep {
  /** Milliseconds since it was done or, if it was interrupted, since it can no longer be done. */
  age: number
  /** True if nobody knows how it ended. */
  isInterrupted: boolean
  /** True if the panel was seen armed after it. */
  isSeenArmed: boolean
}

/**
 * Returns the milliseconds until the state of the panel shows what became of the last step of a record; 0 if it does.
 */
export function settlementDelay(
  { phase, restore }: BypassRecord,
  { age, isInterrupted, isSeenArmed }: LastStep,
): number {
  const isUnsure = isInterrupted || phase === 'arming' || (phase === 'armed' && restore && !isSeenArmed)
  return isUnsure ? Math.max(0, maxFollowTime - age) : 0
}

/**
 * Returns true if the panel does not let a bypass be removed now, because a partition of the zone is armed: the
 * recorded one, or another one that shares the zone.
 */
export function isHeld(
  zone: number,
  { partition }: BypassRecord,
  devices: readonly Device[],
  { partitions }: Situation,
): boolean {
  const ids = findZone(zone, devices)?.partitions ?? [partition]
  return partitions.some(({ id, state }) => concerns(ids, id) && isArmedState(state))
}

/**
 * Returns true if a zone is certainly not bypassed. A zone that is not listed, or without its traits, may be: the
 * service leaves out both now and then (field fact).
 */
export function isCertainlyIn(zone: number, devices: readonly Device[]): boolean {
  return findZone(zone, devices)?.traits.bypass?.enabled === false
}

function isArmedState(state: string): boolean {
  return state !== 'DISARM' && state !== 'UNKNOWN'
}
