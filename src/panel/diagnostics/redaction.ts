import type { JsonValue } from '../../service/schema.ts'
import {
  isKnownReason,
  isKnownTypeId,
  isKnownWord,
  knownFields,
  knownPhrase,
  numberFields,
} from './known-words.ts'

/** Numbers below this one are counts, seconds or numbers of zones; codes, serials and phones are above. */
const smallest = 1000

/** The first number that stands in for another one; above all numbers that may stay. */
const firstStandIn = 1_000_001

/** Times of the service, of this century or its zero value; the offset is one that exists. */
const time =
  /^(20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])|0000-00-00)([T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(Z|[+-](0\d|1[0-4]):?(00|15|30|45))?)?$/

/**
 * Replaces everything that may be private in answers of the service.
 *
 * Harmless values stay: words of the service in their own fields, names of known fields, small numbers in fields of
 * known meaning, times, true and false. Every other text becomes `text-1`, `text-2` and so on,
 * every other number a number above a million, also in names of fields. The same text or number always becomes the
 * same stand-in, a number and its digits as a text too, so references between the answers still match. Numbers keep
 * their order, because the order of ids tells which event is newer.
 */
export function redact(values: readonly JsonValue[]): JsonValue[] {
  return redactAll(({ value }) => values.map((one) => value(one, '')))
}

/** Replaces what may be private, with the same stand-ins for one thing until all is done. */
export interface Redaction {
  /**
   * Returns a copy of a value with stand-ins.
   * @param field name of the field that holds the value, or the list with it; empty if it is not known
   */
  value(value: JsonValue, field: string): JsonValue
  /** Returns the name of a field, or its stand-in. */
  name(name: string): string
}

/**
 * Does the same for values that are parts of something else.
 * @param copy called twice: first to learn all numbers, which keep their order
 */
export function redactAll<T>(copy: (redaction: Redaction) => T): T {
  const numbers = new Set<number>()
  copy(redactionWith({ text: (text) => text, number: (n) => numbers.add(n) && n }))
  const ordered = [...numbers].sort((one, other) => one - other)
  const numberStandIns = new Map(ordered.map((number, at) => [number, firstStandIn + at]))
  const textStandIns = new Map<string, string>()
  const number = (given: number) => numberStandIns.get(given) ?? firstStandIn
  const text = (given: string) => {
    const standIn = textStandIns.get(given) ?? `text-${textStandIns.size + 1}`
    textStandIns.set(given, standIn)
    return standIn
  }
  return copy(redactionWith({ text, number }))
}

function redactionWith(replacement: Replacement): Redaction {
  return {
    value: (value, field) => walk(value, field, replacement),
    name: (name) => nameOf(name, replacement),
  }
}

/** The replacement of one text and one number. */
interface Replacement {
  text(text: string): string
  number(number: number): number
}

/**
 * Copies a value with its replacements.
 * @param field name of the field that holds the value, or the list with it; empty if it is not known
 */
function walk(value: JsonValue, field: string, replacement: Replacement): JsonValue {
  if (typeof value === 'string') return textOf(value, field, replacement)
  if (typeof value === 'number') return mayStay(value, field) ? value : replacement.number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => walk(item, field, replacement))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      nameOf(name, replacement),
      walk(member, knownFields.has(name) ? name : '', replacement),
    ]),
  )
}

function textOf(text: string, field: string, replacement: Replacement): string {
  if (text === '' || time.test(text) || isKnownWord(field, text)) return text
  if (field === 'partition' && /^\d{1,2}$/.test(text)) return text
  if (field.endsWith('_versions') && isVersion(text)) return text
  const phrase = field === 'error_message' ? knownPhrase(text) : undefined
  if (phrase !== undefined) return phrase
  return standInOf(text, replacement)
}

/** The name of a field; short numbers are those of users and groups of events. */
function nameOf(name: string, replacement: Replacement): string {
  return knownFields.has(name) || /^\d{1,3}$/.test(name) ? name : standInOf(name, replacement)
}

/** Services send a serial number as a number or as a text: both get the same digits. */
function standInOf(text: string, replacement: Replacement): string {
  const number = Number(text)
  const isNumber = Number.isFinite(number) && String(number) === text
  return isNumber ? String(replacement.number(number)) : replacement.text(text)
}

function mayStay(number: number, field: string): boolean {
  if (isKnownTypeId(field, number) || isKnownReason(field, number) || number === 0) return true
  // Half degrees have one decimal; more of them could be a coordinate.
  const isCoarse = Number.isInteger(field === 'value' ? number * 10 : number)
  return numberFields.has(field) && Math.abs(number) < smallest && isCoarse
}

/** Returns true for a version of the service, such as 14.0. */
export function isVersion(text: string): boolean {
  return /^\d{1,2}(\.\d{1,2})?$/.test(text)
}
