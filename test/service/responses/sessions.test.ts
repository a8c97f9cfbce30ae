import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { signInAnswer } from '../../../src/service/responses/sessions.ts'
import { parse } from '../../../src/service/schema.ts'

const token = 'a2b3c4d5-0000-4000-8000-000000000001'
const info = { name: 'Anna', email: 'anna@example.com', phone: '+3100' }
const server = { installer_allowed_to_remove_panels: true, virtual_panel_support: false }

describe('The sign-in answer', () => {
  // @spec 2.1
  it('keeps the fields of a service-user sign-in', () => {
    const checked = parseValid(signInAnswer, { user_token: token, info, server, license: { name: 'Gold' } })
    assert.deepEqual([checked.user_token, checked.info, checked.server], [token, info, server])
    assert.equal(checked.license?.name, 'Gold')
    assert.equal(checked.customization, null)
  })

  // @spec 4.2
  it('keeps the fields of an end-user sign-in', () => {
    const checked = parseValid(signInAnswer, {
      user_token: token,
      customization: { id: 3, name: 'Provider' },
    })
    assert.equal(checked.customization?.name, 'Provider')
    assert.deepEqual([checked.info, checked.server, checked.license], [null, null, null])
  })

  it('is accepted if it has a token, even if all other fields are missing or malformed', () => {
    for (const beside of [{}, { info: null, license: 'Gold', server: [], customization: {} }]) {
      assert.equal(parseValid(signInAnswer, { ...beside, user_token: token }).user_token, token)
    }
  })

  // @spec 5.1
  it('is rejected without a token', () => {
    for (const answer of [null, [], {}, { user_token: null }, { info }])
      assert.equal(parse(signInAnswer, answer), undefined)
  })
})

describe('The session that a flow sees', () => {
  const detailsOf = (answer: object) => parseValid(signInAnswer, { user_token: token, ...answer }).details

  // @spec 2.1, 2.2, 2.3
  it('is the whole answer: absent members are absent, null is null, and unknown members are kept', () => {
    const whole = {
      info: { name: 'Anna', phone: null, language: 'nl' },
      server: {},
      license: { name: 'Gold', features: [{ feature: 'receiver' }, 'odd'], limits: null, grace: 7 },
      customization: { name: 'Provider', data: null },
      terms: [{ accepted: null }],
    }
    assert.deepEqual(detailsOf(whole), whole)
  })

  it('has no member that is named after a token, and no text that contains the token', () => {
    const answer = {
      refresh_token: 'a',
      info: { name: 'Anna', accessToken: 'b', links: [`https://example.com/?t=${token}`, 'x'] },
      [token]: 1,
      echo: token,
    }
    assert.deepEqual(detailsOf(answer), { info: { name: 'Anna', links: ['x'] } })
  })

  it('has no member that reaches a prototype', () => {
    const answer = JSON.parse(`{"user_token":"${token}","__proto__":{"evil":true},"info":{"constructor":1}}`)
    assert.deepEqual(parseValid(signInAnswer, answer).details, { info: {} })
  })

  // @spec 2.1
  it('never contains the token, for any JSON', () => {
    const any = anyJson(['user_token', 'info', 'name', 'email', 'license', 'features'])
    const answers = fc.record({ user_token: fc.constant(token), info: any, license: any, server: any })
    fc.assert(
      fc.property(answers, (answer) => {
        const { details } = parseValid(signInAnswer, { ...answer, echo: [answer.user_token, answer] })
        assert.ok(!JSON.stringify(details).includes(token))
      }),
    )
  })
})
