import { flagOrNull, textOrEmpty } from '../optional-fields.ts'
import { type Check, invalid, record, text, withDefault } from '../schema.ts'
import { type Customization, customization } from './customization.ts'
import { type License, license } from './license.ts'

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
export const userSession: Check<UserSession> = record({
  user_token: token,
  info: withDefault(info, null),
  server: withDefault(server, null),
  license: withDefault(license, null),
  customization: withDefault(customization, null),
})

/** The answer to a sign-in without its token; members that the service did not send are absent. */
export type SessionDetails = {
  [K in keyof Omit<UserSession, 'user_token'>]?: NonNullable<UserSession[K]>
}

/** Returns the session in a form that a flow may see. It is a copy, since a flow may change its messages. */
export function withoutToken({ info, server, license, customization }: UserSession): SessionDetails {
  return structuredClone({
    ...(info && { info }),
    ...(server && { server }),
    ...(license && { license }),
    ...(customization && { customization }),
  })
}

/** The answer to POST /panel/login (field fact; interface specification 5.6 does not define it). */
export interface PanelSession {
  session_token: string
}

/** Check of the answer to POST /panel/login. */
export const panelSession: Check<PanelSession> = record({ session_token: token })
