import type { ClockEpoch } from '../../clock.ts'
import { day, minute } from '../../duration.ts'
import { concerns } from '../../service/responses/status.ts'

/**
 * The facts that answers about a panel show of alarms that no event ends. A disarm can have an event that nobody knows, or none in
 * the list. Times are milliseconds of the monotonic clock.
 */
export interface AlarmEvidence {
  /** True if the service has no list of alarms, and reaches the panel: time ends then what nothing else does. */
  readonly timeEnds: boolean
  /** True if the service has a list of alarms that cannot be read now: what it would not show puts no partition in alarm. */
  readonly isListLost?: boolean
  /**
   * The time of the request for the earlier one of the latest two separate, complete lists of alarms in a row; undefined if two
   * do not agree. An alarm that neither of them shows did not run then.
   */
  readonly agreedAt: number | undefined
  /** By the service's own word, which is that of before during an alarm. Without a status, as the events tell them. */
  readonly partitions: readonly { readonly id: number; readonly state: string }[]
  /** By partition, the latest known disarm: the first of two answers that show it disarmed after it was armed. */
  readonly disarms: ReadonlyMap<number, Arrival>
  /** The partitions that answers show armed of a panel that does not report it: else the events tell more exactly when. */
  readonly armings: readonly ShownArming[]
  /** The milliseconds since 1970 at which the monotonic clock was 0, as this machine's clock was at the answer. */
  readonly epoch: number
  /** The epochs since this process began to read the panel, the present one last: the clock may have been set since. */
  readonly epochs: readonly ClockEpoch[]
}

/** The arrival of an answer. */
export interface Arrival {
  /** Milliseconds of the monotonic clock. */
  readonly at: number
  /** Milliseconds since 1970, by this machine's clock then: it may have been set since. */
  readonly wall: number
}

/** The facts that answers without a status and a list of alarms show. */
export const noEvidence: AlarmEvidence = {
  timeEnds: false,
  agreedAt: undefined,
  partitions: [],
  disarms: new Map(),
  armings: [],
  epoch: 0,
  epochs: [],
}

/** An alarm of the events that no event has ended. Times are milliseconds since 1970. */
export interface UnendedAlarm {
  /** By the panel's clock; null if the event has no valid time. */
  readonly time: number | null
  /** The time by this machine's clock, as it is now, at which it was known. */
  readonly knownAt: number
  /**
   * The time by this machine's clock, as it is now, at which the latest arming or disarming before it was known, if that is a disarm; null
   * for an arming, and if none is known.
   */
  readonly disarmKnownAt: number | null
  /** Empty means the whole panel. */
  readonly partitions: readonly number[]
  /** True if the list of alarms shows alarms of its type. */
  readonly isOfList: boolean
}

/**
 * A partition that answers show armed, and the time by this machine's clock since which it may be: milliseconds since 1970.
 */
export interface ShownArming {
  readonly id: number
  readonly since: number
}

/** @param epoch the milliseconds since 1970 at which the monotonic clock was 0 */
export function shownArmings(armings: ReadonlyMap<number, Arrival>, epoch: number): ShownArming[] {
  // A clock that was put forward since makes nothing later.
  return [...armings].map(([id, { at, wall }]) => ({ id, since: Math.floor(Math.min(epoch + at, wall)) }))
}

/**
 * Returns true if answers show that a partition of a restore was armed when it became known: then it ends no alarm.
 * @param partitions those of the restore; empty means the whole panel
 * @param knownAt milliseconds since 1970
 */
export function isShownArmed(
  partitions: readonly number[],
  knownAt: number,
  armings: readonly ShownArming[],
): boolean {
  return armings.some(({ id, since }) => concerns(partitions, id) && since <= knownAt)
}

/** Milliseconds by which an event and the list that shows its effect can become known after each other. */
export const maxDelay = 5 * minute

/** Milliseconds after which an alarm is over that no list would show, and that nothing else ends. */
const maxAge = day

/** States in which a panel watches nothing that a burglar could end. In all others a partition is armed, in a delay or in an alarm. */
export const unarmedStates: ReadonlySet<string> = new Set([
  'DISARM',
  'PROGRAMMING',
  'NOTREADY',
  'UNKNOWN',
  '',
])

/**
 * Returns true if the answers show that an alarm is over: its partition was disarmed since, or two lists do not show it that
 * were asked for some minutes after it was known. Without a list that would show it, it ends after a day if its partitions are
 * not armed.
 * @param now milliseconds since 1970
 */
export function isOverByAnswers(
  alarm: UnendedAlarm,
  { timeEnds, agreedAt, partitions, disarms, epoch }: AlarmEvidence,
  now: number,
): boolean {
  const own = partitions.filter(({ id }) => concerns(alarm.partitions, id))
  const isDisarmed = own.some(({ id, state }) => {
    const disarm = disarms.get(id)
    if (disarm === undefined) return false
    const disarmedAt = epoch + disarm.at
    return !isAfter(alarm, disarmedAt) && wasBefore(alarm, disarmedAt, unarmedStates.has(state))
  })
  if (isDisarmed) return true
  const { knownAt, isOfList } = alarm
  if (agreedAt !== undefined && knownAt + (isOfList ? maxDelay : maxAge) <= epoch + agreedAt) return true
  const isUnarmed = own.length > 0 && own.every(({ state }) => unarmedStates.has(state))
  return timeEnds && isUnarmed && knownAt + maxAge <= now
}

/** Returns true for an alarm that came after a disarm by the events: the answers may show that disarm only later. */
function isAfter({ disarmKnownAt }: UnendedAlarm, disarmedAt: number): boolean {
  return disarmKnownAt !== null && Math.abs(disarmedAt - disarmKnownAt) <= maxDelay
}

/**
 * Returns true for an alarm that was known before a disarm, or soon after it with an earlier time. In a partition that is armed
 * again it may be a new one: the clock of the panel may be behind.
 */
function wasBefore({ time, knownAt }: UnendedAlarm, disarmedAt: number, isStillDisarmed: boolean): boolean {
  if (knownAt <= disarmedAt) return true
  return isStillDisarmed && time !== null && time <= disarmedAt && knownAt - disarmedAt <= maxDelay
}
