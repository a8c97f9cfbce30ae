import { type Check, list, or, record, text } from './check.ts'

/** What the service offers, from GET /rest_api/version (field fact: no credentials, no version in the path). */
export interface OfferedVersions {
  rest_versions: string[]
  installer_versions: string[]
}

/** Check of the answer to GET /rest_api/version; a list that is missing counts as empty. */
export const offeredVersions: Check<OfferedVersions> = record({
  rest_versions: or(list(text), []),
  installer_versions: or(list(text), []),
})

/** The part of the sign-in answer that we use (interface specification 4.1 and 4.2). */
export interface UserSession {
  user_token: string
}

/** Check of the answer to POST /auth. */
export const userSession: Check<UserSession> = record({ user_token: text })

/** What opens a panel: the answer to POST /panel/login (field fact; interface specification 5.6 leaves it open). */
export interface PanelSession {
  session_token: string
}

/** Check of the answer to POST /panel/login. */
export const panelSession: Check<PanelSession> = record({ session_token: text })
