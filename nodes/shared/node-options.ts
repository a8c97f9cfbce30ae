/**
 * Settings of a flow node as they stand in a flow file: a list may be missing, hold numbers as texts, or be one text
 * where an environment variable filled it.
 */

/** A list of texts; empty where nothing is chosen. */
export function words(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  return list
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).trim())
    .filter((item) => item !== '')
}

/** A list of whole numbers. */
export function numbers(value: unknown): number[] {
  return words(value).map(Number).filter(Number.isInteger)
}

/** A tick; what is missing counts as `fallback`. */
export function tick(value: unknown, fallback: boolean): boolean {
  return value === undefined || value === '' ? fallback : value === true || value === 'true'
}

/** One of several words; what is missing or unknown counts as the first. */
export function oneOf<const W extends string>(value: unknown, choices: readonly [W, ...W[]]): W {
  return choices.find((choice) => choice === value) ?? choices[0]
}

/** An amount from 0 up; what is missing or no number counts as 0. */
export function amount(value: unknown): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) && number > 0 ? number : 0
}
