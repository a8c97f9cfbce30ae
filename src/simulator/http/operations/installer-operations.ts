import { commandOperations } from '../commands/command-operations.ts'
import { ok } from '../http-response.ts'
import { installerDevices } from '../responses/devices.ts'
import { installerEventList } from '../responses/events.ts'
import { installerFeatureSet } from '../responses/feature-set.ts'
import { installerWelcome } from '../responses/license.ts'
import { installerPanelInfo } from '../responses/panel-info.ts'
import { installerPanelList } from '../responses/panel-list.ts'
import { installerStatus } from '../responses/status.ts'
import { installerUsers } from '../responses/users.ts'
import { type Operation, panelRead, sessionRead } from './operation.ts'
import { recordOperations } from './shared-operations.ts'
import { signInOperations } from './sign-in-operations.ts'

const groups = [
  { id: 1, name: 'Main group', description: '', is_selected: true, central_stations: ['Monitoring centre'] },
]

/** The installer service (interface specification 4.1 and 4.3 to 4.11; its differences are field facts). */
export const installerOperations: readonly Operation[] = [
  ...signInOperations({
    api: 'installer',
    device: ['device_id', 'device_info'],
    code: 'installer_code',
    welcome: (_version, service) => installerWelcome(service),
  }),
  ...recordOperations,
  {
    name: 'panels',
    method: 'GET',
    needs: 'user token',
    answer: (_question, { world }) => ok(installerPanelList(world.panels)),
  },
  sessionRead('panel_info', ({ panel }) => installerPanelInfo(panel)),
  sessionRead('feature_set', ({ panel }) => installerFeatureSet(panel)),
  sessionRead('status', ({ panel }, { world }) => installerStatus(panel, world.time)),
  sessionRead('devices', ({ panel }) => installerDevices(panel)),
  // Shape B needs only a user token (interface specification 4.8).
  panelRead('events', ({ panel }, service) => installerEventList(panel, service)),
  sessionRead('users', ({ panel }) => installerUsers(panel)),
  sessionRead('groups', () => groups),
  ...commandOperations,
]
