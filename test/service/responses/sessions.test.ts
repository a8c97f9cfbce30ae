import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { userSession, withoutToken } from '../../../src/service/responses/sessions.ts'
import { parse } from '../../../src/service/schema.ts'

const token = 'a2b3c4d5-0000-4000-8000-000000000001'
const info = { name: 'Anna', email: 'anna@example.com', phone: '+3100' }
const server = { installer_allowed_to_remove_panels: true, virtual_panel_support: false }

describe('The sign-in answer', () => {
  // @spec 2.1
  it('keeps the fields of a service-user sign-in', () => {
    const checked = parseValid(userSession, { user_token: token, info, server, license: { name: 'Gold' } })
    assert.deepEqual([checked.user_token, checked.info, checked.server], [token, info, server])
    assert.equal(checked.license?.name, 'Gold')
    assert.equal(checked.customization, null)
  })

  // @spec 4.2
  it('keeps the fields of an end-user sign-in', () => {
    const checked = parseValid(userSession, { user_token: token, customization: { id: 3, name: 'Provider' } })
    assert.equal(checked.customization?.name, 'Provider')
    assert.deepEqual([checked.info, checked.server, checked.license], [null, null, null])
  })

  it('is accepted if it has a token, even if all other fields are missing or malformed', () => {
    for (const beside of [{}, { info: null, license: 'Gold', server: [], customization: {} }]) {
      assert.equal(parseValid(userSession, { ...beside, user_token: token }).user_token, token)
    }
  })

  // @spec 5.1
  it('is rejected without a token', () => {
    for (const answer of [null, [], {}, { user_token: null }, { info }])
      assert.equal(parse(userSession, answer), undefined)
  })
})

describe('The session without its token', () => {
  it('contains the fields that the service sent and no others', () => {
    const end = parseValid(userSession, { user_token: token, customization: { id: 3 } })
    assert.deepEqual(Object.keys(withoutToken(end)), ['customization'])
    const own = parseValid(userSession, { user_token: token, info, server, license: {} })
    assert.deepEqual(Object.keys(withoutToken(own)), ['info', 'server', 'license'])
  })

  it('is a copy, so that a flow that edits it does not change the session', () => {
    const session = parseValid(userSession, { user_token: token, license: {} })
    withoutToken(session).license?.limits.push({ description: '', limit: 'moons', value: 2 })
    assert.deepEqual(session.license?.limits, [])
  })

  // @spec 2.1
  it('never contains the token, for any JSON', () => {
    const any = anyJson(['user_token', 'info', 'name', 'email', 'license', 'features'])
    const answers = fc.record({ user_token: fc.constant(token), info: any, license: any, server: any })
    fc.assert(
      fc.property(answers, (answer) => {
        const shown = withoutToken(parseValid(userSession, answer))
        assert.ok(!JSON.stringify(shown).includes(token))
      }),
    )
  })
})
