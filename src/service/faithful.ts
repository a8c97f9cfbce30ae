import { type Check, misfit, type Tally } from './check.ts'

/** Any value that JSON has, made of plain objects and lists. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const deepest = 32

/**
 * An answer that fits `check`, as a deep copy of the whole of what came and not of the known members alone.
 *
 * What is absent stays absent, null stays null, and members that nobody knows pass, also in entries that `check`
 * itself would leave out. Left out and counted are members named `__proto__`, `constructor` or `prototype`,
 * numbers that are not finite (`1e999` in a text), and what lies more than 32 levels deep.
 */
export function faithful(check: Check<unknown>): Check<Json> {
  return (value, tally) => {
    // What the check leaves out is in the copy, so it does not count as left out.
    if (check(value, { dropped: 0 }) === misfit) return misfit
    return copied(value, 1, tally)
  }
}

function copied(value: unknown, depth: number, tally: Tally): Json | typeof misfit {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : misfit
  if (typeof value !== 'object' || depth > deepest) return misfit
  return Array.isArray(value) ? copiedList(value, depth, tally) : copiedObject(value, depth, tally)
}

function copiedList(list: readonly unknown[], depth: number, tally: Tally): Json[] {
  const copy: Json[] = []
  for (const item of list) {
    const fitting = copied(item, depth + 1, tally)
    if (fitting === misfit) tally.dropped += 1
    else copy.push(fitting)
  }
  return copy
}

function copiedObject(object: object, depth: number, tally: Tally): { [name: string]: Json } {
  const copy: { [name: string]: Json } = {}
  // Half as dear as Object.entries, and the same for what JSON.parse makes.
  for (const name in object) {
    const member = (object as Readonly<Record<string, unknown>>)[name]
    const fitting = isDangerous(name) ? misfit : copied(member, depth + 1, tally)
    if (fitting === misfit) tally.dropped += 1
    else copy[name] = fitting
  }
  return copy
}

/** Names that reach for a prototype in whatever clones or merges the copy later. */
function isDangerous(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}
