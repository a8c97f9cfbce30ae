import { alarms } from './alarms.ts'
import { alerts } from './alerts.ts'
import type { Check } from './check.ts'
import { configurationList } from './configuration-list.ts'
import { devices } from './devices.ts'
import { eventProfiles } from './event-profiles.ts'
import { panelEvents } from './events.ts'
import { featureSet } from './feature-set.ts'
import { locations } from './locations.ts'
import { panelInfo } from './panel-info.ts'
import { panelSession } from './panel-session.ts'
import { panels } from './panels.ts'
import { processStatus } from './process-status.ts'
import { type ProcessToken, processToken } from './process-token.ts'
import { rriResults } from './rri-results.ts'
import { standardLog } from './standard-log.ts'
import { status } from './status.ts'
import { troubles } from './troubles.ts'
import { userSession } from './user-session.ts'
import { users } from './users.ts'
import { offeredVersions } from './version.ts'

/** Which tokens an operation is sent with, as headers `User-Token` and `Session-Token` (field fact). */
export type Tokens = 'none' | 'user' | 'user and session'

/** One operation of the service. */
export interface Operation<T> {
  /** Names the operation in messages and tables. */
  readonly name: string
  /** What becomes of the answer; answers of one operation in two forms are kept apart. */
  readonly form: 'known fields' | 'in full'
  readonly method: 'GET' | 'POST'
  /** Path below the base address; `{locale}` and `{token}` stand for what the question gives. */
  readonly path: string
  readonly tokens: Tokens
  readonly check: Check<T>
  /** False for lists that are worth nothing once compared, so that they do not stay in memory. */
  readonly kept: boolean
}

function operation<T>(
  name: string,
  method: 'GET' | 'POST',
  path: string,
  tokens: Tokens,
  check: Check<T>,
  kept = true,
): Operation<T> {
  return { name, form: 'known fields', method, path, tokens, check, kept }
}

/** An operation that reads one panel: its path is its name, and it takes both tokens. */
function reading<T>(name: string, check: Check<T>, kept = true): Operation<T> {
  return operation(name, 'GET', `/${name}`, 'user and session', check, kept)
}

/** An operation by which one panel does something, by and by; the answer is the token to ask for its progress with. */
function command(name: string): Operation<ProcessToken> {
  return operation(name, 'POST', `/${name}`, 'user and session', processToken, false)
}

/**
 * Every operation of the service (interface specification 4). Adding one is adding a row.
 *
 * Field facts: both sign-ins (4.1 and 4.2) are POST /auth, below base addresses of their own. The specification
 * does not show `version`, `panel/login`, `status`, `alarms`, `alerts`, `troubles`, `locations`, `users`,
 * the commands and `process_status`. It says that `standard_log`, `rri_results`, `configuration_list` and events of shape B need
 * the user token alone; yet only the session token tells which panel is meant, so services take both.
 */
export const operations = {
  version: operation('version', 'GET', '/rest_api/version', 'none', offeredVersions),
  signIn: operation('auth', 'POST', '/auth', 'none', userSession),
  openPanel: operation('panel/login', 'POST', '/panel/login', 'user', panelSession),
  panels: operation('panels', 'GET', '/panels', 'user', panels),
  panelInfo: reading('panel_info', panelInfo),
  featureSet: reading('feature_set', featureSet),
  status: reading('status', status),
  alarms: reading('alarms', alarms),
  alerts: reading('alerts', alerts),
  troubles: reading('troubles', troubles),
  devices: reading('devices', devices),
  locations: reading('locations', locations),
  users: reading('users', users),
  events: reading('events', panelEvents, false),
  standardLog: reading('standard_log', standardLog),
  rriResults: reading('rri_results', rriResults),
  configurationList: reading('configuration_list', configurationList),
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
