import { type Check, type DropCount, invalid } from './schema.ts'

/** The most values of a kind that are remembered: a panel has some hundreds, and panels have many in common. */
const maxValues = 5000

/** Each text by itself; the engine keeps an own copy of each text of an answer. */
const texts = new Map<string, string>()

/**
 * Returns a check of texts that are kept for days, such as the subtypes of devices: equal ones share their memory, in all
 * panels. The engine itself shares those of up to ten letters.
 */
export function shared<T>(
  check: (value: unknown, tally: DropCount) => T,
): (...of: Parameters<Check<T>>) => T {
  let latest: T | undefined
  return (value, tally) => {
    const checked = check(value, tally)
    // Two devices in a row mostly have the same, and to compare them is quicker than to look one up.
    if (checked === latest) return latest as T
    if (typeof checked !== 'string') return checked
    latest = (texts.get(checked) ?? remember(texts, checked, checked)) as T & string
    return latest
  }
}

/**
 * Returns a check of texts that are mostly the same as the one before, such as the time of a panel's survey of its
 * devices: equal neighbors share their memory. To compare two texts is quicker than to look one up.
 */
export function sharedInARow(
  check: (value: unknown, tally: DropCount) => string,
): (value: unknown, tally: DropCount) => string {
  let latest = ''
  return (value, tally) => {
    const checked = check(value, tally)
    if (checked === latest) return latest
    latest = checked
    return checked
  }
}

/**
 * Returns a check of small objects or lists that does the same, such as the locations of devices; they are frozen.
 * @param check must return a new object each time
 * @param keyOf returns a key that only equal objects have
 */
export function sharedObject<T extends object>(
  check: Check<T>,
  keyOf: (checked: T) => string | number | undefined,
): Check<Readonly<T>> {
  const objects = new Map<string | number | undefined, Readonly<T>>()
  return (value, tally) => {
    const checked = check(value, tally)
    if (checked === invalid) return invalid
    const key = keyOf(checked)
    return objects.get(key) ?? remember(objects, key, Object.freeze(checked))
  }
}

function remember<K, T>(values: Map<K, T>, key: K, value: T): T {
  if (values.size >= maxValues) values.clear()
  values.set(key, value)
  return value
}
