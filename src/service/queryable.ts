import { faithful, type Json } from './faithful.ts'
import { type Operation, operations } from './operations.ts'

// Kept, all of them, for the next who asks within its maxAge.
function whole(plain: Operation<unknown>): Operation<Json> {
  return { ...plain, form: 'in full', check: faithful(plain.check), kept: true }
}

/**
 * The operations that a flow may ask by the service's own name, answered with the service's own fields.
 *
 * The session is not among them: it is what the sign-in answered, without its token (see `withoutToken`).
 */
export const queryable = {
  panels: whole(operations.panels),
  panel_info: whole(operations.panelInfo),
  feature_set: whole(operations.featureSet),
  devices: whole(operations.devices),
  standard_log: whole(operations.standardLog),
  events: whole(operations.events),
  rri_results: whole(operations.rriResults),
  configuration_list: whole(operations.configurationList),
  event_profiles: whole(operations.eventProfiles),
  status: whole(operations.status),
  alarms: whole(operations.alarms),
  alerts: whole(operations.alerts),
  troubles: whole(operations.troubles),
  locations: whole(operations.locations),
  users: whole(operations.users),
} as const

/** The name of an operation that a flow may ask. */
export type QueryableName = keyof typeof queryable

/** Whether a text names an operation that a flow may ask. */
export function isQueryable(name: string): name is QueryableName {
  return Object.hasOwn(queryable, name)
}
