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
  return (value, tally) => {
    const checked = check(value, tally)
    if (typeof checked !== 'string') return checked
    return (texts.get(checked) ?? remember(texts, checked, checked)) as T & string
  }
}

/**
 * Returns a check of small objects or lists that does the same, such as the locations of devices; they are frozen.
 * @param check must return a new object each time
 * @param keyOf returns a text that only equal objects have
 */
export function sharedObject<T extends object>(
  check: Check<T>,
  keyOf: (checked: T) => string,
): Check<Readonly<T>> {
  const objects = new Map<string, Readonly<T>>()
  return (value, tally) => {
    const checked = check(value, tally)
    if (checked === invalid) return invalid
    const key = keyOf(checked)
    return objects.get(key) ?? remember(objects, key, Object.freeze(checked))
  }
}

function remember<T>(values: Map<string, T>, key: string, value: T): T {
  if (values.size >= maxValues) values.clear()
  values.set(key, value)
  return value
}
