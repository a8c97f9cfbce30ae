import { badParams, ok } from './answer.ts'
import { customization } from './answers/customization.ts'
import { devices } from './answers/devices.ts'
import { cameras, homeAutomationDevices, smartDevices } from './answers/equipment.ts'
import { eventList } from './answers/events.ts'
import { featureSet } from './answers/feature-set.ts'
import { locations } from './answers/locations.ts'
import { panelInfo } from './answers/panel-info.ts'
import { panelList } from './answers/panel-list.ts'
import { restrictions } from './answers/restrictions.ts'
import { status } from './answers/status.ts'
import { users } from './answers/users.ts'
import { commandOperations } from './commands/command-operations.ts'
import { type Operation, sessionRead } from './operation.ts'
import { recordOperations } from './record-operations.ts'
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
