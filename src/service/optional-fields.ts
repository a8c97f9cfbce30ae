import { flag, integer, list, or, text } from './schema.ts'

/** A text; empty if it is missing or null. */
export const textOrEmpty = or(text, '')

/** A text; null if it is missing. */
export const textOrNull = or(text, null)

/** A whole number; null if it is missing. */
export const integerOrNull = or(integer, null)

/** True or false; false if it is missing or null. */
export const flagOrFalse = or(flag, false)

/** True or false; null if it is missing. */
export const flagOrNull = or(flag, null)

/** A list of texts; empty if it is missing or null. */
export const texts = or(list(text), [])

/** A list of whole numbers, such as partition ids; empty if it is missing or null. */
export const integers = or(list(integer), [])
