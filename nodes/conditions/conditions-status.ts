import type { PanelCondition } from '../../src/panel/conditions/condition.ts'
import type { SituationFacts } from '../../src/panel/situation.ts'
import { alarmText, type ConditionTexts } from '../shared/node-status.ts'
import { phrase } from '../shared/status-text.ts'

/** Returns the status texts for a list of conditions: their number, and the names of the first ones. */
export function conditionsTexts(
  conditions: readonly PanelCondition[],
  facts: SituationFacts,
): ConditionTexts {
  // Also of a node that lists no alarms: its text for an empty list says that all is well.
  const alarm = alarmText(facts)
  if (conditions.length === 0) {
    const isEntered = facts.delay === 'ENTRY_DELAY'
    return { fine: isEntered ? phrase('state.status.ENTRY_DELAY') : phrase('conditions.status.none'), alarm }
  }
  const names = [...new Set(conditions.map(({ name }) => name).filter(Boolean))].join(', ')
  const values = { number: String(conditions.length) }
  return { fine: phrase('conditions.status.some', { values, detail: names }), alarm, isPending: true }
}
