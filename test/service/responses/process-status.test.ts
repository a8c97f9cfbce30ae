import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { processStatus } from '../../../src/service/responses/process-status.ts'
import { parse } from '../../../src/service/schema.ts'

const replaced = { token: 't-1', status: 'failed', message: 'Replaced', error: 'PMAX_ERROR' }

describe('The status of commands', () => {
  it('keeps what is known of each, in the order of the service', () => {
    const begun = { token: 't-2', status: 'start', message: '', error: '' }
    assert.deepEqual(parseValid(processStatus, [{ ...replaced, secret: 'no' }, begun]), [replaced, begun])
  })

  it('takes missing and null texts as empty, and words it has never seen as they are', () => {
    assert.deepEqual(parseValid(processStatus, [{ token: 't', status: 'pondering', error: null }]), [
      { token: 't', status: 'pondering', message: '', error: '' },
    ])
  })

  it('drops and counts commands without a token, and is refused when it is no list', () => {
    assert.deepEqual(parse(processStatus, [{ status: 'start' }, null]), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(processStatus, answer), undefined)
  })

  it('has its shape whatever JSON comes, and never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(replaced))), (answer) => {
        assertShape(parseValid(processStatus, answer), [
          { token: 'string', status: 'string', message: 'string', error: 'string' },
        ])
      }),
    )
  })
})
