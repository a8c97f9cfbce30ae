import type { Check, DropCount } from './schema.ts'

/** The most values of a kind that are remembered: a panel has some hundreds, and panels have many in common. */
const maxValues = 5000

/** Each text by itself; the engine keeps an own copy of each text of an answer. */
const texts = new Map<string, string>()
/** Frozen lists by their content. */
const lists = new Map<string, readonly number[]>()

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

/** Returns a check of lists of numbers, such as the partitions of a device, that does the same. */
export function sharedList(
  check: (value: unknown, tally: DropCount) => readonly number[],
): (value: unknown, tally: DropCount) => readonly number[] {
  return (value, tally) => {
    const checked = check(value, tally)
    const name = checked.join()
    // A copy: the check may return a list that others share, and flows get.
    return lists.get(name) ?? remember(lists, name, Object.freeze([...checked]))
  }
}

function remember<T>(values: Map<string, T>, name: string, value: T): T {
  if (values.size >= maxValues) values.clear()
  values.set(name, value)
  return value
}
