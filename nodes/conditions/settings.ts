import { conditionKinds } from '../../src/panel/conditions/condition.ts'
import { maxMinutes, usualReminder } from '../../src/panel/conditions/condition-choice.ts'
import { boxes, configNode, language, number } from '../pages/fields.ts'

/**
 * The kinds of a node that selects none: all that need no request of their own, and not that a shared zone guards nothing,
 * which is wanted in many houses.
 */
const usualKinds = conditionKinds.filter((kind) => kind !== 'backup' && kind !== 'unguarded')

const minutes = (value: number) => number(value, { min: 0, max: maxMinutes }, { says: 'minutes', empty: 0 })

/** A time for which conditions of a kind are held back. */
const after = () => ({ ...minutes(0), value: '' })

const days = () => number(365, { min: 1, max: 36_500 }, { says: 'days' })

/** The settings of a conditions node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    conditions: boxes(conditionKinds, { value: usualKinds, none: usualKinds }),
    offlineAfter: after(),
    lineAfter: after(),
    tamperAfter: after(),
    lostAfter: after(),
    troubleAfter: after(),
    batteryAfter: after(),
    memoryAfter: after(),
    openAfter: after(),
    bypassedAfter: after(),
    inspectionDays: days(),
    backupDays: days(),
    // An empty field is no reminder.
    remindAfter: minutes(usualReminder),
    language: language(),
  },
}
