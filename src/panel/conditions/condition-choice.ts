import { day, minute } from '../../duration.ts'
import { type ConditionKind, conditionKinds, type PanelCondition } from './condition.ts'
import { isContact, maxGone } from './condition-evidence.ts'
import type { MaintenanceChoice } from './maintenance.ts'

/** The choice of a node: which conditions it tells, and when. */
export interface ConditionChoice extends MaintenanceChoice {
  readonly kinds: ReadonlySet<ConditionKind>
  /** Milliseconds that a condition must last before it is in the list; absent for at once. */
  readonly after: Partial<Record<ConditionKind, number>>
  /** Milliseconds until the first reminder; 0 for none. */
  readonly remindAfter: number
}

/** The last time that a condition was told. */
export interface Telling {
  readonly id: string
  /** The begin of the condition: another one with this id is told anew. */
  readonly since: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The reminders so far. */
  readonly reminders: number
}

/** The longest time between two reminders. */
const maxReminderGap = 7 * day

/**
 * Returns the conditions that are in the list at a time, in the order of their kinds and begins. What was told once stays,
 * so that neither a clock that was put back nor a longer time in the dialog ends it.
 */
export function listedConditions(
  conditions: readonly PanelCondition[],
  { kinds, after }: ConditionChoice,
  told: readonly Telling[],
  now: number,
): PanelCondition[] {
  return conditions
    .filter((condition) => {
      const { kind, since } = condition
      if (!kinds.has(kind) || isRemoved(condition, now)) return false
      // Who is told at once that the panel is offline needs no second entry for it.
      if (isContact(condition) && kinds.has('offline') && !after.offline) return false
      const least = after[kind] ?? 0
      return least === 0 || now - since >= least || tellingOf(condition, told) !== undefined
    })
    .sort(
      (one, other) =>
        conditionKinds.indexOf(one.kind) - conditionKinds.indexOf(other.kind) ||
        one.since - other.since ||
        (one.zone ?? 0) - (other.zone ?? 0),
    )
}

/** Returns true for a device or a line that has been away for so long that somebody has removed it on purpose. */
function isRemoved({ kind, says, since }: PanelCondition, now: number): boolean {
  return (says === 'gone' || kind === 'line') && now - since >= maxGone
}

/** Returns the last telling of a condition; undefined if it was never told. */
export function tellingOf(
  { id, since }: Pick<PanelCondition, 'id' | 'since'>,
  told: readonly Telling[],
): Telling | undefined {
  return told.find((one) => one.id === id && one.since === since)
}

/** Returns the time of the next reminder: each one waits twice as long as the one before, a week at most. */
export function nextReminder({ at, reminders }: Telling, { remindAfter }: ConditionChoice): number {
  if (remindAfter === 0) return Number.POSITIVE_INFINITY
  return at + Math.max(remindAfter, Math.min(remindAfter * 2 ** reminders, maxReminderGap))
}

/** Returns true if the reminder of a condition is due; a quiet one has none. */
export function isReminderDue(
  { isQuiet }: Pick<PanelCondition, 'isQuiet'>,
  telling: Telling,
  choice: ConditionChoice,
  now: number,
): boolean {
  return !isQuiet && nextReminder(telling, choice) <= now
}

/**
 * Returns the tellings after a list was told: new conditions begin to count, those whose reminder was due have had one
 * more, and those that are over are forgotten.
 */
export function afterTelling(
  list: readonly PanelCondition[],
  told: readonly Telling[],
  choice: ConditionChoice,
  now: number,
): Telling[] {
  return list.map((condition): Telling => {
    const { id, since } = condition
    const telling = tellingOf(condition, told)
    if (telling === undefined) return { id, since, at: now, reminders: 0 }
    const isReminded = isReminderDue(condition, telling, choice, now)
    return isReminded ? { ...telling, at: now, reminders: telling.reminders + 1 } : telling
  })
}

/** Returns true if conditions came or went since the last telling. */
export function hasChanged(list: readonly PanelCondition[], told: readonly Telling[]): boolean {
  return list.length !== told.length || list.some((condition) => tellingOf(condition, told) === undefined)
}

/** The default of the first reminder in minutes. */
export const usualReminder = 60

/** The most minutes that a condition can be held back, and until the first reminder: a week. */
export const maxMinutes = (7 * day) / minute
