import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { minute } from '../../../src/duration.ts'
import { operations } from '../../../src/service/operations.ts'
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts'

describe('The path of the sign-in', () => {
  let at: AccountHarness
  const start = async (options: SimulatorOptions, settings = {}) => {
    at = await startAccountHarness(options, settings)
  }
  const ask = () => at.account.sendRead(operations.panels, at.createRequest())
  /** The numbers of requests to /auth and to /apptype. */
  const counts = () => ['auth', 'apptype'].map((path) => requestsTo(at.simulator, path))
  afterEach(() => at.close())

  // @spec 4.2, sign-in-path
  it('is /auth, and /apptype is not tried', async () => {
    await start({})
    await ask()
    assert.deepEqual(counts(), [1, 0])
  })

  // @spec 4.2, sign-in-path
  it('is /apptype if the service does not have /auth, from then on without another try', async () => {
    await start({ signInPath: 'apptype' })
    await ask()
    assert.deepEqual(counts(), [1, 1])
    at.simulator.accounts.expireUserTokens()
    await ask()
    assert.deepEqual(counts(), [1, 2])
    assert.equal(at.simulator.accounts.signIns, 2)
  })

  // @spec sign-in-path
  it('is /apptype also for a service that is the specification and no more', async () => {
    await start({ signInPath: 'apptype', onlySpecified: true }, { apiVersion: '14.0' })
    await ask()
    assert.deepEqual(counts(), [1, 1])
  })

  it('is /auth again if the service has lost /apptype', async () => {
    await start({ signInPath: 'apptype' })
    await ask()
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('apptype', { status: 404 })
    await assert.rejects(ask(), { code: 'NOT_FOUND' })
    assert.deepEqual(counts(), [2, 2])
  })

  // @spec sign-in-path, rejected-credentials
  it('stays /auth if that rejects the password: it is sent once', async () => {
    await start({}, { password: 'wrong' })
    await assert.rejects(ask(), { code: 'BAD_CREDENTIALS' })
    await assert.rejects(ask(), { code: 'BAD_CREDENTIALS' })
    assert.deepEqual(counts(), [1, 0])
  })

  // @spec sign-in-path, rejected-credentials
  it('is known when /apptype rejects the password, which is not sent again', async () => {
    await start({ signInPath: 'apptype' }, { password: 'wrong' })
    await assert.rejects(ask(), { code: 'BAD_CREDENTIALS' })
    await assert.rejects(ask(), { code: 'BAD_CREDENTIALS' })
    assert.deepEqual(counts(), [1, 1])
  })

  for (const [what, answer] of [
    ['refuses without a reason', { status: 400 }],
    ['answers with a web page', { status: 403, body: '<html></html>' }],
    ['fails', { status: 500 }],
    ['asks to wait', { status: 429 }],
    ['answers with something else', { status: 200, body: {} }],
  ] as const) {
    // @spec sign-in-path
    it(`stays /auth if that ${what}`, async () => {
      await start({})
      at.simulator.respondOnce('auth', answer)
      await assert.rejects(ask())
      assert.deepEqual(counts(), [1, 0])
    })
  }

  it('stays /auth once the service has accepted the password there', async () => {
    await start({})
    await ask()
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('auth', { status: 404 })
    await assert.rejects(ask(), { code: 'NOT_FOUND' })
    assert.deepEqual(counts(), [2, 0])
  })

  // @spec 4.1
  it('is only /auth for installers', async () => {
    await start({}, { api: 'service' })
    at.simulator.respondOnce('auth', { status: 404 })
    await assert.rejects(ask(), { code: 'NOT_FOUND' })
    assert.deepEqual(counts(), [1, 0])
  })

  it('is tried again after growing pauses if the service has neither, and both count as one failure', async () => {
    await start({ missingOperations: ['auth', 'apptype'] })
    for (let second = 0; second < 60; second += 1) {
      await assert.rejects(ask(), { code: 'NOT_FOUND' })
      at.clock.advance(1000)
    }
    // At 0, 2, 6, 14 and 30 s.
    assert.deepEqual(counts(), [5, 5])
  })

  it('does not reject a password that /apptype refuses without a reason, whatever the number of times', async () => {
    await start({ signInPath: 'apptype' })
    at.simulator.respondOnce('apptype', { status: 400, times: 10 })
    for (let times = 0; times < 4; times += 1) {
      await assert.rejects(ask(), { code: 'BAD_RESPONSE' })
      at.clock.advance(60 * minute)
    }
    assert.notEqual(at.account.phase, 'rejected')
    assert.deepEqual(counts(), [4, 4])
  })
})
