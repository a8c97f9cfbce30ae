import { type Check, list, or, record, text } from './check.ts'

/** A panel of the account, as the list of panels names it (interface specification 2.4). */
export interface AccountPanel {
  panel_serial: string
  /** The user's own name for the panel. */
  alias: string
  role: string
  /** Field fact: sent from version 14 on, else empty. */
  panel_model: string
  /** Family of the panel, such as `POWER_MASTER` (field fact: from version 14 on, and by the installer service). */
  type: string
}

const accountPanel: Check<AccountPanel> = record({
  panel_serial: text,
  alias: or(text, ''),
  role: or(text, ''),
  panel_model: or(text, ''),
  type: or(text, ''),
})

/** The answer to GET /panels (interface specification 4.3). */
export const panels: Check<AccountPanel[]> = list(accountPanel)
