import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { rriResults } from '../../../src/service/responses/rri-results.ts'
import { parse } from '../../../src/service/schema.ts'

const nothing = { detail_name: '', description: '', timestamp: '' }
const shown = {
  rri_timestamp: '2026-01-02 03:04:05',
  tests: [
    { test_type: 1, state: 'pass', details: [nothing] },
    {
      test_type: 8,
      state: 'fail',
      details: [{ detail_name: 'Zone 3', description: 'Low battery', timestamp: '0000-00-00 00:00:00' }],
    },
  ],
}

describe('The result of a remote inspection', () => {
  // @spec 2.13
  it('keeps the fields that the interface specification shows, including the zero timestamp', () => {
    assert.deepEqual(parseValid(rriResults, { ...shown, secret: 'no' }), shown)
  })

  // @spec test-types
  it('keeps test types and states that we do not know', () => {
    const { tests } = parseValid(rriResults, { tests: [{ test_type: 7, state: 'puzzled' }] })
    assert.deepEqual(tests, [{ test_type: 7, state: 'puzzled', details: [] }])
  })

  it('uses defaults for missing and null fields', () => {
    assert.deepEqual(parseValid(rriResults, { tests: null }), { rri_timestamp: '', tests: [] })
    assert.deepEqual(parseValid(rriResults, { tests: [{ details: [{}] }] }).tests, [
      { test_type: null, state: '', details: [nothing] },
    ])
  })

  it('drops and counts tests and details that are not objects', () => {
    assert.equal(parse(rriResults, { tests: [7, { details: ['x', null] }] })?.dropped, 3)
  })

  it('is rejected if it is not an object', () => {
    for (const answer of [null, [], 'x']) assert.equal(parse(rriResults, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson(['test_type', 'state', 'details', ...Object.keys(nothing)])
    fc.assert(
      fc.property(fc.record({ rri_timestamp: any, tests: any }), (answer) => {
        assertShape(parseValid(rriResults, answer), {
          rri_timestamp: 'string',
          tests: [
            {
              test_type: 'number?',
              state: 'string',
              details: [{ detail_name: 'string', description: 'string', timestamp: 'string' }],
            },
          ],
        })
      }),
    )
  })
})
