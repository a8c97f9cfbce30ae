import { type Operation, operations } from './operations.ts'
import { type JsonValue, passthrough } from './passthrough.ts'

// All answers are kept for the next caller, within its maxAge.
function withPassthrough(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'in full', check: passthrough(plain.check), isCacheable: true }
}

/**
 * The operations that a flow may request by the service's own name; the answer has the service's own field
 * names.
 *
 * The session is not one of them: it is the answer to the sign-in, without its token (`SignInAnswer.details`).
 */
export const queryable = {
  panels: withPassthrough(operations.panels),
  panel_info: withPassthrough(operations.panelInfo),
  feature_set: withPassthrough(operations.featureSet),
  devices: withPassthrough(operations.devices),
  standard_log: withPassthrough(operations.standardLog),
  events: withPassthrough(operations.events),
  rri_results: withPassthrough(operations.rriResults),
  configuration_list: withPassthrough(operations.configurationList),
  event_profiles: withPassthrough(operations.eventProfiles),
  status: withPassthrough(operations.status),
  alarms: withPassthrough(operations.alarms),
  alerts: withPassthrough(operations.alerts),
  troubles: withPassthrough(operations.troubles),
  locations: withPassthrough(operations.locations),
  users: withPassthrough(operations.users),
} as const

/** The name of an operation that a flow may request. */
export type QueryableName = keyof typeof queryable

/** Returns true if a text is the name of an operation that a flow may request. */
export function isQueryable(name: string): name is QueryableName {
  return Object.hasOwn(queryable, name)
}
