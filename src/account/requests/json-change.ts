import type { JsonValue } from '../../service/schema.ts'

/**
 * The difference of a JSON value from the one before, itself JSON.
 *
 * `["=", value]` replaces the value. `["{", {name: change}, [name]]` changes members of an object, adds those that are
 * new with `=`, and removes the ones that are listed. `["[", [step]]` goes along a list: a number keeps so many entries,
 * a negative one leaves so many out, `["+", value]` adds one, and a change is one of the next entry.
 */
export type Change = ['=', JsonValue] | ['{', Record<string, Change>, string[]] | ['[', ListStep[]]

/** A step along a list, see `Change`. */
export type ListStep = number | ['+', JsonValue] | Change

/** Returns what has changed; undefined for nothing. The order of members does not count. */
export function changeOf(before: JsonValue | undefined, after: JsonValue): Change | undefined {
  if (before === undefined) return ['=', after]
  if (Array.isArray(before) && Array.isArray(after)) {
    const steps = stepsBetween(before, after)
    return steps.every((step) => typeof step === 'number' && step > 0) ? undefined : ['[', steps]
  }
  if (isRecord(before) && isRecord(after)) {
    const changes = Object.entries(after).flatMap(([name, member]) => {
      const change = changeOf(Object.hasOwn(before, name) ? before[name] : undefined, member)
      return change === undefined ? [] : [[name, change] as const]
    })
    const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
    return changes.length + gone.length === 0 ? undefined : ['{', Object.fromEntries(changes), gone]
  }
  return before === after ? undefined : ['=', after]
}

function isRecord(value: JsonValue): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the steps from one list to another: entries that both have in the same order stay, the others between them change. */
function stepsBetween(before: readonly JsonValue[], after: readonly JsonValue[]): ListStep[] {
  const places = placesOf(before)
  const steps: ListStep[] = []
  const keep = (count: number) => {
    const last = steps.at(-1)
    if (typeof last === 'number' && Math.sign(last) === Math.sign(count))
      steps[steps.length - 1] = last + count
    else if (count !== 0) steps.push(count)
  }
  let from = 0
  const open: JsonValue[] = []
  /** Describes the entries that were found in no other place, beside those of the list before up to `end`. */
  const settle = (end: number) => {
    for (const entry of open.splice(0)) {
      const change = from < end ? changeOf(before[from], entry) : (['+', entry] as const)
      if (change === undefined) keep(1)
      else steps.push([...change] as ListStep)
      if (from < end) from += 1
    }
    keep(from - end)
    from = end
  }
  for (const entry of after) {
    const own = places.get(JSON.stringify(entry)) ?? []
    while ((own.at(-1) ?? from) < from) own.pop()
    const found = own.pop()
    if (found === undefined) {
      open.push(entry)
      continue
    }
    settle(found)
    keep(1)
    from = found + 1
  }
  settle(before.length)
  return steps
}

/** Returns the places of each entry of a list by its JSON, the last one first. */
function placesOf(list: readonly JsonValue[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let at = list.length - 1; at >= 0; at -= 1) {
    const text = JSON.stringify(list[at])
    const known = places.get(text)
    if (known === undefined) places.set(text, [at])
    else known.push(at)
  }
  return places
}
