import { type Check, type DropCount, invalid, type JsonValue } from '../../service/schema.ts'
import { hasVocabulary, isKnownWord, knownFields } from './known-words.ts'

/** A part of an answer that this package does not know, or the other way around. */
export interface Difference {
  /** The place, such as `[].traits.rssi`; `[]` stands for all entries of a list. */
  path: string
  difference: /** The name of the field is not known, so in a redacted answer it is a stand-in. */
    | 'unknown field'
    /** The field is known, but not here, or this package has no use for it. */
    | 'unused field'
    /** A text in a field with a vocabulary, that is not in the vocabulary. */
    | 'unknown word'
    /** The field has another type than expected, so its value is not used. */
    | 'other type'
    /** The field is in no entry. */
    | 'missing'
    /** Entries of lists that are not used, because something that they need is missing. */
    | 'unusable entries'
    /** The answer cannot be used. */
    | 'unusable answer'
  /** The types that were found, or the number of entries. */
  found?: string
}

/**
 * Compares a redacted answer with what the check of its operation reads. A check is a function and cannot be
 * asked what it knows, so its reads are recorded.
 */
export function differences(answer: JsonValue, check: Check<unknown>): Difference[] {
  const reads = new Reads()
  const tally: DropCount = { dropped: 0 }
  const copy = check(reads.recorded(answer, ''), tally)
  const found = new Differences()
  if (copy === invalid) found.add('', 'unusable answer', typeOf(answer))
  if (tally.dropped > 0) found.add('', 'unusable entries', String(tally.dropped))
  findMembers(answer, '', reads, found)
  if (copy !== invalid) findOtherTypes(answer, copy, '', found)
  for (const path of reads.missing) found.add(path, 'missing')
  return found.all
}

/** The fields that a check reads. */
class Reads {
  readonly #read = new Set<string>()
  readonly #present = new Set<string>()

  has(path: string): boolean {
    return this.#read.has(path)
  }

  /** The fields that were read and are in no entry. */
  get missing(): string[] {
    return [...this.#read].filter((path) => !this.#present.has(path))
  }

  /** Returns a value that records which of its members are read. */
  recorded(value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value
    return new Proxy(value, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown
        if (typeof name !== 'string') return member
        // The methods of a list are functions, which stay as they are.
        if (Array.isArray(target)) return this.recorded(member, `${path}[]`)
        const place = join(path, name)
        this.#read.add(place)
        if (Object.hasOwn(target, name)) this.#present.add(place)
        return this.recorded(member, place)
      },
    })
  }
}

/** The differences, each once. */
class Differences {
  readonly #found = new Map<
    string,
    { path: string; difference: Difference['difference']; types: Set<string> }
  >()

  add(path: string, difference: Difference['difference'], type?: string): void {
    const key = `${difference} ${path}`
    const known = this.#found.get(key) ?? { path, difference, types: new Set() }
    if (type !== undefined) known.types.add(type)
    this.#found.set(key, known)
  }

  get all(): Difference[] {
    const sorted = [...this.#found.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
    return sorted.map(({ path, difference, types }) =>
      types.size > 0 ? { path, difference, found: [...types].sort().join(', ') } : { path, difference },
    )
  }
}

/** Finds fields that the check does not read, and words that are in no vocabulary. */
function findMembers(value: JsonValue, path: string, reads: Reads, found: Differences, field = ''): void {
  if (typeof value === 'string') {
    const isUnknown = value !== '' && hasVocabulary(field) && !isKnownWord(field, value)
    if (isUnknown) found.add(path, 'unknown word')
  } else if (Array.isArray(value)) {
    for (const item of value) findMembers(item, `${path}[]`, reads, found, field)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const place = join(path, name)
      if (reads.has(place)) findMembers(member, place, reads, found, name)
      else found.add(place, knownFields.has(name) ? 'unused field' : 'unknown field', typeOf(member))
    }
  }
}

/** Finds values that the check replaced by another one. */
function findOtherTypes(value: JsonValue, copy: unknown, path: string, found: Differences): void {
  if (value === null || value === '') return
  if (Array.isArray(value)) {
    if (!Array.isArray(copy)) found.add(path, 'other type', typeOf(value))
    else if (copy.length === value.length)
      for (const [at, item] of value.entries()) findOtherTypes(item, copy[at], `${path}[]`, found)
  } else if (typeof value === 'object') {
    const isObject = typeof copy === 'object' && copy !== null
    if (!isObject) found.add(path, 'other type', typeOf(value))
    const members = copy instanceof Map ? copy : new Map(Object.entries(copy ?? {}))
    for (const [name, member] of Object.entries(value))
      if (members.has(name)) findOtherTypes(member, members.get(name), join(path, name), found)
  } else if (!isSame(value, copy)) found.add(path, 'other type', typeOf(value))
}

/** Returns true for the same value; a word may be read in capitals. */
function isSame(value: JsonValue, copy: unknown): boolean {
  if (typeof value !== 'string' || typeof copy !== 'string') return value === copy
  return value.toUpperCase() === copy.toUpperCase()
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
