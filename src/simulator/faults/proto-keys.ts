/** A prototype that adds fields to an object and makes its conversion to a string fail. */
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
