import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { locations } from '../../../src/service/responses/locations.ts'
import { parse } from '../../../src/service/schema.ts'

const hall = { hel_id: 4, name: 'Hall', is_editable: true }

describe('The list of locations', () => {
  it('keeps the known fields of a location', () => {
    assert.deepEqual(parseValid(locations, [{ ...hall, secret: 'no' }]), [hall])
  })

  it('uses defaults if all fields but the id are missing', () => {
    assert.deepEqual(parseValid(locations, [{ hel_id: 4 }]), [{ hel_id: 4, name: '', is_editable: null }])
  })

  it('drops and counts locations without an id, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(locations, [{ name: 'Hall' }, null]), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(locations, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(hall))), (answer) => {
        assertShape(parseValid(locations, answer), [
          { hel_id: 'number', name: 'string', is_editable: 'boolean?' },
        ])
      }),
    )
  })
})
