import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { OutageReporter } from '../../../src/panel/polling/outage-reporter.ts'
import { type ErrorCode, KeyholderError } from '../../../src/service/error.ts'

describe('An outage of a panel', () => {
  let clock: FakeClock
  let reports: string[]
  let outages: OutageReporter
  const fail = (what: string, code: ErrorCode) =>
    outages.noteFailure(what, new KeyholderError(code, 'A sentence.'))

  beforeEach(() => {
    clock = new FakeClock()
    reports = []
    outages = new OutageReporter(clock, {
      outage: ({ code }) => reports.push(code),
      recovery: () => reports.push('recovery'),
    })
  })

  it('is reported once, and its recovery once, however many polls fail', () => {
    for (const what of ['state', 'events', 'state', 'events', 'state']) fail(what, 'NETWORK')
    for (const what of ['state', 'events', 'state']) outages.noteRecovery(what)
    assert.deepEqual(reports, ['NETWORK', 'recovery'])
  })

  it('is reported with the hint that the nodes continue, unless someone must change something', () => {
    const sentences: string[] = []
    const hinting = new OutageReporter(clock, {
      outage: ({ message, status }) => sentences.push(`${status} ${message}`),
      recovery: () => {},
    })
    for (const code of ['RATE_LIMITED', 'WRONG_USER_CODE'] as const)
      hinting.noteFailure('state', new KeyholderError(code, 'A sentence.', { status: 429 }))
    assert.deepEqual(sentences, ['429 A sentence. The nodes continue by themselves.', '429 A sentence.'])
  })

  it('ends only when all polls succeed', () => {
    fail('state', 'SERVER_ERROR')
    fail('devices', 'SERVER_ERROR')
    outages.noteRecovery('state')
    assert.deepEqual(reports, ['SERVER_ERROR'])
    outages.noteRecovery('devices')
    assert.deepEqual(reports, ['SERVER_ERROR', 'recovery'])
  })

  it('is the same outage if connections fail and requests time out by turns', () => {
    for (const code of ['NETWORK', 'TIMEOUT', 'NETWORK', 'TIMEOUT'] as const) fail('state', code)
    outages.noteRecovery('state')
    fail('state', 'TIMEOUT')
    fail('state', 'NETWORK')
    assert.deepEqual(reports, ['NETWORK', 'recovery', 'TIMEOUT'])
  })

  it('is reported apart from a bug in this package', () => {
    for (const code of ['SERVER_ERROR', 'INTERNAL_ERROR', 'NETWORK', 'INTERNAL_ERROR'] as const)
      fail('state', code)
    assert.deepEqual(reports, ['SERVER_ERROR', 'INTERNAL_ERROR'])
  })

  it('is reported again if its cause is of another kind', () => {
    for (const code of ['NETWORK', 'LOGIN_BLOCKED', 'NETWORK', 'LOGIN_BLOCKED'] as const) fail('state', code)
    outages.noteRecovery('state')
    assert.deepEqual(reports, ['NETWORK', 'LOGIN_BLOCKED', 'recovery'])
  })

  it('is neither reported again nor recovered when polling stops', () => {
    fail('state', 'NETWORK')
    outages.forget('state')
    outages.noteRecovery('state')
    assert.deepEqual(reports, ['NETWORK'])
  })

  it('does not last because of a cursor that is no longer written', () => {
    fail('events/cursor', 'BAD_SETTING')
    outages.forget('events')
    fail('state', 'NETWORK')
    outages.noteRecovery('state')
    assert.deepEqual(reports, ['BAD_SETTING', 'NETWORK', 'recovery'])
    assert.equal(outages.isFailing('events/cursor'), false)
  })

  it('is reported again each time, even while something else keeps failing', () => {
    fail('events/cursor', 'BAD_SETTING')
    for (const _night of [1, 2]) {
      fail('state', 'NETWORK')
      fail('events', 'NETWORK')
      outages.noteRecovery('state')
      outages.noteRecovery('events')
    }
    outages.noteRecovery('events/cursor')
    assert.deepEqual(reports, ['BAD_SETTING', 'NETWORK', 'NETWORK', 'recovery'])
  })

  it('is not reported again and again when every tenth poll fails, but is reported when two in a row fail', () => {
    const poll = (isLost: boolean) => {
      clock.advance(30_000)
      if (isLost) fail('state', 'TIMEOUT')
      else outages.noteRecovery('state')
    }
    for (let nth = 1; nth <= 2400; nth += 1) poll(nth % 10 === 0)
    assert.deepEqual(reports, Array.from({ length: 3 }, () => ['TIMEOUT', 'recovery']).flat())
    reports.length = 0
    for (const isLost of [true, true, true, false]) poll(isLost)
    assert.deepEqual(reports, ['TIMEOUT', 'recovery'])
    reports.length = 0
    poll(true)
    fail('events', 'TLS')
    poll(true)
    assert.deepEqual(reports, ['TIMEOUT'])
    fail('events', 'TLS')
    outages.noteRecovery('events')
    poll(false)
    assert.deepEqual(reports, ['TIMEOUT', 'TLS', 'recovery'])
  })

  it('is reported at the first failed poll again after an hour without one', () => {
    const lose = () => {
      fail('state', 'TIMEOUT')
      outages.noteRecovery('state')
    }
    for (let nth = 1; nth <= 5; nth += 1) lose()
    reports.length = 0
    clock.advance(3_600_000)
    lose()
    assert.deepEqual(reports, ['TIMEOUT', 'recovery'])
  })

  it('is remembered as the latest failure with its time, even after the recovery', () => {
    assert.equal(outages.latest, undefined)
    fail('state', 'NETWORK')
    clock.advance(1000)
    fail('events', 'TLS')
    outages.noteRecovery('state')
    outages.noteRecovery('events')
    assert.deepEqual(outages.latest, { code: 'TLS', failedAt: Date.UTC(2026, 10, 20, 12, 0, 1), at: 1000 })
  })
})
