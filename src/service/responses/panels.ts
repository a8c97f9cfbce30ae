import { type Check, list, or, record, text } from './check.ts'
import { type Customization, customization } from './customization.ts'
import { textOrEmpty } from './fallbacks.ts'

/** A panel of the account, as the list of panels names it (interface specification 2.4). */
export interface AccountPanel {
  panel_serial: string
  /** The user's own name for the panel. */
  alias: string
  /** `MASTER_USER` was seen; an open set. */
  role: string
  customization: Customization | null
  /** Field fact: sent from version 14 on, else empty. */
  panel_model: string
  /** Family of the panel, such as `POWER_MASTER` (field fact: from version 14 on, and by the installer service). */
  type: string
}

const accountPanel: Check<AccountPanel> = record({
  panel_serial: text,
  alias: textOrEmpty,
  role: textOrEmpty,
  customization: or(customization, null),
  panel_model: textOrEmpty,
  type: textOrEmpty,
})

/** The answer to GET /panels (interface specification 4.3). */
export const panels: Check<AccountPanel[]> = list(accountPanel)
