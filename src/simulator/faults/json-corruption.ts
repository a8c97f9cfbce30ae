import type { Random } from '../random.ts'

type Container = Record<string | number, unknown>

const wrongValues = [
  null,
  true,
  -1,
  0.5,
  2 ** 60,
  '',
  'text',
  '2026-13-45 99:99:99',
  [],
  [null],
  {},
  { value: 1 },
]

/** Returns a copy of a JSON value in which about one of eight values, at any depth, has a wrong type. */
export function withWrongTypes(value: unknown, random: Random): unknown {
  const whole: Container = { value: structuredClone(value) }
  const places = listPlaces(whole)
  for (let left = Math.ceil(places.length / 8); left > 0; left -= 1) {
    const place = random.pick(places)
    if (place) place.container[place.key] = pickOtherType(place.container[place.key], random)
  }
  return whole.value
}

function listPlaces(container: Container): { container: Container; key: string }[] {
  return Object.entries(container).flatMap(([key, member]) => {
    const within = typeof member === 'object' && member !== null ? listPlaces(member as Container) : []
    return [{ container, key }, ...within]
  })
}

function pickOtherType(value: unknown, random: Random): unknown {
  return random.pick(wrongValues.filter((other) => getType(other) !== getType(value)))
}

function getType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** A prototype that adds a field to objects and makes their conversion to strings fail. */
const polluting = { polluted: 'by the wire', toString: 'no function' }

/**
 * Returns a copy of a JSON value whose objects, at every depth, have members that a careless copy uses as a
 * prototype.
 */
export function withProtoKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withProtoKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, withProtoKeys(member)])
  // Unlike an assignment, this also creates a member with the name `__proto__`.
  return Object.fromEntries([['__proto__', polluting], ['constructor', { prototype: polluting }], ...members])
}
