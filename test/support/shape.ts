import assert from 'node:assert/strict'

/** A type as data: `string`, `number`, `boolean`, each also with `?` for null; a list; an object; or a function. */
export type Shape =
  | `${'string' | 'number' | 'boolean'}${'' | '?'}`
  | readonly [Shape]
  | { [name: string]: Shape }
  | ((value: unknown) => void)

/** The shape, or null. */
export function nullable(shape: Shape): Shape {
  return (value) => {
    if (value !== null) assertShape(value, shape)
  }
}

/** A Map from text to the shape. */
export function mapOf(shape: Shape): Shape {
  return (value) => {
    assert.ok(value instanceof Map)
    for (const [name, item] of value) {
      assert.equal(typeof name, 'string')
      assertShape(item, shape)
    }
  }
}

/** Fails unless the value has exactly the members of the shape, each of its type, and a plain prototype. */
export function assertShape(value: unknown, shape: Shape): void {
  if (typeof shape === 'function') {
    shape(value)
    return
  }
  if (typeof shape === 'string') {
    if (shape.endsWith('?') && value === null) return
    assert.equal(typeof value, shape.replace('?', ''))
    if (typeof value === 'number') assert.ok(Number.isFinite(value))
    return
  }
  if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value))
    for (const item of value) assertShape(item, shape[0])
    return
  }
  assert.ok(typeof value === 'object' && value !== null)
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort())
  for (const [name, member] of Object.entries(shape)) assertShape(Reflect.get(value, name), member)
}
