import assert from 'node:assert/strict'
import { CodeCheck } from '../../../src/home-assistant/requests/code-check.ts'
import { KeyholderError } from '../../../src/service/error.ts'

const second = 1000

/** Returns what the check of a code says: nothing if it is right. */
function said(check: CodeCheck, entered: string, now: number): string {
  try {
    check.check(entered, '0123', now)
    return ''
  } catch (thrown) {
    assert.ok(thrown instanceof KeyholderError)
    assert.equal(thrown.code, 'NOT_ALLOWED')
    for (const code of [entered, '0123']) assert.ok(code === '' || !thrown.message.includes(code))
    return thrown.message
  }
}

describe('The check of a code', () => {
  it('accepts the user code with its zeros, and nothing else', () => {
    const check = new CodeCheck()
    assert.equal(said(check, '0123', 0), '')
    for (const wrong of ['123', '01230', ' 0123', 'None', ''])
      assert.notEqual(said(new CodeCheck(), wrong, 0), '')
  })

  it('checks no code for a while after the third wrong one, the right one neither', () => {
    const check = new CodeCheck()
    for (const wrong of ['1', '2', '3']) assert.match(said(check, wrong, 0), /is not the user code/)
    assert.match(said(check, '0123', 9 * second), /for another 1 s/)
    assert.equal(said(check, '0123', 10 * second), '')
  })

  it('waits longer with each further wrong code, a quarter of an hour at most', () => {
    const check = new CodeCheck()
    let now = 0
    const waits: number[] = []
    for (let tries = 0; tries < 12; tries += 1) {
      said(check, '918273', now)
      const [, seconds] = /another (\d+) s/.exec(said(check, '918273', now)) ?? []
      if (seconds !== undefined) {
        waits.push(Number(seconds))
        now += Number(seconds) * second
      }
    }
    assert.deepEqual(waits.slice(0, 5), [10, 20, 40, 80, 160])
    assert.equal(Math.max(...waits), 900)
  })

  it('begins anew after the right code', () => {
    const check = new CodeCheck()
    for (const code of ['1', '2', '0123', '3', '4']) said(check, code, 0)
    assert.equal(said(check, '0123', 0), '')
  })
})
