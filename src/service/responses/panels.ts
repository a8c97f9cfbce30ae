import {
  type Check,
  flagOrFalse,
  integer,
  integerOrNull,
  list,
  record,
  text,
  textOrEmpty,
  texts,
  withDefault,
} from '../schema.ts'

/** A color scheme of the provider's app. */
export interface Theme {
  name: string
  /** `light` or `dark`. */
  brightness: string
  /** Hex colors `#RRGGBB`; the gradient has three in the known examples. Null if there are none. */
  colors: { primary: string; gradient: string[] } | null
}

/** The provider's apps and their look. */
export interface CustomizationData {
  /** Can be empty. */
  apptype: string
  /** Address in the app store. */
  android: string
  /** Address in the app store. */
  ios: string
  customization: { themes: Theme[] } | null
}

/** The provider's look (interface specification 2.3); not sent by services before version 10 (field fact). */
export interface Customization {
  id: number
  name: string
  is_default: boolean
  /** A number with a meaning that the specification does not explain; null if it is missing. */
  created: number | null
  /** The same as `created`. */
  changed: number | null
  data: CustomizationData | null
}

const theme: Check<Theme> = record({
  name: text,
  brightness: textOrEmpty,
  colors: withDefault(record({ primary: textOrEmpty, gradient: texts }), null),
})

const data: Check<CustomizationData> = record({
  apptype: textOrEmpty,
  android: textOrEmpty,
  ios: textOrEmpty,
  customization: withDefault(record({ themes: withDefault(list(theme), []) }), null),
})

/** A customization in the end user's sign-in answer and in the list of panels. */
export const customization: Check<Customization> = record({
  id: integer,
  name: textOrEmpty,
  is_default: flagOrFalse,
  created: integerOrNull,
  changed: integerOrNull,
  data: withDefault(data, null),
})

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
