import assert from 'node:assert/strict'
import { isQueryable, operations, queryable } from '../../src/service/operations.ts'
import { parse } from '../../src/service/schema.ts'

describe('The operations that a flow can query', () => {
  // @spec other-operations
  it('are those of the contract, without the session operations', () => {
    assert.deepEqual(
      Object.keys(queryable).join(' '),
      'panels panel_info feature_set devices standard_log events rri_results configuration_list event_profiles ' +
        'status alarms alerts troubles locations users',
    )
  })

  for (const [name, operation] of Object.entries(queryable)) {
    it(`send the request of the operation ${name} and return its unmodified answer`, () => {
      const plain = Object.values(operations).find((one) => one.name === name)
      assert.deepEqual([operation.path, operation.tokens], [plain?.path, plain?.tokens])
      const empty = parse(operation.check, []) ? [{ odd: null }] : { serial: 'A', odd: null }
      assert.deepEqual(parse(operation.check, empty), { value: empty, dropped: 0 })
      assert.equal(parse(operation.check, 'x'), undefined)
    })
  }

  it('are cached, under other keys than the checked answers of the same operations', () => {
    for (const { isCacheable, form } of Object.values(queryable)) {
      assert.equal(isCacheable, true)
      assert.ok(Object.values(operations).every((plain) => plain.form !== form))
    }
  })

  it('include no other name, whatever a message asks for', () => {
    assert.ok(isQueryable('devices'))
    for (const name of ['', 'auth', 'set_state', 'toString', '__proto__', 'constructor'])
      assert.ok(!isQueryable(name))
  })
})
