import type { PanelCondition } from '../src/panel/conditions/condition.ts'
import { phrase, type StatusText } from './shared/status-text.ts'

/** Returns the status text for conditions: their number, and the names of the first ones. */
export function conditionsStatus(conditions: readonly PanelCondition[]): StatusText {
  if (conditions.length === 0) return phrase('conditions.status.none')
  const names = [...new Set(conditions.map(({ name }) => name).filter(Boolean))].join(', ')
  const values = { number: String(conditions.length) }
  return phrase('conditions.status.some', { values, detail: names })
}
