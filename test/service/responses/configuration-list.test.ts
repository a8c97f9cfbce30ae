import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { configurationList } from '../../../src/service/responses/configuration-list.ts'
import { parse } from '../../../src/service/schema.ts'
import { utcTime } from '../../../src/service/time.ts'

const shown = {
  id: 12,
  date: '2026-01-02T03:04:05+0200',
  verified_at: '2026-01-02T03:05:06+0200',
  backup: true,
}

describe('The list of configurations', () => {
  // @spec 2.14
  it('keeps the fields of a record that the interface specification shows', () => {
    const [checked] = parseValid(configurationList, [{ ...shown, secret: 'no' }])
    assert.deepEqual(checked, shown)
    assert.equal(checked && utcTime(checked.date, 'UTC'), '2026-01-02T01:04:05.000Z')
  })

  it('uses defaults if all fields but the id are missing or null', () => {
    assert.deepEqual(parseValid(configurationList, [{ id: 12, verified_at: null }]), [
      { id: 12, date: '', verified_at: '', backup: null },
    ])
  })

  it('drops and counts records without an id, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(configurationList, [{}, null, { id: 'x' }]), { value: [], dropped: 3 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(configurationList, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(shown))), (answer) => {
        assertShape(parseValid(configurationList, answer), [
          { id: 'number', date: 'string', verified_at: 'string', backup: 'boolean?' },
        ])
      }),
    )
  })
})
