import { eventProfiles } from './catalogue/catalogue.ts'
import { alarms, alerts, troubles } from './responses/alarms.ts'
import { devices, locations } from './responses/devices.ts'
import { panelEvents, standardLog } from './responses/events.ts'
import { panelLimits } from './responses/feature-set.ts'
import { configurationList, rriResults } from './responses/maintenance.ts'
import { panelInfo } from './responses/panel-info.ts'
import { panels } from './responses/panels.ts'
import { type ProcessToken, processStatus, processToken } from './responses/process-status.ts'
import { panelSession, signInAnswer } from './responses/sessions.ts'
import { status } from './responses/status.ts'
import { users } from './responses/users.ts'
import { type Check, type Checked, type JsonValue, passthrough, record, texts } from './schema.ts'

/**
 * The tokens that an operation is sent with, as headers `User-Token` and `Session-Token` (field fact). With
 * `user, or both` it is sent with both if the panel can be opened, and with the user token alone if the service
 * has no operation for that, or if the request names no panel.
 */
export type Tokens = 'none' | 'user' | 'user and session' | 'user, or both'

/** One operation of the service. */
export interface Operation<T> {
  /** The name of the operation in messages and tables. */
  readonly name: string
  /** The form of the answer. Answers to one operation in different forms are kept separately. */
  readonly form: 'known fields' | 'in full' | 'as received'
  readonly method: 'GET' | 'POST'
  /** Path below the base address. `{locale}` and `{token}` are replaced with values of the request. */
  readonly path: string
  readonly tokens: Tokens
  /** True if its answer is about one panel. */
  readonly isAboutPanel: boolean
  readonly check: Check<T>
  /** False for lists that have no further use once they are compared, so that they do not stay in memory. */
  readonly isCacheable: boolean
}

function operation<T>(
  name: string,
  method: 'GET' | 'POST',
  path: string,
  tokens: Tokens,
  check: Check<T>,
  isCacheable = true,
): Operation<T> {
  const isAboutPanel = tokens === 'user and session' || tokens === 'user, or both'
  return { name, form: 'known fields', method, path, tokens, isAboutPanel, check, isCacheable }
}

/** An operation that reads one panel: its path is its name, and it needs both tokens. */
function panelRead<T>(name: string, check: Check<T>, kept = true): Operation<T> {
  return operation(name, 'GET', `/${name}`, 'user and session', check, kept)
}

/** An operation that reads one panel, and that the specification lists with the user token alone. */
function unopenedRead<T>(name: string, check: Check<T>, kept = true): Operation<T> {
  return operation(name, 'GET', `/${name}`, 'user, or both', check, kept)
}

/** An operation that makes a panel do something. Its answer is the token for requesting the progress. */
function command(name: string): Operation<ProcessToken> {
  return operation(name, 'POST', `/${name}`, 'user and session', processToken, false)
}

/** The answer to GET /rest_api/version (field fact: no credentials, no version in the path). */
export type OfferedVersions = Checked<typeof offeredVersions>

/** Check of the answer to GET /rest_api/version; a missing list counts as empty. */
const offeredVersions = record({ rest_versions: texts, installer_versions: texts })

/**
 * All operations of the service (interface specification 4). To add one, add a row.
 *
 * Field facts: both sign-ins (4.1 and 4.2) are POST /auth, below separate base addresses. The specification
 * does not show `version`, `panel/login`, `status`, `alarms`, `alerts`, `troubles`, `locations`, `users`, the
 * commands and `process_status`. It says that `standard_log`, `rri_results`, `configuration_list` and events
 * of shape B need the user token alone. But only the session token identifies the panel, so both are sent
 * wherever a panel can be opened.
 */
export const operations = {
  version: operation('version', 'GET', '/rest_api/version', 'none', offeredVersions),
  signIn: operation('auth', 'POST', '/auth', 'none', signInAnswer),
  openPanel: operation('panel/login', 'POST', '/panel/login', 'user', panelSession),
  panels: operation('panels', 'GET', '/panels', 'user', panels),
  panelInfo: panelRead('panel_info', panelInfo),
  featureSet: panelRead('feature_set', panelLimits),
  status: panelRead('status', status),
  alarms: panelRead('alarms', alarms),
  alerts: panelRead('alerts', alerts),
  troubles: panelRead('troubles', troubles),
  devices: panelRead('devices', devices),
  locations: panelRead('locations', locations),
  users: panelRead('users', users),
  events: unopenedRead('events', panelEvents, false),
  standardLog: unopenedRead('standard_log', standardLog),
  rriResults: unopenedRead('rri_results', rriResults),
  configurationList: unopenedRead('configuration_list', configurationList),
  eventProfiles: operation(
    'event_profiles',
    'GET',
    '/had/rules/event-profiles/{locale}',
    'user',
    eventProfiles,
  ),
  setState: command('set_state'),
  setBypassZone: command('set_bypass_zone'),
  activateSiren: command('activate_siren'),
  disableSiren: command('disable_siren'),
  processStatus: operation(
    'process_status',
    'GET',
    '/process_status?process_tokens={token}',
    'user and session',
    processStatus,
    false,
  ),
} as const

/** The API on the host: the end user's (`user`) or the service's own, for installers (`service`). */
export type Api = 'user' | 'service'

/** Older versions sign in without e-mail and password and are a completely different API (field fact). */
export const oldestSupported = 8

/**
 * The operations that read something, by the service's own name for them.
 *
 * The session is not one of them: it is the answer to the sign-in, without its token (`SignInAnswer.details`).
 */
export const readable = {
  panels: operations.panels,
  panel_info: operations.panelInfo,
  feature_set: operations.featureSet,
  devices: operations.devices,
  standard_log: operations.standardLog,
  events: operations.events,
  rri_results: operations.rriResults,
  configuration_list: operations.configurationList,
  event_profiles: operations.eventProfiles,
  status: operations.status,
  alarms: operations.alarms,
  alerts: operations.alerts,
  troubles: operations.troubles,
  locations: operations.locations,
  users: operations.users,
} as const

// All answers are kept for the next caller, within its maxAge.
function withPassthrough(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'in full', check: passthrough(plain.check), isCacheable: true }
}

/** The operations that a flow may request; the answer has the service's own field names. */
export const queryable = Object.fromEntries(
  Object.entries(readable).map(([name, plain]) => [name, withPassthrough(plain)]),
) as Record<keyof typeof readable, Operation<JsonValue>>

/** Returns the operation with an answer that is not checked: for a person, not for a flow. */
export function asReceived(plain: Operation<unknown>): Operation<JsonValue> {
  return { ...plain, form: 'as received', check: passthrough((value) => value), isCacheable: false }
}

/** The name of an operation that a flow may request. */
export type QueryableName = keyof typeof queryable

/** Returns true if a text is the name of an operation that a flow may request. */
export function isQueryable(name: string): name is QueryableName {
  return Object.hasOwn(queryable, name)
}
