/**
 * Small checks that copy: they take a value of the service and return a new value of a known shape.
 *
 * Objects of the service are never passed on, because a `__proto__` member would become the prototype of a
 * clone. An invalid entry of a list is dropped and counted; an optional field gets a fallback instead of an
 * error.
 */

import { numberFor } from './odd-ids.ts'

/** Counts the entries dropped while an answer is checked. */
export interface DropCount {
  dropped: number
}

/** The result of a check if the value does not fit. */
export const invalid = Symbol('misfit')

/** Copies the known part of `value`, or returns `invalid` if the value does not fit. */
export type Check<T> = (value: unknown, tally: DropCount) => T | typeof invalid

/** The type of what a check returns. */
export type Checked<C> = C extends Check<infer T> ? T : never

/** Characters. A longer text is not a name, code or token of any service, and would fill topics and keys. */
const maxTextLength = 10_000

/** A required text. A number is converted to its digits, since some services send serials as numbers. */
export const text: Check<string> = (value) => {
  if (typeof value === 'string') return value.length <= maxTextLength ? value : invalid
  return typeof value === 'number' ? String(value) : invalid
}

/** A required word of the service, in capitals: the case of a word has no meaning, and services differ in it. */
export const capitals: Check<string> = (value) =>
  typeof value === 'string' && value.length <= maxTextLength ? value.toUpperCase() : invalid

/** A required whole number that is exact (below 2^53). */
export const integer: Check<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : invalid)

const digits = /^-?\d{1,15}$/

/** A required id of a partition: a whole number, which some services send as text. A number stands for any other text. */
export const partitionId: Check<number> = (value) => {
  const number = typeof value === 'string' ? (digits.test(value) ? Number(value) : numberFor(value)) : value
  return Number.isSafeInteger(number) ? (number as number) : invalid
}

/** A required id or number of another thing: a whole number, which some services send as text. */
export const id: Check<number> = (value, tally) =>
  typeof value === 'string' && !digits.test(value) ? invalid : partitionId(value, tally)

/** A required finite number. */
export const number: Check<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : invalid

/** A required true or false. */
export const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : invalid)

/** One of some words. */
export function word<const W extends string>(words: readonly W[]): Check<W> {
  return (value) => words.find((one) => one === value) ?? invalid
}

/** Applies `check`, and returns `fallback` if the value is missing, null or of another type. */
export function withDefault<T, F>(check: Check<T>, fallback: F): (value: unknown, tally: DropCount) => T | F {
  return (value, tally) => {
    const checked = check(value, tally)
    return checked === invalid ? fallback : checked
  }
}

/**
 * A list; entries that do not fit are dropped and counted.
 * @param maxLength a longer list does not fit: later work takes time for each entry, and must not block
 * Node-RED
 */
export function list<T>(entry: Check<T>, maxLength = Number.POSITIVE_INFINITY): Check<T[]> {
  return (value, tally) => {
    if (!Array.isArray(value) || value.length > maxLength) return invalid
    // Not pushed one by one: most lists have one entry, and the engine would reserve memory for sixteen more.
    const copies = value.map((item) => entry(item, tally))
    if (!copies.includes(invalid)) return copies as T[]
    const fitting = copies.filter((copy): copy is Exclude<typeof copy, symbol> => copy !== invalid)
    tally.dropped += copies.length - fitting.length
    return fitting
  }
}

/** The members of a received object. `__proto__` is an ordinary member in objects that JSON.parse creates. */
type Wire = Readonly<Record<string, unknown>>

/** An object with exactly the given members; it does not fit if one of them does not. */
export function record<C extends Record<string, Check<unknown>>>(
  members: C,
): Check<{ [K in keyof C]: Checked<C[K]> }> {
  const names = Object.keys(members)
  const checks = Object.values(members)
  return (value, tally) => {
    if (!isObject(value)) return invalid
    const copy: Record<string, unknown> = {}
    for (const [at, check] of checks.entries()) {
      const name = names[at] as string
      const checked = check(value[name], tally)
      if (checked === invalid) return invalid
      copy[name] = checked
    }
    return copy as { [K in keyof C]: Checked<C[K]> }
  }
}

/**
 * The same as `record`, for the entries of long lists: `read` names the members in code, so that the engine's
 * compiler knows the object it creates. That is several times as fast as a `record`.
 * @param read returns `invalid` if a required member does not fit
 */
