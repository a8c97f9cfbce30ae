import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { OutageReporter } from '../../../src/panel/polling/outage-reporter.ts'
import { type ErrorCode, KeyholderError } from '../../../src/service/error.ts'

describe('The trouble of a panel', () => {
  let clock: FakeClock
  let said: string[]
  let trouble: OutageReporter
  const fails = (what: string, code: ErrorCode) =>
    trouble.noteFailure(what, new KeyholderError(code, 'A sentence.'))

  beforeEach(() => {
    clock = new FakeClock()
    said = []
    trouble = new OutageReporter(clock, {
      outage: ({ code }) => said.push(code),
      recovery: () => said.push('recovery'),
    })
  })

  it('is said once at its loss and once at its recovery, however many polls fail', () => {
    for (const what of ['state', 'events', 'state', 'events', 'state']) fails(what, 'NETWORK')
    for (const what of ['state', 'events', 'state']) trouble.noteRecovery(what)
    assert.deepEqual(said, ['NETWORK', 'recovery'])
  })

  it('is not over before all is well', () => {
    fails('state', 'SERVER_ERROR')
    fails('devices', 'SERVER_ERROR')
    trouble.noteRecovery('state')
    assert.deepEqual(said, ['SERVER_ERROR'])
    trouble.noteRecovery('devices')
    assert.deepEqual(said, ['SERVER_ERROR', 'recovery'])
  })

  it('is one outage, whether connections fail or nobody answers', () => {
    for (const code of ['NETWORK', 'TIMEOUT', 'NETWORK', 'TIMEOUT'] as const) fails('state', code)
    trouble.noteRecovery('state')
    fails('state', 'TIMEOUT')
    fails('state', 'NETWORK')
    assert.deepEqual(said, ['NETWORK', 'recovery', 'TIMEOUT'])
  })

  it('does not take a bug in this package for an outage of the service', () => {
    for (const code of ['SERVER_ERROR', 'INTERNAL_ERROR', 'NETWORK', 'INTERNAL_ERROR'] as const)
      fails('state', code)
    assert.deepEqual(said, ['SERVER_ERROR', 'INTERNAL_ERROR'])
  })

  it('is said again when it is of another kind', () => {
    for (const code of ['NETWORK', 'LOGIN_BLOCKED', 'NETWORK', 'LOGIN_BLOCKED'] as const) fails('state', code)
    trouble.noteRecovery('state')
    assert.deepEqual(said, ['NETWORK', 'LOGIN_BLOCKED', 'recovery'])
  })

  it('is neither lost nor recovered when nobody asks any more', () => {
    fails('state', 'NETWORK')
    trouble.forget('state')
    trouble.noteRecovery('state')
    assert.deepEqual(said, ['NETWORK'])
  })

  it('of a part ends with the whole: a cursor that nobody writes keeps nothing from recovering', () => {
    fails('events/cursor', 'BAD_SETTING')
    trouble.forget('events')
    fails('state', 'NETWORK')
    trouble.noteRecovery('state')
    assert.deepEqual(said, ['BAD_SETTING', 'NETWORK', 'recovery'])
    assert.equal(trouble.isFailing('events/cursor'), false)
  })

  it('is said anew at each outage, also while something else goes on failing', () => {
    fails('events/cursor', 'BAD_SETTING')
    for (const _night of [1, 2]) {
      fails('state', 'NETWORK')
      fails('events', 'NETWORK')
      trouble.noteRecovery('state')
      trouble.noteRecovery('events')
    }
    trouble.noteRecovery('events/cursor')
    assert.deepEqual(said, ['BAD_SETTING', 'NETWORK', 'NETWORK', 'recovery'])
  })

  it('remembers the latest failure with its time, also when all is well again', () => {
    assert.equal(trouble.latest, undefined)
    fails('state', 'NETWORK')
    clock.advance(1000)
    fails('events', 'TLS')
    trouble.noteRecovery('state')
    trouble.noteRecovery('events')
    assert.deepEqual(trouble.latest, { code: 'TLS', failedAt: Date.UTC(2026, 10, 20, 12, 0, 1), at: 1000 })
  })
})
