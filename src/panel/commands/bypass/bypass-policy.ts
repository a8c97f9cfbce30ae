import type { Device } from '../../../service/responses/devices.ts'
import { concerns } from '../../../service/responses/status.ts'
import { isZone } from '../blocking-zones.ts'
import { maxFollowTime } from '../command-progress.ts'
import { showsState } from '../command-result.ts'
import { type Situation, targets } from '../current-state.ts'
import type { BypassRecord } from './bypass-records.ts'

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
export interface LastStep {
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

/** Returns the zone with this number; undefined if it is not listed. */
export function findZone(zone: number, devices: readonly Device[]): Device | undefined {
  return devices.find((device) => isZone(device) && device.device_number === zone)
}

function isArmedState(state: string): boolean {
  return state !== 'DISARM' && state !== 'UNKNOWN'
}
