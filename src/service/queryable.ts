import { type Operation, operations } from './operations.ts'
import { type JsonValue, passthrough } from './passthrough.ts'

// All answers are kept for the next caller, within its maxAge.
function whole(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'in full', check: passthrough(plain.check), isCacheable: true }
}

/**
 * The operations that a flow may request by the service's own name; the answer has the service's own field
 * names.
 *
 * The session is not one of them: it is the answer to the sign-in, without its token (see `withoutToken`).
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

/** The name of an operation that a flow may request. */
export type QueryableName = keyof typeof queryable

/** Returns true if a text is the name of an operation that a flow may request. */
export function isQueryable(name: string): name is QueryableName {
  return Object.hasOwn(queryable, name)
}
