import assert from 'node:assert/strict'
import { concerns, wholePanel } from '../../../src/service/responses/status.ts'

describe('What names partitions', () => {
  it('concerns the partitions named and no other', () => {
    assert.equal(concerns([1, 2], 2), true)
    assert.equal(concerns([1, 2], 3), false)
  })

  // @spec all-partitions
  it('concerns every partition when it names none, or the whole panel', () => {
    assert.equal(concerns([], 3), true)
    assert.equal(concerns([1, wholePanel], 3), true)
  })

  it('always concerns the whole panel', () => assert.equal(concerns([1], wholePanel), true))
})
