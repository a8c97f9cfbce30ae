import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { standardLog } from '../../../src/service/responses/standard-log.ts'
import { parse } from '../../../src/service/schema.ts'

const shown = {
  id: 82,
  location: 'User 01',
  description: 'Arm Away',
  partition: '1',
  time: '2026-01-02 03:04:05',
}

describe('The standard log', () => {
  // @spec 2.11, log-order
  it('keeps the fields of an entry that the interface specification shows, in the order of the service', () => {
    const older = { ...shown, id: 37, partition: '' }
    assert.deepEqual(parseValid(standardLog, [{ ...shown, secret: 'no' }, older]), [shown, older])
  })

  it('keeps an entry whose fields are all missing, and converts a numeric partition to text', () => {
    const bare = { id: null, location: '', description: '', partition: '', time: '' }
    assert.deepEqual(parseValid(standardLog, [{}, { partition: 1 }]), [bare, { ...bare, partition: '1' }])
  })

  it('drops and counts entries that are not objects, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(standardLog, [null, 7, []]), { value: [], dropped: 3 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(standardLog, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(shown))), (answer) => {
        assertShape(parseValid(standardLog, answer), [
          { id: 'number?', location: 'string', description: 'string', partition: 'string', time: 'string' },
        ])
      }),
    )
  })
})
