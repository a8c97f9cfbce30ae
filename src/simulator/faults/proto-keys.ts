/** Whoever takes this for a prototype has its fields, and is no longer to be made a text of. */
const polluting = { polluted: 'by the wire', toString: 'no function' }

/** A copy of a JSON value whose objects, at every depth, have members that a careless copy takes for a prototype. */
export function withProtoKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withProtoKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, withProtoKeys(member)])
  // Unlike an assignment, this makes a member that is called `__proto__` as well.
  return Object.fromEntries([['__proto__', polluting], ['constructor', { prototype: polluting }], ...members])
}
