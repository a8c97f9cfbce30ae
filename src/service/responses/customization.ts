import { type Check, integer, list, or, record, text } from './check.ts'
import { flagOrFalse, integerOrNull, textOrEmpty, texts } from './fallbacks.ts'

/** A colour scheme of the provider's app. */
export interface Theme {
  name: string
  /** `light` or `dark`. */
  brightness: string
  /** Hex colours `#RRGGBB`; the gradient has three in the shown data. Null where none are given. */
  colors: { primary: string; gradient: string[] } | null
}

/** Which apps belong to the provider, and how they look. */
export interface CustomizationData {
  /** May be empty. */
  apptype: string
  /** Address in the store. */
  android: string
  /** Address in the store. */
  ios: string
  customization: { themes: Theme[] } | null
}

/** The provider's look (interface specification 2.3); services before version 10 send none (field fact). */
export interface Customization {
  id: number
  name: string
  is_default: boolean
  /** A number whose meaning the specification does not say; null where it is missing. */
  created: number | null
  /** The same. */
  changed: number | null
  data: CustomizationData | null
}

const theme: Check<Theme> = record({
  name: text,
  brightness: textOrEmpty,
  colors: or(record({ primary: textOrEmpty, gradient: texts }), null),
})

const data: Check<CustomizationData> = record({
  apptype: textOrEmpty,
  android: textOrEmpty,
  ios: textOrEmpty,
  customization: or(record({ themes: or(list(theme), []) }), null),
})

/** A customization as it stands in the end user's sign-in answer and in the list of panels. */
export const customization: Check<Customization> = record({
  id: integer,
  name: textOrEmpty,
  is_default: flagOrFalse,
  created: integerOrNull,
  changed: integerOrNull,
  data: or(data, null),
})
