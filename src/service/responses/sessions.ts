import {
  type Check,
  type Checked,
  flagOrNull,
  invalid,
  type JsonValue,
  passthrough,
  record,
  text,
  textOrEmpty,
  withDefault,
} from '../schema.ts'
import { type License, license } from './license.ts'
import { type Customization, customization } from './panels.ts'

/**
 * A token that fits into a header. Any other would never be sent, which would look like a network failure.
 */
export const token: Check<string> = (value, tally) => {
  const checked = text(value, tally)
  return checked !== invalid && /^[\x21-\x7e]+$/.test(checked) ? checked : invalid
}

/** The owner of the account. */
export interface UserInfo {
  name: string
  email: string
  phone: string
}

/** The permissions that the server gives a service account; null if it leaves them out. */
export interface ServerAbilities {
  installer_allowed_to_remove_panels: boolean | null
  virtual_panel_support: boolean | null
}

/**
 * The answer to either sign-in, POST /auth. The service's own (interface specification 2.1 and 4.1) has info,
 * server and license, the end user's (4.2) has customization; null for a member that the service did not
 * send.
 */
export interface UserSession {
  /** Credential for all later requests: it never leaves the account. */
  user_token: string
  info: UserInfo | null
  server: ServerAbilities | null
  license: License | null
  customization: Customization | null
}

const info: Check<UserInfo> = record({ name: textOrEmpty, email: textOrEmpty, phone: textOrEmpty })

const server: Check<ServerAbilities> = record({
  installer_allowed_to_remove_panels: flagOrNull,
  virtual_panel_support: flagOrNull,
})

/** Check of the answer to POST /auth; only the token is required. */
const userSession: Check<UserSession> = record({
  user_token: token,
  info: withDefault(info, null),
  server: withDefault(server, null),
  license: withDefault(license, null),
  customization: withDefault(customization, null),
})

/** The answer to a sign-in as an account keeps it. */
export interface SignInAnswer extends UserSession {
  /** All that the service sent, except its tokens: this is what a flow may see. */
  details: JsonValue
}

const wholeAnswer = passthrough(userSession)

/** Check of the answer to POST /auth that also keeps what the service sends beyond the known fields. */
export const signInAnswer: Check<SignInAnswer> = (value, tally) => {
  const session = userSession(value, tally)
  const whole = wholeAnswer(value, tally)
  if (session === invalid || whole === invalid) return invalid
  return { ...session, details: withoutTokens(whole, session.user_token) }
}

/** Returns a copy without the members that are named after a token, and without texts that contain `token`. */
function withoutTokens(value: JsonValue, token: string): JsonValue {
  const isSecret = (entry: JsonValue) => typeof entry === 'string' && entry.includes(token)
  if (Array.isArray(value)) {
    return value.flatMap((entry) => (isSecret(entry) ? [] : [withoutTokens(entry, token)]))
  }
  if (typeof value !== 'object' || value === null) return value
  const members: Record<string, JsonValue> = {}
  for (const [name, member] of Object.entries(value)) {
    if (/token/i.test(name) || name.includes(token) || isSecret(member)) continue
    members[name] = withoutTokens(member, token)
  }
  return members
}

/** The answer to POST /panel/login (field fact; interface specification 5.6 does not define it). */
export type PanelSession = Checked<typeof panelSession>

/** Check of the answer to POST /panel/login. */
export const panelSession = record({ session_token: token })
