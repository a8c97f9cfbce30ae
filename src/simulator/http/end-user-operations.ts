import { badParams, ok } from './answer.ts'
import { customization } from './customization.ts'
import { eventProfiles } from './event-profiles.ts'
import { featureSet } from './feature-set.ts'
import type { Operation } from './operation.ts'
import { eventList, panelInfo, panelList, status } from './panel-answers.ts'
import { refusedSignIn } from './refusals.ts'
import { readFields } from './request-body.ts'

/** The end-user service (interface specification 4.2 to 4.11, and what the field adds). */
export const endUserOperations: readonly Operation[] = [
  {
    name: 'auth',
    method: 'POST',
    needs: 'nothing',
    answer: ({ body, version }, { accounts }) => {
      const read = readFields(body, { email: 1, password: 1, app_id: 1 })
      if ('status' in read) return read
      const { fields } = read
      const signedIn = accounts.signIn(
        text(fields, 'email'),
        text(fields, 'password'),
        text(fields, 'app_id'),
      )
      if (typeof signedIn === 'string') return refusedSignIn(signedIn, accounts.blockedFor)
      // Customization came with version 10 (field fact).
      return ok({ user_token: signedIn.token, ...(version >= 10 ? { customization } : {}) })
    },
  },
  {
    name: 'panel/login',
    method: 'POST',
    needs: 'user token',
    answer: ({ body, userToken }, { accounts }) => {
      const read = readFields(body, { panel_serial: 1, user_code: 4, app_id: 1 })
      if ('status' in read) return read
      const { fields } = read
      const serial = text(fields, 'panel_serial')
      const loggedIn = accounts.logIn(userToken, serial, text(fields, 'user_code'), text(fields, 'app_id'))
      if (typeof loggedIn === 'string') return refusedSignIn(loggedIn, accounts.blockedFor)
      return ok({ session_token: loggedIn.token })
    },
  },
  {
    name: 'panels',
    method: 'GET',
    needs: 'user token',
    answer: ({ version }, { world }) => ok(panelList(world.panels, version)),
  },
  {
    name: 'had/rules/event-profiles',
    method: 'GET',
    needs: 'user token',
    argument: true,
    answer: ({ argument }) => {
      const profiles = eventProfiles(argument)
      return profiles ? ok(profiles) : badParams([{ key: 'locale', value: 'incorrect' }])
    },
  },
  {
    name: 'panel_info',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(panelInfo(session.panel)),
  },
  {
    name: 'feature_set',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(featureSet(session.panel)),
  },
  {
    name: 'status',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(status(session.panel)),
  },
  {
    name: 'devices',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(session.panel.report().devices),
  },
  {
    name: 'alarms',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(session.panel.report().alarms),
  },
  {
    name: 'alerts',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(session.panel.report().alerts),
  },
  {
    name: 'troubles',
    method: 'GET',
    needs: 'session',
    answer: ({ session }) => ok(session.panel.report().troubles),
  },
  {
    name: 'events',
    method: 'GET',
    needs: 'session',
    answer: ({ session, version }, { eventOrder }) => ok(eventList(session.panel, version, eventOrder)),
  },
]

function text(fields: ReadonlyMap<string, string>, key: string): string {
  return fields.get(key) ?? ''
}
