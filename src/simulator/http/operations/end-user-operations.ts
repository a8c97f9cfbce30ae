import { badParams, ok } from '../http-response.ts'
import { defineSessionRead, type Operation } from '../operation.ts'
import { devices, locations } from '../responses/devices.ts'
import { eventList } from '../responses/events.ts'
import { featureSet } from '../responses/feature-set.ts'
import { panelInfo } from '../responses/panel-info.ts'
import { customization, panelList } from '../responses/panels.ts'
import { status } from '../responses/status.ts'
import { users } from '../responses/users.ts'
import { commandOperations } from './command-operations.ts'
import { sharedOperations } from './shared-operations.ts'
import { createSignInOperations } from './sign-in-operations.ts'

const granted = { status: 'active', error: null, stage: null }

/** The end-user service (interface specification 4.2 to 4.11, plus field facts). */
export const endUserOperations: readonly Operation[] = [
  ...createSignInOperations({
    api: 'end user',
    deviceFields: ['app_id'],
    codeField: 'user_code',
    // Customization exists since version 10 (field fact).
    signInFields: (version) => (version >= 10 ? { customization } : {}),
  }),
  ...sharedOperations,
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
  defineSessionRead('panel_info', ({ panel, session }) => panelInfo(panel, session.user)),
  defineSessionRead('feature_set', ({ panel }) => featureSet(panel)),
  defineSessionRead('status', ({ panel }) => status(panel)),
  defineSessionRead('devices', ({ panel }) => devices(panel)),
  defineSessionRead('events', ({ panel, version }, service) => eventList(panel, version, service)),
  defineSessionRead('alarms', ({ panel }) => panel.report().alarms),
  defineSessionRead('alerts', ({ panel }) => panel.report().alerts),
  defineSessionRead('troubles', ({ panel }) => panel.report().troubles),
  defineSessionRead('locations', ({ panel }) => locations(panel)),
  defineSessionRead('users', users),
  ...commandOperations,
]
