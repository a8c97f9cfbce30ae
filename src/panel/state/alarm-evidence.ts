import { day, minute } from '../../duration.ts'
import { concerns } from '../../service/responses/status.ts'

/**
 * What the answers about a panel show of alarms that no event ends. A disarm can have an event that nobody knows, or none in
 * the list. Times are milliseconds since 1970.
 */
export interface AlarmEvidence {
  /** True if the service has no list of alarms, and reaches the panel: time ends then what nothing else does. */
  readonly timeEnds: boolean
  /**
   * The time of the request for the earlier one of the latest two separate, complete lists of alarms in a row; null if two do
   * not agree. An alarm that neither of them shows did not run then.
   */
  readonly agreedAt: number | null
  readonly partitions: readonly KnownPartition[]
}

/** A partition as the status tells it. Without a status, as the events tell it. */
export interface KnownPartition {
  readonly id: number
  /** The service's own word: during an alarm it is that of before. */
  readonly state: string
  /**
   * The arrival of the first one of two answers that show the partition disarmed after it was armed; null if none have. It
   * is a known disarm.
   */
  readonly disarmedAt: number | null
}

/** An alarm of the events that no event has ended. */
export interface UnendedAlarm {
  /** Milliseconds since 1970 of the panel's clock; null if the event has no valid time. */
  readonly time: number | null
  /** Milliseconds since 1970 of this machine's clock at which it was known. */
  readonly knownAt: number
  /** Empty means the whole panel. */
  readonly partitions: readonly number[]
  /** True if the list of alarms shows alarms of its type. */
  readonly isOfList: boolean
}

/** Milliseconds by which an event and the list that shows its effect can become known after each other. */
export const maxDelay = 5 * minute

/** Milliseconds after which an alarm is over that no list would show, and that nothing else ends. */
const maxAge = day

/** States in which a panel watches nothing that a burglar could end. All others count, also a panel's own. */
const unguarded: ReadonlySet<string> = new Set(['DISARM', 'PROGRAMMING', 'NOTREADY', 'UNKNOWN', ''])

/** Returns true for a state in which a partition is armed, in a delay or in an alarm. */
export function isGuardedState(state: string): boolean {
  return !unguarded.has(state)
}

/**
 * Returns true if the answers show that an alarm is over: its partition was disarmed since, or two lists do not show it that
 * were asked for some minutes after it was known. Without a list that would show it, it ends after a day if its partitions are
 * not armed.
 * @param now milliseconds since 1970
 */
export function isOverByAnswers(
  alarm: UnendedAlarm,
  { timeEnds, agreedAt, partitions }: AlarmEvidence,
  now: number,
): boolean {
  const own = partitions.filter(({ id }) => concerns(alarm.partitions, id))
  if (own.some(({ disarmedAt }) => disarmedAt !== null && wasBefore(alarm, disarmedAt))) return true
  const { knownAt, isOfList } = alarm
  if (agreedAt !== null && knownAt + (isOfList ? maxDelay : maxAge) <= agreedAt) return true
  const isUnarmed = own.length > 0 && own.every(({ state }) => !isGuardedState(state))
  return timeEnds && isUnarmed && knownAt + maxAge <= now
}

/** Returns true for an alarm that was known before a disarm, or soon after it with an earlier time. */
function wasBefore({ time, knownAt }: UnendedAlarm, disarmedAt: number): boolean {
  if (knownAt <= disarmedAt) return true
  return time !== null && time <= disarmedAt && knownAt - disarmedAt <= maxDelay
}
