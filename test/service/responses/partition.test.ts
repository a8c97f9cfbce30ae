import assert from 'node:assert/strict'
import { concerns, wholePanel } from '../../../src/service/responses/status.ts'

describe('A list of partitions', () => {
  it('concerns only the partitions that it names', () => {
    assert.equal(concerns([1, 2], 2), true)
    assert.equal(concerns([1, 2], 3), false)
  })

  // @spec all-partitions
  it('concerns every partition if it is empty or names the whole panel', () => {
    assert.equal(concerns([], 3), true)
    assert.equal(concerns([1, wholePanel], 3), true)
  })

  it('always concerns the whole panel', () => assert.equal(concerns([1], wholePanel), true))
})
