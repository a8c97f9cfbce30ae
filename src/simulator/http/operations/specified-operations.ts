import { definePanelRead, type Operation } from '../operation.ts'
import { installerEventList } from '../responses/events.ts'

/** The operations that the interface specification names, both paths of the end-user sign-in included. */
const specified: ReadonlySet<string> = new Set([
  'auth',
  'apptype',
  'panels',
  'panel_info',
  'feature_set',
  'devices',
  'standard_log',
  'events',
  'rri_results',
  'configuration_list',
  'had/rules/event-profiles',
])

/**
 * Returns the operations of a service that is the interface specification and no more: nothing opens a panel,
 * so what needs a Session-Token is always refused, and the events have shape B, which needs none (4.8, 5.6).
 */
export function onlySpecified(operations: readonly Operation[]): readonly Operation[] {
  return operations
    .filter(({ name, method }) => specified.has(name) && !(name === 'apptype' && method === 'GET'))
    .map((operation) => (operation.name === 'events' ? eventsOfShapeB : operation))
}

/** Returns the operations of an end-user service whose sign-in has the other path of the specification (4.2). */
export function withSignInAtApptype(operations: readonly Operation[]): readonly Operation[] {
  return operations
    .filter(({ name }) => name !== 'apptype')
    .map((operation) => (operation.name === 'auth' ? { ...operation, name: 'apptype' } : operation))
}

const eventsOfShapeB = definePanelRead('events', ({ panel }, service) => installerEventList(panel, service))
