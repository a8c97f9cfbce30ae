import {
  type ConditionKind,
  conditionKinds,
  delayableKinds,
  usualKinds,
} from '../../src/panel/conditions/condition.ts'
import { maxMinutes, usualReminder } from '../../src/panel/conditions/condition-choice.ts'
import { boxes, configNode, type Field, language, number } from '../pages/fields.ts'

const minutes = (value: number) => number(value, { min: 0, max: maxMinutes }, { says: 'minutes', empty: 0 })

/** The times for which conditions are held back, such as `openAfter`. */
const times = Object.fromEntries(
  delayableKinds.map((kind) => [`${kind}After`, { ...minutes(0), value: '', boxOf: kind }]),
) as Record<`${ConditionKind}After`, Field<number>>

const days = () => number(365, { min: 1, max: 36_500 }, { says: 'days' })

/** The settings of a conditions node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    conditions: boxes(conditionKinds, { value: usualKinds, none: usualKinds, isAdded: true }),
    ...times,
    inspectionDays: days(),
    backupDays: days(),
    // An empty field is no reminder.
    remindAfter: minutes(usualReminder),
    language: language(),
  },
}
