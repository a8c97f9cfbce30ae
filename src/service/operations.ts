import { alarms } from './alarms.ts'
import type { Check } from './check.ts'
import { devices } from './devices.ts'
import { eventProfiles } from './event-profiles.ts'
import { panelEvents } from './events.ts'
import { panelInfo } from './panel-info.ts'
import { panels } from './panels.ts'
import { offeredVersions, panelSession, userSession } from './sign-in.ts'
import { status } from './status.ts'

/** Which tokens an operation is sent with, as headers `User-Token` and `Session-Token` (field fact). */
export type Tokens = 'none' | 'user' | 'user and session'

/** One operation of the service. */
export interface Operation<T> {
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Path below the base address; `{locale}` is replaced by the question's locale. */
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
  return { name, method, path, tokens, check, kept }
}

/**
 * Every operation we use (interface specification 4). Adding one is adding a row.
 *
 * `version`, `panel/login`, `status` and `alarms` are field facts: the specification does not show them.
 */
export const operations = {
  version: operation('version', 'GET', '/rest_api/version', 'none', offeredVersions),
  signIn: operation('auth', 'POST', '/auth', 'none', userSession),
  openPanel: operation('panel/login', 'POST', '/panel/login', 'user', panelSession),
  panels: operation('panels', 'GET', '/panels', 'user', panels),
  panelInfo: operation('panel_info', 'GET', '/panel_info', 'user and session', panelInfo),
  status: operation('status', 'GET', '/status', 'user and session', status),
  alarms: operation('alarms', 'GET', '/alarms', 'user and session', alarms),
  devices: operation('devices', 'GET', '/devices', 'user and session', devices),
  events: operation('events', 'GET', '/events', 'user and session', panelEvents, false),
  eventProfiles: operation(
    'event_profiles',
    'GET',
    '/had/rules/event-profiles/{locale}',
    'user',
    eventProfiles,
  ),
} as const
