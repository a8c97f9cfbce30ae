import { KeyholderError } from '../service/error.ts'
import { operations } from '../service/operations.ts'
import type { PanelLimits } from '../service/responses/panel-limits.ts'

/** The operations that a panel may lack by its feature set, each with the limit and what it lacks. */
const limited: ReadonlyMap<string, readonly [keyof PanelLimits, string]> = new Map([
  [operations.status.name, ['readsState', 'its state']],
  [operations.alarms.name, ['listsAlarms', 'a list of alarms']],
  [operations.events.name, ['listsEvents', 'a list of events']],
])

/** Returns the error for an operation that the panel lacks by its feature set; undefined if it has it. */
export function operationRefusal(operation: string, limits: PanelLimits): KeyholderError | undefined {
  const [limit, what] = limited.get(operation) ?? []
  if (limit === undefined || limits[limit] !== false) return undefined
  return new KeyholderError(
    'NOT_FOUND',
    `By its feature set, this panel does not offer ${what}, so nothing was sent. You can do without it, or ask your alarm provider.`,
  )
}
