import { commandOperations } from '../commands/command-operations.ts'
import { badParams, ok } from '../http-response.ts'
import { customization } from '../responses/customization.ts'
import { devices } from '../responses/devices.ts'
import { cameras, homeAutomationDevices, smartDevices } from '../responses/equipment.ts'
import { eventList } from '../responses/events.ts'
import { featureSet } from '../responses/feature-set.ts'
import { locations } from '../responses/locations.ts'
import { panelInfo } from '../responses/panel-info.ts'
import { panelList } from '../responses/panel-list.ts'
import { restrictions } from '../responses/restrictions.ts'
import { status } from '../responses/status.ts'
import { users } from '../responses/users.ts'
import { type Operation, sessionRead } from './operation.ts'
import { recordOperations } from './shared-operations.ts'
import { signInOperations } from './sign-in-operations.ts'

/** Messages sent by e-mail, one bit each, as in the only sample (field fact). */
const mailed = 67_583

const granted = { status: 'active', error: null, stage: null }

/** The end-user service (interface specification 4.2 to 4.11, plus field facts). */
export const endUserOperations: readonly Operation[] = [
  ...signInOperations({
    api: 'end user',
    device: ['app_id'],
    code: 'user_code',
    // Customization exists since version 10 (field fact).
    welcome: (version) => (version >= 10 ? { customization } : {}),
  }),
  ...recordOperations,
  {
    name: 'panels',
    method: 'GET',
    needs: 'user token',
    answer: ({ version }, { world }) => ok(panelList(world.panels, version)),
  },
  {
    name: 'panel_access_info',
    method: 'GET',
    needs: 'user token',
    answer: ({ query }, { world }) => {
      const known = world.panels.some(({ serial }) => serial === query.get('panel_web_name'))
      if (!known) return badParams([{ key: 'panel_web_name', value: 'incorrect' }])
      return ok({ user: granted, installer: granted })
    },
  },
  sessionRead('panel_info', ({ panel, session }) => panelInfo(panel, session.user)),
  sessionRead('feature_set', ({ panel }) => featureSet(panel)),
  sessionRead('status', ({ panel }) => status(panel)),
  sessionRead('devices', ({ panel }) => devices(panel)),
  sessionRead('events', ({ panel, version }, service) => eventList(panel, version, service)),
  sessionRead('alarms', ({ panel }) => panel.report().alarms),
  sessionRead('alerts', ({ panel }) => panel.report().alerts),
  sessionRead('troubles', ({ panel }) => panel.report().troubles),
  sessionRead('locations', ({ panel }) => locations(panel)),
  sessionRead('users', users),
  sessionRead('cameras', ({ panel }) => cameras(panel)),
  sessionRead('smart_devices', ({ panel }) => smartDevices(panel)),
  sessionRead('smart_devices/settings', ({ panel }) => smartDevices(panel)),
  sessionRead('home_automation_devices', ({ panel }) => homeAutomationDevices(panel)),
  sessionRead('wakeup_sms', ({ panel }) => ({ phone: '+15555550123', sms: `WAKEUP ${panel.serial}` })),
  sessionRead('notifications/email', () => ({ mode: mailed })),
  sessionRead('had/rules/restrictions', () => restrictions),
  sessionRead('had/rules/logs', () => []),
  ...commandOperations,
]