export function fastRecord<T extends object>(
  read: (wire: Wire, tally: DropCount) => T | typeof invalid,
): Check<T> {
  return (value, tally) => (isObject(value) ? read(value, tally) : invalid)
}

/** An object whose member names are data; entries that do not fit are dropped and counted. */
export function dictionary<T>(entry: Check<T>): Check<Map<string, T>> {
  return (value, tally) => {
    if (!isObject(value)) return invalid
    const copy = new Map<string, T>()
    for (const [name, item] of Object.entries(value)) {
      const checked = entry(item, tally)
      if (checked === invalid) tally.dropped += 1
      else copy.set(name, checked)
    }
    return copy
  }
}

/** Returns true for an object of the answer; false for a list, null or a plain value. */
export function isObject(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Applies a check to a whole answer. Returns the copy and the count of dropped entries, or undefined. */
export function parse<T>(check: Check<T>, value: unknown): { value: T; dropped: number } | undefined {
  const tally = { dropped: 0 }
  const checked = check(value, tally)
  return checked === invalid ? undefined : { value: checked, dropped: tally.dropped }
}

/** Returns a text parsed as JSON; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A text; empty if it is missing or null. */
export const textOrEmpty = withDefault(text, '')

/** A text; null if it is missing. */
export const textOrNull = withDefault(text, null)

/** A whole number; null if it is missing. */
export const integerOrNull = withDefault(integer, null)

/** An id; null if it is missing. */
export const idOrNull = withDefault(id, null)

/** A word in capitals; empty if it is missing or null. */
export const capitalsOrEmpty = withDefault(capitals, '')

/** A word in capitals; null if it is missing. */
export const capitalsOrNull = withDefault(capitals, null)

/** True or false; false if it is missing or null. */
export const flagOrFalse = withDefault(flag, false)

/** True or false; null if it is missing. */
export const flagOrNull = withDefault(flag, null)

/** A list of texts; empty if it is missing or null. */
export const texts = withDefault(list(text), [])

/** A list of words in capitals; empty if it is missing or null. */
export const capitalsList = withDefault(list(capitals), [])

/** A list of whole numbers; empty if it is missing or null. */
export const integers = withDefault(list(integer), [])

/** A list of ids of partitions; empty if it is missing or null. */
export const partitionIds = withDefault(list(partitionId), [])

/** Any JSON value, made of plain objects and lists. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** Lists and objects within each other: no answer comes near it, and a deeper one would exhaust the stack. */
const maxDepth = 32

/**
 * Returns a check whose result is a deep copy of the complete answer, not only of its known members. The
 * answer must fit `check`.
 *
 * Absent members stay absent, null stays null, and unknown members are copied, also in entries that `check`
 * itself would drop. Dropped and counted are members named `__proto__`, `constructor` or `prototype`, numbers
 * that are not finite (`1e999` in a text), and values more than 32 levels deep.
 */
export function passthrough(check: Check<unknown>): Check<JsonValue> {
  return (value, tally) => {
    // The entries that the check drops are in the copy, so they do not count as dropped.
    if (check(value, { dropped: 0 }) === invalid) return invalid
    return copied(value, 1, tally)
  }
}

function copied(value: unknown, depth: number, tally: DropCount): JsonValue | typeof invalid {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : invalid
  if (typeof value !== 'object' || depth > maxDepth) return invalid
  return Array.isArray(value) ? copiedList(value, depth, tally) : copiedObject(value, depth, tally)
}

function copiedList(list: readonly unknown[], depth: number, tally: DropCount): JsonValue[] {
  const copy: JsonValue[] = []
  for (const item of list) {
    const fitting = copied(item, depth + 1, tally)
    if (fitting === invalid) tally.dropped += 1
    else copy.push(fitting)
  }
  return copy
}

function copiedObject(object: object, depth: number, tally: DropCount): { [name: string]: JsonValue } {
  const copy: { [name: string]: JsonValue } = {}
  // Half the cost of Object.entries, and the same result for objects that JSON.parse creates.
  for (const name in object) {
    const member = (object as Readonly<Record<string, unknown>>)[name]
    const fitting = isDangerous(name) ? invalid : copied(member, depth + 1, tally)
    if (fitting === invalid) tally.dropped += 1
    else copy[name] = fitting
  }
  return copy
}

/** Returns true for names that reach a prototype if other code clones or merges the copy later. */
function isDangerous(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}
