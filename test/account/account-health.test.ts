import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { RequestStats } from '../../src/account/request-stats.ts'
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

  const ask = (locale = '', account = at.account) =>
    account.sendRead(operations.status, {
      lane: 'poll',
      maxAge: 0,
      signal: neverAborted(),
      panel: at.panel,
      locale,
    })
  const fails = async (code: string, locale = '') => {
    await assert.rejects(ask(locale), (error: KeyholderError) => error.code === code)
  }

  it('is known without a request, also while nobody has signed in', () => {
    const { phase, heldUntil, apiVersion, signIns, unanswered, isFailing, latestFailure, budget } =
      at.account.health
    assert.deepEqual([phase, heldUntil, apiVersion, signIns], ['signed-out', undefined, undefined, 0])
    assert.deepEqual([unanswered, isFailing, latestFailure], [0, false, undefined])
    assert.deepEqual(budget, { limit: 6000, usedLastMinute: 0, waiting: 0 })
    assert.equal(at.simulator.requests.length, 0)
  })

  it('knows phase, version, budget and the sign-ins of this process', async () => {
    await ask()
    const { phase, apiVersion, signIns, budget } = at.account.health
    assert.deepEqual([phase, apiVersion, signIns], ['ready', '14.0', 1])
    assert.equal(budget.usedLastMinute, at.simulator.requests.length)
    at.simulator.accounts.expireUserTokens()
    await ask()
    assert.equal(at.account.health.signIns, 2)
  })

  it('counts sign-ins over a redeploy, and for all who share them', async () => {
    await ask()
    at.releaseAccount(at.account)
    assert.equal(at.openAccount().health.signIns, 1)
  })

  it('has a pinned version at once, and none for a whole base address', async () => {
    await ask()
    assert.equal(at.openAccount({ apiVersion: '13.0' }).health.apiVersion, '13.0')
    const url = `${at.simulator.url}/rest_api/14.0`
    assert.equal(at.openAccount({ url }).health.apiVersion, undefined)
  })

  it('counts attempts that get no answer, until one is answered, also with an error', async () => {
    await ask()
    const port = Number(new URL(at.simulator.url).port)
    await at.simulator.close()
    for (const count of [1, 2, 3]) {
      await fails('NETWORK')
      assert.deepEqual([at.account.health.unanswered, at.account.health.isFailing], [count, true])
    }
    const back = await startSimulator({ clock: at.clock, port })
    try {
      back.respondOnce('auth', { status: 500 })
      await fails('SERVER_ERROR')
      assert.deepEqual([at.account.health.unanswered, at.account.health.isFailing], [0, true])
      at.clock.advance(60_000)
      await ask()
      assert.equal(at.account.health.isFailing, false)
    } finally {
      await back.close()
    }
  })

  it('counts each of them whatever it failed with, but one that was given up', () => {
    const record = new RequestStats(at.clock)
    for (const code of ['NETWORK', 'TIMEOUT', 'TLS', 'CLOSED'] as const) {
      record.noteUnreached(new KeyholderError(code, ''))
    }
    assert.equal(record.unanswered, 3)
    record.noteReply()
    assert.equal(record.unanswered, 0)
  })

  it('counts one lost attempt as one, however many questions waited for it', async () => {
    at.simulator.faults.start(reset(), { operation: 'auth', times: 1 })
    await Promise.all(['1', '2', '3'].map((locale) => fails('NETWORK', locale)))
    assert.equal(at.account.health.unanswered, 1)
  })

  it('is not out of reach for ever because nobody asks any more', async () => {
    await ask()
    at.simulator.faults.start(reset())
    await fails('NETWORK')
    await fails('NETWORK')
    at.releaseAccount(at.account)
    assert.equal(at.openAccount().health.unanswered, 0)
  })

  it('remembers the latest failure with its time, but no message', async () => {
    at.clock.advance(5000)
    at.simulator.respondOnce('status', { status: 500 })
    await fails('SERVER_ERROR')
    const expected = { code: 'SERVER_ERROR', failedAt: at.clock.wall(), at: 5000 }
    assert.deepEqual(at.account.health.latestFailure, expected)
    await ask()
    assert.deepEqual(at.account.health.latestFailure, expected)
  })

  it('does not take for a failure what the service or the user lacks, nor an expiry', async () => {
    await ask()
    at.simulator.respondOnce('status', { status: 404 })
    await fails('NOT_FOUND')
    at.simulator.respondOnce('status', {
      status: 403,
      body: { error: 10010, error_reason_code: 'NotAllowed' },
    })
    await fails('NOT_ALLOWED')
    at.simulator.accounts.expireUserTokens()
    await ask()
    assert.deepEqual([at.account.health.latestFailure, at.account.health.isFailing], [undefined, false])
  })

  it('tells a hold with its end, and its cause as the latest failure', async () => {
    at.simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '60' } })
    await fails('RATE_LIMITED')
    const { phase, heldUntil, latestFailure } = at.account.health
    assert.deepEqual(
      [phase, heldUntil, latestFailure?.code],
      ['held', at.clock.wall() + 60_000, 'RATE_LIMITED'],
    )
  })

  it('tells a rejected password, and of a panel a rejected user code', async () => {
    const wrong = at.openAccount({ password: 'wrong' })
    await assert.rejects(ask('', wrong), (error: KeyholderError) => error.code === 'BAD_CREDENTIALS')
    assert.deepEqual([wrong.health.phase, wrong.health.latestFailure?.code], ['rejected', 'BAD_CREDENTIALS'])
    const panel = { ...at.panel, userCode: '9999' }
    assert.equal(at.account.hasRejected(panel), false)
    const asking = { lane: 'poll', maxAge: 0, signal: neverAborted() } as const
    await assert.rejects(at.account.sendRead(operations.status, { ...asking, panel }), KeyholderError)
    assert.deepEqual([at.account.hasRejected(panel), at.account.hasRejected(at.panel)], [true, false])
    assert.equal(at.account.phase, 'ready')
  })
})
