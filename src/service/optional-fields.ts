import { flag, integer, list, text, withDefault } from './schema.ts'

/** A text; empty if it is missing or null. */
export const textOrEmpty = withDefault(text, '')

/** A text; null if it is missing. */
export const textOrNull = withDefault(text, null)

/** A whole number; null if it is missing. */
export const integerOrNull = withDefault(integer, null)

/** True or false; false if it is missing or null. */
export const flagOrFalse = withDefault(flag, false)

/** True or false; null if it is missing. */
export const flagOrNull = withDefault(flag, null)

/** A list of texts; empty if it is missing or null. */
export const texts = withDefault(list(text), [])

/** A list of whole numbers, such as partition ids; empty if it is missing or null. */
export const integers = withDefault(list(integer), [])
