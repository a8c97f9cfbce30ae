import type { Check, DropCount } from './schema.ts'

/** The most values of a kind that are remembered: a panel has some hundreds, and panels have many in common. */
const maxValues = 5000

/** Each text by itself; the engine keeps an own copy of each text of an answer. */
const texts = new Map<string, string>()
/** Frozen lists by their content. */
const lists = new Map<string, readonly number[]>()

/**
 * Returns a check of texts that are kept for days, such as the names of devices: equal ones share their memory, in all
 * panels.
 */
export function shared<T>(
  check: (value: unknown, tally: DropCount) => T,
): (...of: Parameters<Check<T>>) => T {
  return (value, tally) => {
    const checked = check(value, tally)
    return typeof checked === 'string' ? (remembered(texts, checked, checked) as T & string) : checked
  }
}

/** Returns a check of lists of numbers, such as the partitions of a device, that does the same. */
export function sharedList(
  check: (value: unknown, tally: DropCount) => readonly number[],
): (value: unknown, tally: DropCount) => readonly number[] {
  return (value, tally) => {
    const checked = check(value, tally)
    // A copy: the check may return a list that others share, and flows get.
    return remembered(lists, checked.join(), Object.freeze([...checked]))
  }
}

/** Returns the value that is remembered, or the given one, which is then remembered. */
function remembered<T>(values: Map<string, T>, name: string, value: T): T {
  const same = values.get(name)
  if (same !== undefined) return same
  if (values.size >= maxValues) values.clear()
  values.set(name, value)
  return value
}
