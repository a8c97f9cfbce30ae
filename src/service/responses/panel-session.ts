import { type Check, record } from '../schema.ts'
import { token } from './token.ts'

/** The answer to POST /panel/login (field fact; interface specification 5.6 does not define it). */
export interface PanelSession {
  session_token: string
}

/** Check of the answer to POST /panel/login. */
export const panelSession: Check<PanelSession> = record({ session_token: token })
