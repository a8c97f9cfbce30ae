import assert from 'node:assert/strict'
import { httpError } from '../../../src/account/http/http-error.ts'

describe('A failed HTTP attempt', () => {
  const ending = { isClosed: false, isOverdue: false, timeout: 10 }
  const codeOf = (thrown: unknown) => httpError(thrown, 'alarm.example.com', ending).code

  it('is reported as a bug in this package if Node itself throws an exception without a code', () => {
    for (const thrown of [new TypeError('x'), new RangeError('x'), new ReferenceError('x')])
      assert.equal(codeOf(thrown), 'INTERNAL_ERROR')
  })

  it('is reported as a network failure if the exception has a code', () => {
    assert.equal(codeOf(Object.assign(new TypeError('x'), { code: 'ECONNRESET' })), 'NETWORK')
    assert.equal(codeOf(new Error('x')), 'NETWORK')
  })

  it('says that no proxy is used only where the environment names one', () => {
    const messageIn = (environment: Record<string, string>) =>
      httpError(new Error('x'), 'alarm.example.com', ending, environment).message
    assert.match(messageIn({ https_proxy: 'http://proxy:3128' }), / use no proxy, /)
    assert.doesNotMatch(messageIn({ https_proxy: '', NO_PROXY: '*' }), /proxy/)
  })
})
