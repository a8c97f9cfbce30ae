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
  it('keeps what the interface specification shows of an entry, in the order of the service', () => {
    const older = { ...shown, id: 37, partition: '' }
    assert.deepEqual(parseValid(standardLog, [{ ...shown, secret: 'no' }, older]), [shown, older])
  })

  it('keeps an entry of which nothing is known, and takes a partition that is a number as text', () => {
    const bare = { id: null, location: '', description: '', partition: '', time: '' }
    assert.deepEqual(parseValid(standardLog, [{}, { partition: 1 }]), [bare, { ...bare, partition: '1' }])
  })

  it('drops and counts what is no entry, and is refused when it is no list', () => {
    assert.deepEqual(parse(standardLog, [null, 7, []]), { value: [], dropped: 3 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(standardLog, answer), undefined)
  })

  it('has its shape whatever JSON comes, and never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(shown))), (answer) => {
        assertShape(parseValid(standardLog, answer), [
          { id: 'number?', location: 'string', description: 'string', partition: 'string', time: 'string' },
        ])
      }),
    )
  })
})
