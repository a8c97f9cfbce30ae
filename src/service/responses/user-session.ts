import { type Check, or, record } from './check.ts'
import { type Customization, customization } from './customization.ts'
import { flagOrNull, textOrEmpty } from './fallbacks.ts'
import { type Licence, licence } from './licence.ts'
import { token } from './token.ts'

/** Whose account it is. */
export interface UserInfo {
  name: string
  email: string
  phone: string
}

/** What the server lets a service account do; null where it does not say. */
export interface ServerAbilities {
  installer_allowed_to_remove_panels: boolean | null
  virtual_panel_support: boolean | null
}

/**
 * The answer to either sign-in, POST /auth: the service's own (interface specification 2.1 and 4.1) gives info,
 * server and license, the end user's (4.2) gives customization; null is what the service did not give.
 */
export interface UserSession {
  /** Credential for all that follows: it never leaves the account. */
  user_token: string
  info: UserInfo | null
  server: ServerAbilities | null
  license: Licence | null
  customization: Customization | null
}

const info: Check<UserInfo> = record({ name: textOrEmpty, email: textOrEmpty, phone: textOrEmpty })

const server: Check<ServerAbilities> = record({
  installer_allowed_to_remove_panels: flagOrNull,
  virtual_panel_support: flagOrNull,
})

/** Check of the answer to POST /auth; only the token must be there. */
export const userSession: Check<UserSession> = record({
  user_token: token,
  info: or(info, null),
  server: or(server, null),
  license: or(licence, null),
  customization: or(customization, null),
})

/** What a sign-in said beside its token; what the service did not give is absent. */
export type SessionDetails = {
  [K in keyof Omit<UserSession, 'user_token'>]?: NonNullable<UserSession[K]>
}

/** The session as it may be shown to a flow; a copy, since a flow may change what it is given. */
export function withoutToken({ info, server, license, customization }: UserSession): SessionDetails {
  return structuredClone({
    ...(info && { info }),
    ...(server && { server }),
    ...(license && { license }),
    ...(customization && { customization }),
  })
}
