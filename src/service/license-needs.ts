import { isAllowed, type Licence, type LicenceFeature, licenceTitle } from './licence.ts'

/**
 * Which features of the licence an operation needs; one of them is enough.
 *
 * An inference from the names of the features: interface specification 5.8 says that they state what a service
 * account may use, and not which operation belongs to which.
 */
export const licenceNeeds: ReadonlyMap<string, readonly LicenceFeature[]> = new Map([
  ['events', ['resolve/panel_event_log']],
  ['standard_log', ['resolve/panel_event_log']],
  ['rri_results', ['resolve/remote_inspection', 'resolve/panel_diagnostic']],
  ['configuration_list', ['resolve/panel_configuration']],
  ['set_state', ['resolve/panel_set_state']],
])

/**
 * Why the licence does not cover an operation, as a sentence; nothing where it does or says nothing about it.
 * @param operation by the service's name, such as `standard_log`
 */
export function licenceRefusal(licence: Licence, operation: string): string | undefined {
  const needed = licenceNeeds.get(operation) ?? []
  if (needed.length === 0 || needed.some((feature) => isAllowed(licence, feature))) return undefined
  return `${licenceTitle(licence)} does not cover ${operation}: it allows no ${needed.join(' and no ')}. Ask your provider for it.`
}
