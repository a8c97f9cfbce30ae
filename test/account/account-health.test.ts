import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { RequestStats } from '../../src/account/requests/request-history.ts'
import { minute } from '../../src/duration.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { operations } from '../../src/service/operations.ts'
import { reset } from '../../src/simulator/faults/network-faults.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

describe('The health of an account', () => {
  let at: AccountHarness

  beforeEach(async () => {
    at = await startAccountHarness()
  })

  afterEach(() => at.close())

  const sendStatus = (locale = '', account = at.account) =>
    account.sendRead(operations.status, {
      lane: 'poll',
      maxAge: 0,
      signal: neverAborted(),
      panel: at.panel,
      locale,
    })
  const assertFails = async (code: string, locale = '') => {
    await assert.rejects(sendStatus(locale), (error: KeyholderError) => error.code === code)
  }

  it('is available without a request, even before the first sign-in', () => {
    const { phase, heldUntil, apiVersion, signIns, unanswered, isFailing, latestFailure, budget } =
      at.account.health
    assert.deepEqual([phase, heldUntil, apiVersion, signIns], ['signed-out', undefined, undefined, 0])
    assert.deepEqual([unanswered, isFailing, latestFailure], [0, false, undefined])
    assert.deepEqual(budget, { limit: 6000, usedLastMinute: 0, waiting: 0, wanted: 0, usedToday: 0 })
    assert.equal(at.simulator.requests.length, 0)
  })

  it('reports the phase, the version, the budget and the sign-ins of this process', async () => {
    await sendStatus()
    const { phase, apiVersion, signIns, budget } = at.account.health
    assert.deepEqual([phase, apiVersion, signIns], ['ready', '14.0', 1])
    assert.equal(budget.usedLastMinute, at.simulator.requests.length)
    at.simulator.accounts.expireUserTokens()
    await sendStatus()
    assert.equal(at.account.health.signIns, 2)
  })

  it('tells the requests of the day, also after a restart, and what the polls want', async () => {
    await sendStatus()
    const due = { weight: 1.5, targetMs: 10_000, age: () => 1 }
    const poll = { lane: 'poll', maxAge: 0, signal: neverAborted(), panel: at.panel, due } as const
    await at.account.sendRead(operations.status, poll)
    await at.account.sendRead(operations.devices, { ...poll, due: { ...due, targetMs: 60_000 } })
    const { wanted, usedToday } = at.account.health.budget
    assert.deepEqual([wanted, usedToday], [7, at.simulator.requests.length])
    at.clock.advance(2 * minute)
    const restarted = at.openAfterRestart()
    await sendStatus('', restarted)
    assert.equal(restarted.health.budget.usedToday, at.simulator.requests.length)
    assert.equal(restarted.rateLimiter.paceFactor, 1)
  })

  it('tells once in the log that the limit holds back the polls, and how to change that', async () => {
    void at.releaseAccount(at.account)
    const [account] = [at.openAccount({ requestsPerMinute: 10 }), at.openAccount({ requestsPerMinute: 10 })]
    const begin = at.clock.monotonic()
    for (let since = begin; since < begin + 20 * minute; since = at.clock.monotonic()) {
      const due = { weight: 1.5, targetMs: 3000, age: (now: number) => (now - since) / 3000 }
      const poll = { lane: 'poll', maxAge: 0, signal: neverAborted(), panel: at.panel, due } as const
      await at.waitFor(account?.sendRead(operations.status, poll) ?? Promise.reject(new Error('none')))
    }
    const warnings = at.notices.filter((sentence) => sentence.includes('requests a minute, and'))
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /want 20 requests a minute, and 9 are possible/)
  })

  it('slows its polls down if the requests of the day are used up, and not without a limit', async () => {
    const [lowest] = [at.openAccount({ requestsPerDay: 10 }), at.openAccount({ requestsPerDay: 0 })]
    for (let count = 0; count < 8; count += 1) await sendStatus()
    assert.ok((lowest?.rateLimiter.paceFactor ?? 0) > 5)
    const other = await startAccountHarness({}, { requestsPerDay: 0 })
    await other.account.sendRead(operations.status, other.createRequest())
    assert.equal(other.account.rateLimiter.paceFactor, 1)
    await other.close()
  })

  it('counts sign-ins across a redeploy and for all accounts that share them', async () => {
    await sendStatus()
    void at.releaseAccount(at.account)
    assert.equal(at.openAccount().health.signIns, 1)
  })

  it('reports a pinned version immediately, and no version for a complete base address', async () => {
    await sendStatus()
    assert.equal(at.openAccount({ apiVersion: '13.0' }).health.apiVersion, '13.0')
    const url = `${at.simulator.url}/rest_api/14.0`
    assert.equal(at.openAccount({ url }).health.apiVersion, undefined)
  })

  it('counts requests without an answer until one is answered, even with an error', async () => {
    await sendStatus()
    const port = Number(new URL(at.simulator.url).port)
    await at.simulator.close()
    for (const count of [1, 2, 3]) {
      await assertFails('NETWORK')
      assert.deepEqual([at.account.health.unanswered, at.account.health.isFailing], [count, true])
    }
    const back = await startSimulator({ clock: at.clock, port })
    try {
      back.respondOnce('auth', { status: 500 })
      await assertFails('SERVER_ERROR')
      assert.deepEqual([at.account.health.unanswered, at.account.health.isFailing], [0, true])
      at.clock.advance(60_000)
      await sendStatus()
      assert.equal(at.account.health.isFailing, false)
    } finally {
      await back.close()
    }
  })

  it('counts every unanswered request, whatever the error code, except canceled ones', () => {
    const stats = new RequestStats(at.clock)
    for (const code of ['NETWORK', 'TIMEOUT', 'TLS', 'CLOSED'] as const) {
      stats.noteUnreached(new KeyholderError(code, ''))
    }
    assert.equal(stats.unanswered, 3)
    stats.noteReply()
    assert.equal(stats.unanswered, 0)
  })

  it('counts one lost sign-in as one, however many requests waited for it', async () => {
    at.simulator.faults.start(reset(), { operation: 'auth', times: 1 })
    await Promise.all(['1', '2', '3'].map((locale) => assertFails('NETWORK', locale)))
    assert.equal(at.account.health.unanswered, 1)
  })

  it('forgets unanswered requests when the last user of the account is gone', async () => {
    await sendStatus()
    at.simulator.faults.start(reset())
    await assertFails('NETWORK')
    await assertFails('NETWORK')
    void at.releaseAccount(at.account)
    assert.equal(at.openAccount().health.unanswered, 0)
  })

  it('keeps the code and time of the latest failure, without its message', async () => {
    at.clock.advance(5000)
    at.simulator.respondOnce('status', { status: 500 })
    await assertFails('SERVER_ERROR')
    const expected = { code: 'SERVER_ERROR', failedAt: at.clock.wall(), at: 5000 }
    assert.deepEqual(at.account.health.latestFailure, expected)
    await sendStatus()
    assert.deepEqual(at.account.health.latestFailure, expected)
  })

  it('does not count a missing operation, a missing right or an expired session as a failure', async () => {
    await sendStatus()
    at.simulator.respondOnce('status', { status: 404 })
    await assertFails('NOT_FOUND')
    at.simulator.respondOnce('status', {
      status: 403,
      body: { error: 10010, error_reason_code: 'NotAllowed' },
    })
    await assertFails('NOT_ALLOWED')
    at.simulator.accounts.expireUserTokens()
    await sendStatus()
    assert.deepEqual([at.account.health.latestFailure, at.account.health.isFailing], [undefined, false])
  })

  it('reports a pause with its end, and its cause as the latest failure', async () => {
    at.simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '60' } })
    await assertFails('RATE_LIMITED')
    const { phase, heldUntil, latestFailure } = at.account.health
    assert.deepEqual(
      [phase, heldUntil, latestFailure?.code],
      ['held', at.clock.wall() + 60_000, 'RATE_LIMITED'],
    )
  })

  it('reports a rejected password, and a rejected user code for its panel only', async () => {
    const wrong = at.openAccount({ password: 'wrong' })
    await assert.rejects(sendStatus('', wrong), (error: KeyholderError) => error.code === 'BAD_CREDENTIALS')
    assert.deepEqual([wrong.health.phase, wrong.health.latestFailure?.code], ['rejected', 'BAD_CREDENTIALS'])
    const panel = { ...at.panel, userCode: '9999' }
    assert.equal(at.account.hasRejected(panel), false)
    const options = { lane: 'poll', maxAge: 0, signal: neverAborted() } as const
    await assert.rejects(at.account.sendRead(operations.status, { ...options, panel }), KeyholderError)
    assert.deepEqual([at.account.hasRejected(panel), at.account.hasRejected(at.panel)], [true, false])
    assert.equal(at.account.phase, 'ready')
  })
})
