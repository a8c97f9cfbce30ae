import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { users } from '../../../src/service/responses/users.ts'
import { parse } from '../../../src/service/schema.ts'

const anna = { id: 1, name: 'Anna', email: 'anna@example.com', role: 'MASTER_USER', partitions: [1, 2] }

describe('The users of a panel', () => {
  it('have their known fields and never a user code', () => {
    const sent = { max_users_count: 48, users: [{ ...anna, user_code: '0451' }], reserved_ids: [47, 48] }
    assert.deepEqual(parseValid(users, sent), { ...sent, users: [anna] })
  })

  it('use defaults if all fields but the id are missing or null', () => {
    assert.deepEqual(parseValid(users, { users: [{ id: 2, email: null }] }), {
      max_users_count: null,
      users: [{ id: 2, name: '', email: null, role: '', partitions: [] }],
      reserved_ids: [],
    })
    assert.deepEqual(parseValid(users, {}).users, [])
  })

  it('are dropped and counted if they have no id, and rejected if the answer is not an object', () => {
    assert.equal(parse(users, { users: [{ name: 'ghost' }, 7] })?.dropped, 2)
    for (const answer of [null, [], 'x']) assert.equal(parse(users, answer), undefined)
  })

  it('have their declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson(Object.keys(anna))
    fc.assert(
      fc.property(fc.record({ max_users_count: any, users: fc.array(any), reserved_ids: any }), (answer) => {
        assertShape(parseValid(users, answer), {
          max_users_count: 'number?',
          users: [{ id: 'number', name: 'string', email: 'string?', role: 'string', partitions: ['number'] }],
          reserved_ids: ['number'],
        })
      }),
    )
  })
})
