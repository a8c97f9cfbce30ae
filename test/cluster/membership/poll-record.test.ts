import assert from 'node:assert/strict'
import {
  afterPoll,
  failureOf,
  freshRecord,
  type PollRecord,
  rankOf,
  ranks,
} from '../../../src/cluster/membership/poll-record.ts'
import { minute } from '../../../src/duration.ts'
import type { PollOutcome } from '../../../src/panel/lease.ts'

function recordAfter(...outcomes: readonly PollOutcome[]): PollRecord {
  return outcomes.reduce((before, outcome) => afterPoll(before, 'state', outcome, 0), freshRecord)
}

describe('The record of the polls of an instance', () => {
  it('puts the instance behind others after three failures in a row whose cause may be its own', () => {
    for (const code of ['NETWORK', 'TIMEOUT', 'TLS'] as const) {
      assert.equal(rankOf(recordAfter(code, code), 0), ranks.ready, code)
      assert.equal(rankOf(recordAfter(code, code, code), 0), ranks.failing, code)
      assert.equal(failureOf(recordAfter(code, code, code), 0), code)
    }
    assert.equal(rankOf(recordAfter('NETWORK', 'TIMEOUT', 'NETWORK'), 0), ranks.failing)
  })

  it('does so at once for rejected secrets, which another poll would only show again', () => {
    for (const code of ['BAD_CREDENTIALS', 'WRONG_USER_CODE'] as const)
      assert.deepEqual([rankOf(recordAfter(code), 0), failureOf(recordAfter(code), 0)], [ranks.failing, code])
  })

  it('does not do so for what other instances would hear too, or after a poll that succeeded', () => {
    for (const code of ['SERVER_ERROR', 'RATE_LIMITED', 'LOGIN_BLOCKED', 'NOT_ALLOWED'] as const) {
      assert.equal(rankOf(recordAfter(code, code, code, code), 0), ranks.ready, code)
      assert.equal(rankOf(recordAfter('NETWORK', 'NETWORK', code, 'NETWORK'), 0), ranks.ready, code)
    }
    assert.deepEqual(recordAfter('NETWORK', 'NETWORK', 'NETWORK', 'answered'), freshRecord)
  })

  it('counts each part of the panel for itself: one lost moment is one failure of each', () => {
    const record = ['state', 'events', 'devices'].reduce(
      (one, work) => afterPoll(one, work, 'NETWORK', 0),
      freshRecord,
    )
    assert.equal(rankOf(record, 0), ranks.ready)
  })

  it('lets the instance try again after ten minutes if all others fail, and not before one whose polls never failed', () => {
    const end = 10 * minute
    for (const [code, shown] of [
      ['TLS', undefined],
      ['BAD_CREDENTIALS', 'BAD_CREDENTIALS'],
    ] as const) {
      const record = recordAfter(code, code, code)
      assert.deepEqual(
        [rankOf(record, 0), rankOf(record, end - 1), rankOf(record, end)],
        [ranks.failing, ranks.failing, ranks.failedBefore],
      )
      // The network may be back by then; rejected secrets are not right by then.
      assert.deepEqual([failureOf(record, end - 1), failureOf(record, end)], [code, shown])
    }
    assert.ok(ranks.ready < ranks.failedBefore && ranks.failedBefore < ranks.failing)
  })
})
