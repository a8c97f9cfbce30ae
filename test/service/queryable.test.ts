import assert from 'node:assert/strict'
import { operations } from '../../src/service/operations.ts'
import { isQueryable, queryable } from '../../src/service/queryable.ts'
import { parse } from '../../src/service/schema.ts'

describe('What a flow may ask', () => {
  // @spec other-operations
  it('is what the contract lists, the session aside', () => {
    assert.deepEqual(
      Object.keys(queryable).join(' '),
      'panels panel_info feature_set devices standard_log events rri_results configuration_list event_profiles ' +
        'status alarms alerts troubles locations users',
    )
  })

  for (const [name, operation] of Object.entries(queryable)) {
    it(`${name} is asked like the operation and answered as it came`, () => {
      const plain = Object.values(operations).find((one) => one.name === name)
      assert.deepEqual([operation.path, operation.tokens], [plain?.path, plain?.tokens])
      const empty = parse(operation.check, []) ? [{ odd: null }] : { serial: 'A', odd: null }
      assert.deepEqual(parse(operation.check, empty), { value: empty, dropped: 0 })
      assert.equal(parse(operation.check, 'x'), undefined)
    })
  }

  it('is kept for the next who asks, apart from the answers that are kept of the operation itself', () => {
    for (const { isCacheable, form } of Object.values(queryable)) {
      assert.equal(isCacheable, true)
      assert.ok(Object.values(operations).every((plain) => plain.form !== form))
    }
  })

  it('is nothing else, whatever a message names', () => {
    assert.ok(isQueryable('devices'))
    for (const name of ['', 'auth', 'set_state', 'toString', '__proto__', 'constructor'])
      assert.ok(!isQueryable(name))
  })
})
