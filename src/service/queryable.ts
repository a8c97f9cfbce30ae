import { type Operation, operations } from './operations.ts'
import { type JsonValue, passthrough } from './schema.ts'

/**
 * The operations that read something, by the service's own name for them.
 *
 * The session is not one of them: it is the answer to the sign-in, without its token (`SignInAnswer.details`).
 */
export const readable = {
  panels: operations.panels,
  panel_info: operations.panelInfo,
  feature_set: operations.featureSet,
  devices: operations.devices,
  standard_log: operations.standardLog,
  events: operations.events,
  rri_results: operations.rriResults,
  configuration_list: operations.configurationList,
  event_profiles: operations.eventProfiles,
  status: operations.status,
  alarms: operations.alarms,
  alerts: operations.alerts,
  troubles: operations.troubles,
  locations: operations.locations,
  users: operations.users,
} as const

// All answers are kept for the next caller, within its maxAge.
function withPassthrough(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'in full', check: passthrough(plain.check), isCacheable: true }
}

/** The operations that a flow may request; the answer has the service's own field names. */
export const queryable = Object.fromEntries(
  Object.entries(readable).map(([name, plain]) => [name, withPassthrough(plain)]),
) as Record<keyof typeof readable, Operation<JsonValue>>

/** Returns the operation with an answer that is not checked: for a person, not for a flow. */
export function asReceived(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'as received', check: passthrough((value) => value), isCacheable: false }
}

/** The name of an operation that a flow may request. */
export type QueryableName = keyof typeof queryable

/** Returns true if a text is the name of an operation that a flow may request. */
export function isQueryable(name: string): name is QueryableName {
  return Object.hasOwn(queryable, name)
}
