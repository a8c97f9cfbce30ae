import { minute } from '../../src/duration.ts'
import { type ConditionKind, conditionKinds } from '../../src/panel/conditions/condition.ts'
import { type ConditionPlan, maxMinutes, usualReminder } from '../../src/panel/conditions/condition-plan.ts'
import { number, type RawSettings } from '../../src/settings.ts'
import { wordList } from '../shared/node-options.ts'

/** The kinds that can be held back until they have lasted for some minutes; the others are about days. */
export const delayedKinds = [
  'offline',
  'tamper',
  'lost',
  'trouble',
  'battery',
  'memory',
  'open',
  'bypassed',
] as const satisfies readonly ConditionKind[]

/** The kinds of a node that selects none: all that need no request of their own. */
export const usualKinds: readonly ConditionKind[] = conditionKinds.filter((kind) => kind !== 'backup')

/** The default of the days after which an inspection or a backup is too old. */
const usualDays = 365

/**
 * Returns the choice of a conditions node.
 * @throws KeyholderError BAD_SETTING
 */
export function conditionPlan(settings: RawSettings): ConditionPlan {
  const chosen = wordList(settings, 'conditions', conditionKinds)
  const minutes = (field: string, fallback: number) =>
    minute * number(settings, field, fallback, { min: 0, max: maxMinutes })
  const days = (field: string) => number(settings, field, usualDays, { min: 1, max: 36_500 })
  return {
    kinds: new Set(chosen.length > 0 ? chosen : usualKinds),
    after: Object.fromEntries(delayedKinds.map((kind) => [kind, minutes(`${kind}After`, 0)])),
    remindAfter: minutes('remindAfter', settings.remindAfter === '' ? 0 : usualReminder),
    inspectionDays: days('inspectionDays'),
    backupDays: days('backupDays'),
  }
}
