import type { ApiName } from '../auth/tokens.ts'
import { signInError } from '../error-responses.ts'
import { badParams, type HttpResponse, isResponse, ok } from '../http-response.ts'
import {
  definePanelRead,
  defineSessionRead,
  type Operation,
  type OperationRequest,
  type Service,
} from '../operation.ts'
import { readFields } from '../request-body.ts'
import { eventList, eventProfiles, installerEventList, standardLog } from '../responses/events.ts'
import { installerSignInFields } from '../responses/license.ts'
import { configurationList, remoteInspection } from '../responses/maintenance.ts'
import { featureSet, installerFeatureSet, installerPanelInfo, panelInfo } from '../responses/panel-info.ts'
import { customization, installerPanelList, panelList } from '../responses/panels.ts'
import { devices, installerDevices, installerStatus, locations, status } from '../responses/status.ts'
import { installerUsers, users } from '../responses/users.ts'
import { commandOperations } from './command-operations.ts'

/**
 * The operations that are the same in both services, with a user token only (interface specification 5.4).
 *
 * Field fact: only installer services have the log, the inspections and the configurations. The specification
 * does not separate the services, so the end-user service here has them too.
 */
const sharedOperations: readonly Operation[] = [
  {
    name: 'apptype',
    method: 'GET',
    needs: 'nothing',
    answer: () => {
      const { apptype, android, ios } = customization.data
      return ok({ apptype, android, ios })
    },
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
  definePanelRead('standard_log', ({ panel }, { world, locale }) => standardLog(panel, world.time, locale)),
  definePanelRead('rri_results', ({ panel }, { world }) => remoteInspection(panel, world.time)),
  definePanelRead('configuration_list', (_request, { world }) => configurationList(world.time)),
]

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
  defineSessionRead('status', ({ panel }) => status(panel.shown('status'))),
  defineSessionRead('devices', ({ panel }) => devices(panel.shown('devices'))),
  defineSessionRead('events', ({ panel, version }, service) => eventList(panel, version, service)),
  defineSessionRead('alarms', ({ panel }) => panel.shown('alarms').report.alarms),
  defineSessionRead('alerts', ({ panel }) => panel.shown('alerts').report.alerts),
  defineSessionRead('troubles', ({ panel }) => panel.shown('troubles').report.troubles),
  defineSessionRead('locations', ({ panel }) => locations(panel)),
  defineSessionRead('users', users),
  ...commandOperations,
]

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
  defineSessionRead('status', ({ panel }, { world }) => installerStatus(panel.shown('status'), world.time)),
  defineSessionRead('devices', ({ panel }) => installerDevices(panel.shown('devices'))),
  // Shape B needs only a user token (interface specification 4.8).
  definePanelRead('events', ({ panel }, service) => installerEventList(panel, service)),
  defineSessionRead('users', ({ panel }) => installerUsers(panel)),
  ...commandOperations,
]

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

/** The differences between the sign-ins of the two services. */
interface SignInVariant {
  readonly api: ApiName
  /** Fields that identify the device that signs in: the first one is its id; all are required. */
  readonly deviceFields: readonly [string, ...string[]]
  /** The field for the code that opens a panel. */
  readonly codeField: string
  /** The fields in a sign-in response other than the user token. */
  signInFields(version: number, service: Service): object
}

const minCodeLength = 4

/**
 * POST auth and POST panel/login of one service (interface specification 4.1, 4.2; panel/login is a field
 * fact).
 */
export function createSignInOperations(variant: SignInVariant): readonly Operation[] {
  return [
    { name: 'auth', method: 'POST', needs: 'nothing', answer: createSignIn(variant) },
    { name: 'panel/login', method: 'POST', needs: 'user token', answer: createPanelLogin(variant) },
  ]
}

function createSignIn({
  api,
  deviceFields,
  signInFields,
}: SignInVariant): (request: OperationRequest, service: Service) => HttpResponse {
  const required = Object.fromEntries(['email', 'password', ...deviceFields].map((field) => [field, 1]))
  return ({ body, version }, service) => {
    const read = readFields(body, required)
    if (isResponse(read)) return read
    const { accounts } = service
    const { text } = read
    const signedIn = accounts.signIn(api, text('email'), text('password'), text(deviceFields[0]))
    if (typeof signedIn === 'string') return signInError(signedIn, accounts.blockedSeconds)
    return ok({ user_token: signedIn.token, ...signInFields(version, service) })
  }
}

function createPanelLogin({
  api,
  codeField,
}: SignInVariant): (request: OperationRequest, service: Service) => HttpResponse {
  return ({ body, userToken }, { accounts }) => {
    const read = readFields(body, { panel_serial: 1, [codeField]: minCodeLength, app_id: 1 })
    if (isResponse(read)) return read
    const { text } = read
    const login = { userToken, serial: text('panel_serial'), code: text(codeField), appId: text('app_id') }
    const loggedIn = accounts.logIn(api, login)
    if (typeof loggedIn === 'string') return signInError(loggedIn, accounts.blockedSeconds, codeField)
    return ok({ session_token: loggedIn.token })
  }
}
