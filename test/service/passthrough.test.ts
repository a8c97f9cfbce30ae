import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../harness/fixtures/any-json.ts'
import { parseValid } from '../../harness/fixtures/samples.ts'
import { type JsonValue, passthrough } from '../../src/service/passthrough.ts'
import { devices } from '../../src/service/responses/devices.ts'
import { list, parse, record, text } from '../../src/service/schema.ts'

const named = record({ name: text })

/** What a faithful check makes of a text of the service. */
const told = (json: string) => parse(passthrough(named), JSON.parse(json))

/** A list in lists, so many levels of them. */
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('A faithful answer', () => {
  // @spec 2
  it("has the service's own members, unknown ones too, null as null and absent as absent", () => {
    const sent = { name: 'Hall', odd: [1, { two: null }], flag: false, ratio: 0.5, empty: {} }
    assert.deepEqual(parseValid(passthrough(named), sent), sent)
  })

  it('is a copy that shares nothing with what came', () => {
    const sent = { name: 'Hall', deep: { list: [{ id: 1 }] } }
    const copy = parseValid(passthrough(named), sent) as typeof sent
    copy.deep.list[0] = { id: 2 }
    assert.equal(sent.deep.list[0]?.id, 1)
  })

  it('is refused when it does not fit the check', () => {
    for (const answer of [null, [], {}, { name: null }, 'x'])
      assert.equal(parse(passthrough(named), answer), undefined)
    assert.equal(parse(passthrough(list(named)), {}), undefined)
  })

  it('keeps entries that the check would leave out', () => {
    const sent = [{ id: 1 }, { name: 'ghost' }]
    assert.deepEqual(parse(passthrough(devices), sent), { value: sent, dropped: 0 })
  })

  for (const name of ['__proto__', 'constructor', 'prototype']) {
    it(`has no member ${name}, at any depth, and counts what it left out`, () => {
      const answer = told(`{"name":"x","${name}":{"a":1},"deep":[{"${name}":1,"kept":2}]}`)
      assert.deepEqual(answer, { value: { name: 'x', deep: [{ kept: 2 }] }, dropped: 2 })
    })
  }

  it('has no number that is not finite', () => {
    assert.deepEqual(told('{"name":"x","far":1e999,"list":[1,-1e999,2]}'), {
      value: { name: 'x', list: [1, 2] },
      dropped: 2,
    })
  })

  it('is 32 levels deep at most', () => {
    const deepest = nested(31)
    assert.deepEqual(told(`{"name":"x","list":${deepest}}`), {
      value: { name: 'x', list: JSON.parse(deepest) },
      dropped: 0,
    })
    assert.deepEqual(told(`{"name":"x","list":${nested(32)}}`), {
      value: { name: 'x', list: JSON.parse(deepest) },
      dropped: 1,
    })
  })

  it('does not mind a hundred thousand levels', () => {
    assert.equal(told(`{"name":"x","list":${nested(100_000)}}`)?.dropped, 1)
  })

  it('survives the way through JSON, and has plain objects only, whatever JSON comes', () => {
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
