import fc from 'fast-check'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, -1, 0, 1, 2 ** 53, Number.POSITIVE_INFINITY),
  fc.constantFrom<Json>('', 'AWAY', 'EXIT', 'online', 'OPENED', 'ZONE', 'EL_ARM', '2026-01-02 03:04:05'),
  fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>,
)

/**
 * Any JSON at all, leaning towards what the given member names make: objects that use them, in lists and in
 * one another, with a value of any type behind each. `__proto__` is among the names, as a parsed text has it.
 */
export function anyJson(names: readonly string[]): fc.Arbitrary<Json> {
  const { value } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
    value: fc.oneof({ depthSize: 'medium' }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 3 })),
    object: fc
      .array(fc.tuple(fc.constantFrom(...names, '__proto__', 'constructor'), tie('value')), { maxLength: 12 })
      .map((members) => Object.fromEntries(members)),
  }))
  return value
}
