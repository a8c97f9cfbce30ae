import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { processStatus } from '../../../src/service/responses/process-status.ts'
import { parse } from '../../../src/service/schema.ts'

const replaced = { token: 't-1', status: 'failed', message: 'Replaced', error: 'PMAX_ERROR' }

describe('The list of command statuses', () => {
  it('keeps the known fields of each entry, in the order of the service', () => {
    const begun = { token: 't-2', status: 'start', message: '', error: '' }
    assert.deepEqual(parseValid(processStatus, [{ ...replaced, secret: 'no' }, begun]), [replaced, begun])
  })

  it('reads missing and null texts as empty, and keeps status words that we do not know', () => {
    assert.deepEqual(parseValid(processStatus, [{ token: 't', status: 'pondering', error: null }]), [
      { token: 't', status: 'pondering', message: '', error: '' },
    ])
  })

  it('drops and counts entries without a token, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(processStatus, [{ status: 'start' }, null]), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(processStatus, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(replaced))), (answer) => {
        assertShape(parseValid(processStatus, answer), [
          { token: 'string', status: 'string', message: 'string', error: 'string' },
        ])
      }),
    )
  })
})
