import { ok } from '../http-response.ts'
import { definePanelRead, defineSessionRead, type Operation } from '../operation.ts'
import { installerDevices } from '../responses/devices.ts'
import { installerEventList } from '../responses/events.ts'
import { installerFeatureSet } from '../responses/feature-set.ts'
import { installerSignInFields } from '../responses/license.ts'
import { installerPanelInfo } from '../responses/panel-info.ts'
import { installerPanelList } from '../responses/panels.ts'
import { installerStatus } from '../responses/status.ts'
import { installerUsers } from '../responses/users.ts'
import { commandOperations } from './command-operations.ts'
import { sharedOperations } from './shared-operations.ts'
import { createSignInOperations } from './sign-in-operations.ts'

/** The installer service (interface specification 4.1 and 4.3 to 4.11; its differences are field facts). */
export const installerOperations: readonly Operation[] = [
  ...createSignInOperations({
    api: 'installer',
    deviceFields: ['device_id', 'device_info'],
    codeField: 'installer_code',
    signInFields: (_version, service) => installerSignInFields(service),
  }),
  ...sharedOperations,
  {
    name: 'panels',
    method: 'GET',
    needs: 'user token',
    answer: (_request, { world }) => ok(installerPanelList(world.panels)),
  },
  defineSessionRead('panel_info', ({ panel }) => installerPanelInfo(panel)),
  defineSessionRead('feature_set', ({ panel }) => installerFeatureSet(panel)),
  defineSessionRead('status', ({ panel }, { world }) => installerStatus(panel, world.time)),
  defineSessionRead('devices', ({ panel }) => installerDevices(panel)),
  // Shape B needs only a user token (interface specification 4.8).
  definePanelRead('events', ({ panel }, service) => installerEventList(panel, service)),
  defineSessionRead('users', ({ panel }) => installerUsers(panel)),
  ...commandOperations,
]
