import assert from 'node:assert/strict'
import {
  dictionary,
  fastRecord,
  flag,
  integer,
  list,
  number,
  parse,
  record,
  text,
  withDefault,
} from '../../src/service/schema.ts'

const named = { id: integer, name: withDefault(text, '') }
const ways = {
  record: record(named),
  entry: fastRecord((wire, tally) => ({ id: integer(wire.id, tally), name: named.name(wire.name, tally) })),
}

for (const [way, check] of Object.entries(ways)) {
  describe(`A check made with ${way}`, () => {
    // @spec 2
    it('copies the members it knows and nothing else', () => {
      const sent = { id: 1, name: 'Hall', secret: 'no' }
      assert.deepEqual(parse(check, sent), { value: { id: 1, name: 'Hall' }, dropped: 0 })
    })

    it('does not fit where a member that must be there is not', () => {
      for (const value of [{}, { id: null }, { id: '1' }, { id: 1.5 }])
        assert.equal(parse(check, value), undefined)
    })

    it('does not fit what is no object', () => {
      for (const value of [null, undefined, [], 'x', 1, true]) assert.equal(parse(check, value), undefined)
    })

    it('takes a member __proto__ for what it is: unknown', () => {
      const copy = parse(check, JSON.parse('{"id":1,"__proto__":{"name":"x"}}'))?.value
      assert.deepEqual(copy, { id: 1, name: '' })
      assert.equal(copy && Object.getPrototypeOf(copy), Object.prototype)
    })
  })
}

describe('A check whose members may all be missing', () => {
  it('fits an empty object, and neither a list nor null', () => {
    for (const check of [record({ name: named.name }), fastRecord(() => ({}))]) {
      assert.ok(parse(check, {}))
      for (const value of [[], null]) assert.equal(parse(check, value), undefined)
    }
    assert.equal(parse(dictionary(integer), []), undefined)
  })
})

describe('A check of a single value', () => {
  it('takes texts, and numbers as their digits, where a text must be', () => {
    assert.deepEqual(
      ['a', '', 7].map((value) => parse(text, value)?.value),
      ['a', '', '7'],
    )
    for (const value of [null, true, {}, []]) assert.equal(parse(text, value), undefined)
  })

  it('takes whole and exact numbers where an integer must be', () => {
    for (const value of [0, -1, 2 ** 53 - 1]) assert.equal(parse(integer, value)?.value, value)
    for (const value of [0.5, 2 ** 53, Number.POSITIVE_INFINITY, '1', null])
      assert.equal(parse(integer, value), undefined)
  })

  it('takes finite numbers where a number must be', () => {
    assert.equal(parse(number, 20.5)?.value, 20.5)
    for (const value of [Number.POSITIVE_INFINITY, Number.NaN, '1'])
      assert.equal(parse(number, value), undefined)
  })

  it('takes nothing but true and false where a flag must be', () => {
    for (const value of [true, false]) assert.equal(parse(flag, value)?.value, value)
    for (const value of [0, 1, 'true', null]) assert.equal(parse(flag, value), undefined)
  })
})

describe('A check of many values', () => {
  it('drops and counts the entries of a list and of a dictionary that do not fit', () => {
    assert.deepEqual(parse(list(integer), [1, 'x', 2, null]), { value: [1, 2], dropped: 2 })
    assert.deepEqual(parse(dictionary(integer), { a: 1, b: 'x' }), { value: new Map([['a', 1]]), dropped: 1 })
  })

  it('counts what is dropped deep inside', () => {
    const deep = list(record({ ids: list(integer) }))
    assert.equal(parse(deep, [{ ids: ['x'] }, { ids: [1, 'y'] }, {}])?.dropped, 3)
  })
})
