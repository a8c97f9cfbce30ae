import { createHash } from 'node:crypto'
import type { Service } from '../operation.ts'

/**
 * The permissions of the license (interface specification 2.2); the simulator serves the true values here.
 */
const features: Readonly<Record<string, boolean>> = {
  interactive: true,
  'interactive/end_user_reporting': true,
  'interactive/installer_app': true,
  'interactive/user_app': true,
  receiver: true,
  'receiver/central_stations': true,
  'receiver/receive_events': true,
  resolve: true,
  'resolve/dls_api': false,
  'resolve/panel_configuration': true,
  'resolve/panel_diagnostic': true,
  'resolve/panel_event_log': true,
  'resolve/panel_labels': true,
  'resolve/panel_set_state': true,
  'resolve/remote_inspection': true,
  'resolve/reports': true,
  'resolve/software_upgrade': false,
  'resolve/virtual_keypad': false,
}

/** Limits on quantities (interface specification 8.1). */
const limits = [
  { limit: 'central_station_num', value: 10, description: 'Automation software connections' },
  { limit: 'panels', value: 1000, description: 'Systems of the first family' },
  { limit: 'panels_dual_path', value: 100, description: 'Dual path systems' },
  { limit: 'panels_neo', value: 1000, description: 'Systems of the second family' },
]

/**
 * Returns the fields in the installer's sign-in response other than the token (interface specification 2.1 and
 * 2.2).
 */
export function installerSignInFields({ accounts, world }: Service) {
  const year = new Date(world.time.start).getUTCFullYear()
  return {
    info: { name: 'Keyholder Security', email: accounts.email, phone: '+15555550100' },
    server: { installer_allowed_to_remove_panels: false, virtual_panel_support: true },
    license: {
      name: 'Simulated',
      hmac: createHash('sha256').update('a licence of the simulator').digest('hex'),
      valid: {
        not_after: `${year + 4}-12-31T23:59:59+01:00`,
        not_before: `${year - 1}-01-01T00:00:00+01:00`,
      },
      features: Object.entries(features).map(([feature, allowed]) => ({ allowed, description: '', feature })),
      limits,
    },
  }
}
