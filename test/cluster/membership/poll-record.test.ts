import assert from 'node:assert/strict'
import {
  afterPass,
  afterPoll,
  afterTaking,
  freshRecord,
  isOffered,
  isResting,
  mayTake,
  type PollRecord,
} from '../../../src/cluster/membership/poll-record.ts'
import { hour, minute } from '../../../src/duration.ts'
import type { PollOutcome } from '../../../src/panel/lease.ts'

function recordAfter(...outcomes: readonly PollOutcome[]): PollRecord {
  return outcomes.reduce((before, outcome) => afterPoll(before, 'state', outcome), freshRecord)
}

describe('The record of the polls of an instance', () => {
  it('offers the panel after three failures in a row whose cause may be that of this instance', () => {
    for (const code of ['NETWORK', 'TIMEOUT', 'TLS', 'BAD_CREDENTIALS', 'WRONG_USER_CODE'] as const) {
      assert.equal(isOffered(recordAfter(code, code), 0), false, code)
      assert.equal(isOffered(recordAfter(code, code, code), 0), true, code)
      assert.equal(recordAfter(code, code, code).code, code)
    }
    assert.equal(isOffered(recordAfter('NETWORK', 'TIMEOUT', 'NETWORK'), 0), true)
  })

  it('offers nothing for what other instances would hear too, or after a poll that succeeded', () => {
    for (const code of ['SERVER_ERROR', 'RATE_LIMITED', 'LOGIN_BLOCKED', 'NOT_ALLOWED'] as const) {
      assert.equal(isOffered(recordAfter(code, code, code, code), 0), false, code)
      assert.equal(isOffered(recordAfter('NETWORK', 'NETWORK', code, 'NETWORK'), 0), false, code)
    }
    assert.equal(isOffered(recordAfter('NETWORK', 'NETWORK', 'NETWORK', 'answered'), 0), false)
  })

  it('counts each part of the panel for itself: one lost moment is one failure of each', () => {
    const record = ['state', 'events', 'devices'].reduce(
      (one, work) => afterPoll(one, work, 'NETWORK'),
      freshRecord,
    )
    assert.equal(isOffered(record, 0), false)
  })

  it('lets the instance rest after a pass: ten minutes, and each time twice as long, until a poll succeeds', () => {
    const failing = recordAfter('TLS', 'TLS', 'TLS')
    let [record, now] = [failing, 0]
    for (const rest of [10, 20, 40, 80, 160, 240, 240]) {
      record = afterPass(record, now)
      now += rest * minute
      assert.deepEqual([isResting(record, now - 1), mayTake(record, now - 1)], [true, false])
      assert.deepEqual([isResting(record, now), mayTake(record, now)], [false, true])
      // What has failed so often is offered after one more failure, and not before.
      assert.equal(isOffered(afterPoll(record, 'state', 'TLS'), now), true)
    }
    assert.deepEqual(afterPoll(record, 'state', 'answered'), freshRecord)
  })

  it('does not offer at once what was taken from another instance', () => {
    const taken = afterTaking(freshRecord, hour)
    const failed = ['TLS', 'TLS', 'TLS', 'TLS'].reduce((one) => afterPoll(one, 'state', 'TLS'), taken)
    assert.deepEqual(
      [isOffered(failed, hour + 10 * minute - 1), isOffered(failed, hour + 10 * minute)],
      [false, true],
    )
    // Nothing was passed: it may claim what is free as fast as others.
    assert.equal(isResting(failed, hour), false)
  })
})
