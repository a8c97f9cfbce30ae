import { textOrEmpty } from '../optional-fields.ts'
import { type Check, list, record, text, withDefault } from '../schema.ts'
import { type Customization, customization } from './customization.ts'

/** A panel of the account, from the list of panels (interface specification 2.4). */
export interface AccountPanel {
  panel_serial: string
  /** The user's own name for the panel. */
  alias: string
  /** `MASTER_USER` was seen; an open set. */
  role: string
  customization: Customization | null
  /** Field fact: sent since version 14, otherwise empty. */
  panel_model: string
  /** Panel family, such as `POWER_MASTER` (field fact: since version 14, and by the installer service). */
  type: string
}

const accountPanel: Check<AccountPanel> = record({
  panel_serial: text,
  alias: textOrEmpty,
  role: textOrEmpty,
  customization: withDefault(customization, null),
  panel_model: textOrEmpty,
  type: textOrEmpty,
})

/** The answer to GET /panels (interface specification 4.3). */
export const panels: Check<AccountPanel[]> = list(accountPanel)
