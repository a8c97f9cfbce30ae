import { type Check, type DropCount, invalid } from './schema.ts'

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
