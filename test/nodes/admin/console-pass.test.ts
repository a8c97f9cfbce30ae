import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createPassCookie, hasValidPass } from '../../../nodes/admin/demo-console.ts'
import { hour } from '../../../src/duration.ts'

describe('A pass for the console of a demo', () => {
  const key = randomBytes(32)
  const cookie = createPassCookie(key, 1000.5, false)
  const [pass = ''] = cookie.split(';')

  it('is valid for twelve hours, also among other cookies', () => {
    for (const now of [0, 1000.5, 12 * hour]) assert.ok(hasValidPass(pass, key, now))
    assert.ok(hasValidPass(`one=1; keyholder-demo=old; ${pass};last=2`, key, 2000))
    assert.ok(!hasValidPass(pass, key, 12 * hour + 1001))
  })

  it('is not valid for another demo, changed, or absent', () => {
    assert.ok(!hasValidPass(pass, randomBytes(32), 2000))
    const later = pass.replace(/=\d+/, (end) => `${end}0`)
    const signature = pass.replace(/\.[\w-]/, (first) => (first === '.A' ? '.B' : '.A'))
    for (const wrong of [undefined, '', later, signature, pass.slice(0, -1), `${pass}A`, `x${pass}`]) {
      assert.ok(!hasValidPass(wrong, key, 2000), wrong)
    }
  })

  it('is hidden from scripts and other sites, and sent only by https if it came by https', () => {
    assert.match(cookie, /^keyholder-demo=[\w.-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/)
    assert.match(createPassCookie(key, 0, true), /; SameSite=Strict; Secure$/)
  })
})
