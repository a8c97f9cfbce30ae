import { flag, integer, list, or, text } from './check.ts'

/** A text; empty where it is missing or null. */
export const textOrEmpty = or(text, '')

/** A text; null where it is missing. */
export const textOrNull = or(text, null)

/** A whole number; null where it is missing. */
export const integerOrNull = or(integer, null)

/** True or false; false where it is missing or null. */
export const flagOrFalse = or(flag, false)

/** True or false; null where the service does not say. */
export const flagOrNull = or(flag, null)

/** A list of texts; empty where it is missing or null. */
export const texts = or(list(text), [])

/** A list of whole numbers, such as ids of partitions; empty where it is missing or null. */
export const integers = or(list(integer), [])
