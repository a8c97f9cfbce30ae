/**
 * Reads settings of a flow node from a flow file: a list may be missing, contain numbers as strings, or be a
 * single string (the value of an environment variable).
 */

/** Returns a list of strings; empty if nothing is selected. */
export function stringList(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  return list
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).trim())
    .filter((item) => item !== '')
}

/** Returns a list of integers; skips other values. */
export function integerList(value: unknown): number[] {
  return stringList(value).map(Number).filter(Number.isInteger)
}

/** Returns a boolean; a missing value counts as `fallback`. */
export function booleanOption(value: unknown, fallback: boolean): boolean {
  return value === undefined || value === '' ? fallback : value === true || value === 'true'
}

/** Returns one of several words; a missing or unknown value counts as the first. */
export function oneOf<const W extends string>(value: unknown, choices: readonly [W, ...W[]]): W {
  return choices.find((choice) => choice === value) ?? choices[0]
}

/** Returns a number from 0 up; a missing, negative or invalid value counts as 0. */
export function positiveNumber(value: unknown): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) && number > 0 ? number : 0
}
