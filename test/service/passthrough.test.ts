import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../harness/fixtures/any-json.ts'
import { parseValid } from '../../harness/fixtures/samples.ts'
import { devices } from '../../src/service/responses/devices.ts'
import { type JsonValue, list, parse, passthrough, record, text } from '../../src/service/schema.ts'

const named = record({ name: text })

/** Parses JSON text with a pass-through check. */
const parseJson = (json: string) => parse(passthrough(named), JSON.parse(json))

/** Returns the JSON text of lists nested this many levels deep. */
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('A passed-through answer', () => {
  // @spec 2
  it('has all members that the service sent, including unknown ones; null stays null, absent stays absent', () => {
    const sent = { name: 'Hall', odd: [1, { two: null }], flag: false, ratio: 0.5, empty: {} }
    assert.deepEqual(parseValid(passthrough(named), sent), sent)
  })

  it('is a deep copy of the parsed JSON', () => {
    const sent = { name: 'Hall', deep: { list: [{ id: 1 }] } }
    const copy = parseValid(passthrough(named), sent) as typeof sent
    copy.deep.list[0] = { id: 2 }
    assert.equal(sent.deep.list[0]?.id, 1)
  })

  it('is rejected if it does not fit the check', () => {
    for (const answer of [null, [], {}, { name: null }, 'x'])
      assert.equal(parse(passthrough(named), answer), undefined)
    assert.equal(parse(passthrough(list(named)), {}), undefined)
  })

  it('keeps entries that the check alone would drop', () => {
    const sent = [{ id: 1 }, { name: 'ghost' }]
    assert.deepEqual(parse(passthrough(devices), sent), { value: sent, dropped: 0 })
  })

  for (const name of ['__proto__', 'constructor', 'prototype']) {
    it(`has no member ${name} at any depth, and counts the removed ones`, () => {
      const answer = parseJson(`{"name":"x","${name}":{"a":1},"deep":[{"${name}":1,"kept":2}]}`)
      assert.deepEqual(answer, { value: { name: 'x', deep: [{ kept: 2 }] }, dropped: 2 })
    })
  }

  it('has no numbers that are not finite', () => {
    assert.deepEqual(parseJson('{"name":"x","far":1e999,"list":[1,-1e999,2]}'), {
      value: { name: 'x', list: [1, 2] },
      dropped: 2,
    })
  })

  it('is at most 32 levels deep', () => {
    const deepest = nested(31)
    assert.deepEqual(parseJson(`{"name":"x","list":${deepest}}`), {
      value: { name: 'x', list: JSON.parse(deepest) },
      dropped: 0,
    })
    assert.deepEqual(parseJson(`{"name":"x","list":${nested(32)}}`), {
      value: { name: 'x', list: JSON.parse(deepest) },
      dropped: 1,
    })
  })

  it('survives input that is nested a hundred thousand levels deep', () => {
    assert.equal(parseJson(`{"name":"x","list":${nested(100_000)}}`)?.dropped, 1)
  })

  it('is unchanged by a round trip through JSON and contains only plain objects, for any JSON', () => {
    fc.assert(
      fc.property(fc.array(anyJson(['name', 'id', 'prototype'])), (answer) => {
        const copy = parseValid(passthrough(devices), JSON.parse(JSON.stringify(answer)))
        assert.deepEqual(copy, JSON.parse(JSON.stringify(copy)))
        assertPlain(copy)
      }),
    )
  })
})

function assertPlain(value: JsonValue): void {
  if (Array.isArray(value)) for (const item of value) assertPlain(item)
  else if (typeof value === 'object' && value !== null) {
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
    for (const [name, member] of Object.entries(value)) {
      assert.ok(!['__proto__', 'constructor', 'prototype'].includes(name))
      assertPlain(member)
    }
  }
}
