import { type Check, type DropCount, invalid } from './schema.ts'

/** The most values of a kind that are remembered: a panel has some hundreds, and panels have many in common. */
const maxValues = 5000

/** A check that returns a text for any value. */
type TextCheck = (value: unknown, tally: DropCount) => string

/** Each text by itself; the engine keeps an own copy of each text of an answer. */
const texts = new Map<string, string>()

/**
 * Returns a check of texts that are kept for days, such as the subtypes of devices: equal ones share their memory, in all
 * panels. The engine itself shares those of up to ten letters.
 */
export function shared(check: TextCheck): TextCheck {
  return sharedInARow(check, (text) => texts.get(text) ?? remember(texts, text, text))
}

/**
 * Returns a check of texts that are mostly the same as the one before, such as the time of a panel's survey of its
 * devices: equal neighbors share their memory. To compare two texts is quicker than to look one up.
 * @param keep returns the text to keep if it is another one
 */
export function sharedInARow(check: TextCheck, keep = (text: string) => text): TextCheck {
  let latest = ''
  return (value, tally) => {
    const checked = check(value, tally)
    if (checked !== latest) latest = keep(checked)
    return latest
  }
}

/**
 * Returns a check of small objects or lists, such as the locations of devices: equal ones share their memory, in all
 * panels; they are frozen.
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
