import { isAllowed, type License, type LicenseFeature, licenceTitle } from './responses/license.ts'

/**
 * The license features of which an operation needs at least one.
 *
 * Derived from the names of the features: interface specification 5.8 says that they define what a service
 * account may use, but not which operation belongs to which feature.
 */
export const licenceNeeds: ReadonlyMap<string, readonly LicenseFeature[]> = new Map([
  ['events', ['resolve/panel_event_log']],
  ['standard_log', ['resolve/panel_event_log']],
  ['rri_results', ['resolve/remote_inspection', 'resolve/panel_diagnostic']],
  ['configuration_list', ['resolve/panel_configuration']],
  ['set_state', ['resolve/panel_set_state']],
])

/**
 * Returns a sentence about why the license does not cover an operation; undefined if it does or does not
 * mention it.
 * @param operation the service's name of the operation, such as `standard_log`
 */
export function licenceRefusal(license: License, operation: string): string | undefined {
  const needed = licenceNeeds.get(operation) ?? []
  if (needed.length === 0 || needed.some((feature) => isAllowed(license, feature))) return undefined
  return `${licenceTitle(license)} does not cover ${operation}: it allows no ${needed.join(' and no ')}. Ask your provider for it.`
}
