/**
 * Small checks that copy: what the service sent goes in, a fresh value of a known shape comes out.
 *
 * Wire objects never travel on, because a `__proto__` member would become the prototype of a clone. A broken
 * entry of a list is left out and counted; a field that may be missing falls back instead of failing.
 */

/** Counts what was left out while an answer was checked. */
export interface Tally {
  dropped: number
}

/** The answer of a check that does not fit. */
export const misfit = Symbol('misfit')

/** Copies the part of `value` it knows, or answers that the value does not fit. */
export type Check<T> = (value: unknown, tally: Tally) => T | typeof misfit

type Checked<C> = C extends Check<infer T> ? T : never

/** Characters; a longer text is no name, word or token of any service, and would go into topics and keys. */
const longestText = 10_000

/** A text that must be there; a number is taken as its digits, since some services send serials so. */
export const text: Check<string> = (value) => {
  if (typeof value === 'string') return value.length <= longestText ? value : misfit
  return typeof value === 'number' ? String(value) : misfit
}

/** A whole number that must be there and is exact (below 2^53). */
export const integer: Check<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : misfit)

/** A finite number that must be there. */
export const number: Check<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : misfit

/** True or false; must be there. */
export const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : misfit)

/** `check`, or `fallback` where the value is missing, null or of another type. */
export function or<T, F>(check: Check<T>, fallback: F): (value: unknown, tally: Tally) => T | F {
  return (value, tally) => {
    const checked = check(value, tally)
    return checked === misfit ? fallback : checked
  }
}

/**
 * A list; entries that do not fit are left out and counted.
 * @param longest a list of more entries does not fit: what follows from each takes time, and Node-RED must not stand still
 */
export function list<T>(entry: Check<T>, longest = Number.POSITIVE_INFINITY): Check<T[]> {
  return (value, tally) => {
    if (!Array.isArray(value) || value.length > longest) return misfit
    // Not pushed one by one: most lists have one entry, and the engine would keep room for sixteen more.
    const copies = value.map((item) => entry(item, tally))
    if (!copies.includes(misfit)) return copies as T[]
    const fitting = copies.filter((copy): copy is Exclude<typeof copy, symbol> => copy !== misfit)
    tally.dropped += copies.length - fitting.length
    return fitting
  }
}

/** The members of an object as they came; `__proto__` is a member like any other in what JSON.parse makes. */
type Wire = Readonly<Record<string, unknown>>

/** An object with exactly the given members; it does not fit when one of them does not. */
export function record<C extends Record<string, Check<unknown>>>(
  members: C,
): Check<{ [K in keyof C]: Checked<C[K]> }> {
  const names = Object.keys(members)
  const checks = Object.values(members)
  return (value, tally) => {
    if (!isObject(value)) return misfit
    const copy: Record<string, unknown> = {}
    for (const [at, check] of checks.entries()) {
      const name = names[at] as string
      const checked = check(value[name], tally)
      if (checked === misfit) return misfit
      copy[name] = checked
    }
    return copy as { [K in keyof C]: Checked<C[K]> }
  }
}

/**
 * The same for the entries of long lists: `read` names the members in code, so that the compiler of the engine
 * sees the object it makes. That is four times as fast as a `record`.
 */
export function entry<M extends object>(
  read: (wire: Wire, tally: Tally) => M,
): Check<{ [K in keyof M]: Exclude<M[K], symbol> }> {
  return (value, tally) => {
    if (!isObject(value)) return misfit
    const copy = read(value, tally)
    for (const name in copy) if (copy[name] === misfit) return misfit
    return copy as { [K in keyof M]: Exclude<M[K], symbol> }
  }
}

/** An object whose member names are data; entries that do not fit are left out and counted. */
export function dictionary<T>(entry: Check<T>): Check<Map<string, T>> {
  return (value, tally) => {
    if (!isObject(value)) return misfit
    const copy = new Map<string, T>()
    for (const [name, item] of Object.entries(value)) {
      const checked = entry(item, tally)
      if (checked === misfit) tally.dropped += 1
      else copy.set(name, checked)
    }
    return copy
  }
}

function isObject(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a check made of a whole answer: the copy and the number of entries left out, or nothing. */
export function parse<T>(check: Check<T>, value: unknown): { value: T; dropped: number } | undefined {
  const tally = { dropped: 0 }
  const checked = check(value, tally)
  return checked === misfit ? undefined : { value: checked, dropped: tally.dropped }
}
