import { type Check, record } from './check.ts'
import { token } from './token.ts'

/** What opens a panel: the answer to POST /panel/login (field fact; interface specification 5.6 leaves it open). */
export interface PanelSession {
  session_token: string
}

/** Check of the answer to POST /panel/login. */
export const panelSession: Check<PanelSession> = record({ session_token: token })
