import assert from 'node:assert/strict'
import { asSent } from '../../src/service/odd-ids.ts'
import {
  capitals,
  dictionary,
  fastRecord,
  flag,
  id,
  integer,
  invalid,
  list,
  number,
  parse,
  partitionId,
  record,
  text,
  withDefault,
} from '../../src/service/schema.ts'

const named = { id: integer, name: withDefault(text, '') }
const checks = {
  record: record(named),
  fastRecord: fastRecord((raw, tally) => {
    const id = integer(raw.id, tally)
    return id === invalid ? invalid : { id, name: named.name(raw.name, tally) }
  }),
}

for (const [factory, check] of Object.entries(checks)) {
  describe(`A check made with ${factory}`, () => {
    // @spec 2
    it('copies only the members that it knows', () => {
      const sent = { id: 1, name: 'Hall', secret: 'no' }
      assert.deepEqual(parse(check, sent), { value: { id: 1, name: 'Hall' }, dropped: 0 })
    })

    it('rejects an object without a required member', () => {
      for (const value of [{}, { id: null }, { id: '1' }, { id: 1.5 }])
        assert.equal(parse(check, value), undefined)
    })

    it('rejects everything that is not an object', () => {
      for (const value of [null, undefined, [], 'x', 1, true]) assert.equal(parse(check, value), undefined)
    })

    it('ignores a member __proto__', () => {
      const copy = parse(check, JSON.parse('{"id":1,"__proto__":{"name":"x"}}'))?.value
      assert.deepEqual(copy, { id: 1, name: '' })
      assert.equal(copy && Object.getPrototypeOf(copy), Object.prototype)
    })
  })
}

describe('A check without required members', () => {
  it('accepts an empty object and rejects a list and null', () => {
    for (const check of [record({ name: named.name }), fastRecord(() => ({}))]) {
      assert.ok(parse(check, {}))
      for (const value of [[], null]) assert.equal(parse(check, value), undefined)
    }
    assert.equal(parse(dictionary(integer), []), undefined)
  })
})

describe('A check of a single value', () => {
  it('accepts texts, and numbers as their digits, for a text', () => {
    assert.deepEqual(
      ['a', '', 7].map((value) => parse(text, value)?.value),
      ['a', '', '7'],
    )
    for (const value of [null, true, {}, []]) assert.equal(parse(text, value), undefined)
  })

  it('accepts only safe integers for an integer', () => {
    for (const value of [0, -1, 2 ** 53 - 1]) assert.equal(parse(integer, value)?.value, value)
    for (const value of [0.5, 2 ** 53, Number.POSITIVE_INFINITY, '1', null])
      assert.equal(parse(integer, value), undefined)
  })

  it('accepts whole numbers, and texts of their digits, for an id', () => {
    assert.deepEqual(
      [7, '7', -1, '-1', '007'].map((value) => parse(id, value)?.value),
      [7, 7, -1, -1, 7],
    )
    for (const value of ['', 'P2', '1.5', ' 1', '1e3', '9'.repeat(16), 0.5, null])
      assert.equal(parse(id, value), undefined)
  })

  it('has a number stand for the id of a partition that is another text, the same one each time, and knows the text', () => {
    const odd = ['P1', 'P2', '1.5', ' 1', '1e3', '9'.repeat(16)]
    const numbers = odd.map((value) => parse(partitionId, value)?.value ?? assert.fail(value))
    for (const number of numbers) assert.ok(number <= -1000 && number >= -9999, `${number}`)
    assert.equal(new Set(numbers).size, odd.length)
    assert.deepEqual(
      odd.map((value) => parse(partitionId, value)?.value),
      numbers,
    )
    assert.deepEqual([...numbers, 1, -1].map(asSent), [...odd, 1, -1])
    for (const value of ['', ' ', 'P'.repeat(65), 0.5, null])
      assert.equal(parse(partitionId, value), undefined)
  })

  it('gives words in capitals', () => {
    assert.deepEqual(
      ['Away', 'DISARM', '1-way'].map((value) => parse(capitals, value)?.value),
      ['AWAY', 'DISARM', '1-WAY'],
    )
    assert.equal(parse(capitals, null), undefined)
  })

  it('accepts only finite numbers for a number', () => {
    assert.equal(parse(number, 20.5)?.value, 20.5)
    for (const value of [Number.POSITIVE_INFINITY, Number.NaN, '1'])
      assert.equal(parse(number, value), undefined)
  })

  it('accepts only true and false for a flag', () => {
    for (const value of [true, false]) assert.equal(parse(flag, value)?.value, value)
    for (const value of [0, 1, 'true', null]) assert.equal(parse(flag, value), undefined)
  })
})

describe('A check of many values', () => {
  it('drops and counts the entries of a list and of a dictionary that do not fit', () => {
    assert.deepEqual(parse(list(integer), [1, 'x', 2, null]), { value: [1, 2], dropped: 2 })
    assert.deepEqual(parse(dictionary(integer), { a: 1, b: 'x' }), { value: new Map([['a', 1]]), dropped: 1 })
  })

  it('counts dropped entries at any depth', () => {
    const deep = list(record({ ids: list(integer) }))
    assert.equal(parse(deep, [{ ids: ['x'] }, { ids: [1, 'y'] }, {}])?.dropped, 3)
  })
})
