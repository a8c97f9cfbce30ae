import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { type Operation, operations } from '../../src/service/operations.ts'
import { versionWithdrawn } from '../../src/simulator/faults/service-faults.ts'

const minute = 60_000
const now = { lane: 'urgent', maxAge: 0 } as const

/** Returns the versions in the paths of the requests, in order, without duplicates. */
function versionsAsked(requests: readonly { path: string }[]): string[] {
  const versions = requests.map(({ path }) => /\/rest_api\/(\d+\.\d+)\//.exec(path)?.[1] ?? '')
  return [...new Set(versions.filter((version) => version !== ''))]
}

describe('The API version of the service', () => {
  // @spec 9
  it('is the numerically highest one available, not the last one alphabetically', async () => {
    const at = await startAccountHarness({ versions: ['8.0', '9.0', '10.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['10.0'])
    await at.close()
  })

  it('is the pinned one if one is configured, without a version request', async () => {
    const at = await startAccountHarness({ versions: ['13.0', '14.0'] }, { apiVersion: '13.0' })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['13.0'])
    assert.equal(requestsTo(at.simulator, 'version'), 0)
    await at.close()
  })

  // @spec 9
  it('is refused below 8, before any sign-in', async () => {
    const at = await startAccountHarness({ versions: ['3.0', '4.0'] })
    await assert.rejects(at.account.sendRead(operations.panels, { ...now, signal: neverAborted() }), {
      code: 'UNSUPPORTED_VERSION',
    })
    assert.equal(at.simulator.accounts.signIns, 0)
    await at.close()
  })

  it('is 8 if that is the only one available', async () => {
    const at = await startAccountHarness({ versions: ['8.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['8.0'])
    assert.deepEqual(at.notices, [])
    await at.close()
  })

  // @spec versions
  it('causes one notice if it is newer than all known ones, and is used', async () => {
    const at = await startAccountHarness({ versions: ['15.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.equal(at.notices.length, 1)
    assert.match(at.notices[0] ?? '', /15\.0/)
    await at.close()
  })

  for (const [how, answer] of [
    ['404', { status: 404, body: 'not found' }],
    ['a web page', { status: 200, body: '<!doctype html><title>gone</title>' }],
  ] as const) {
    // @spec deprecation
    it(`is requested again if the current one was removed, reported by ${how}, and the request is repeated with the new one`, async () => {
      const at = await startAccountHarness({ versions: ['13.0', '14.0'] })
      at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
      await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
      at.clock.advance(31_000)
      at.simulator.respondOnce('panels', answer)
      const { value } = await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
      assert.equal(value.length, 2)
      assert.deepEqual(versionsAsked(at.simulator.requests), ['13.0', '14.0'])
      await at.close()
    })
  }

  for (const [what, body] of [
    ['data of another shape', []],
    ['a web page', '<!doctype html><title>gone</title>'],
    ['neither', 'It works!'],
  ] as const) {
    it(`cannot be determined from an answer with ${what}: the error says that no alarm service is there`, async () => {
      const at = await startAccountHarness()
      at.simulator.respondOnce('version', { status: 200, body })
      const thrown = await at.account.negotiate().catch((error: KeyholderError) => error)
      await at.close()
      assert.ok(thrown instanceof KeyholderError)
      const { code, status, message, detail } = thrown
      assert.deepEqual([code, status, detail], ['BAD_RESPONSE', 200, { text: 'finding.noService' }])
      assert.match(
        message,
        /^There is no alarm service at this address\. .*\(request "version", answer 200\)$/,
      )
    })
  }

  it('is kept if only an operation is missing', async () => {
    const at = await startAccountHarness({ missingOperations: ['alarms'] })
    const panel = at.panel
    await assert.rejects(at.account.sendRead(operations.alarms, { ...now, panel, signal: neverAborted() }), {
      code: 'NOT_FOUND',
      status: 404,
    })
    await at.account.sendRead(operations.status, { ...now, panel, signal: neverAborted() })
    await at.close()
  })
})

describe('A version that the service withdraws', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness({ versions: ['13.0', '14.0'] })
    at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
    await at.account.sendRead(operations.status, at.createRequest())
    at.clock.advance(minute)
  })
  afterEach(() => at.close())

  const page = '<!doctype html><title>gone</title>'
  const withdraw = (status: number, body: string | object) =>
    at.simulator.faults.start({
      name: 'version 13.0 withdrawn',
      answer: (getOriginal, { path }) =>
        path.startsWith('/rest_api/13.0/') ? { status, body } : getOriginal(),
    })
  /** Polls every 30 seconds until an answer comes, and returns the minutes that it took. */
  const minutesToRecovery = async (...polled: Operation<unknown>[]) => {
    for (let polls = 0; polls < 2 * 60; polls += 1) {
      let hasFailed = false
      for (const operation of polled.length > 0 ? polled : [operations.status]) {
        const answer = at.account.sendRead(operation, { ...at.createRequest(), lane: 'poll' })
        await answer.catch(() => {
          hasFailed = true
        })
      }
      if (!hasFailed) return polls / 2
      at.clock.advance(minute / 2)
    }
    return Number.POSITIVE_INFINITY
  }

  for (const status of [200, 301, 400, 401, 403, 404, 405, 410, 440, 500, 501, 502, 503]) {
    // @spec deprecation
    it(`is replaced within ten minutes if its paths answer with a page of status ${status}`, async () => {
      withdraw(status, page)
      assert.ok((await minutesToRecovery()) <= 10)
    })
  }

  for (const status of [200, 301, 400, 401, 403, 410, 429, 440, 500, 503]) {
    it(`is replaced within ten minutes if its paths answer with JSON of status ${status}`, async () => {
      withdraw(status, { message: 'gone' })
      assert.ok((await minutesToRecovery()) <= 10)
    })
  }

  it('is replaced within ten minutes if its paths answer with nothing, which passes for the answer of one operation', async () => {
    withdraw(200, {})
    assert.ok((await minutesToRecovery(operations.status, operations.events)) <= 10)
  })

  it('is replaced before a sign-in, so that the secrets are sent to the new one', async () => {
    withdraw(401, { message: 'gone' })
    await at.account.sendRead(operations.status, at.createRequest())
    assert.equal(requestsTo(at.simulator, '13.0/auth'), 1)
    assert.equal(requestsTo(at.simulator, '14.0/auth'), 1)
  })
})

describe('The versions of the service', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.status, at.createRequest())
    at.clock.advance(minute)
  })
  afterEach(() => at.close())

  const poll = async (minutes: number) => {
    for (let polls = 0; polls < 2 * minutes; polls += 1) {
      await at.account.sendRead(operations.status, { ...at.createRequest(), lane: 'poll' }).catch(() => {})
      at.clock.advance(minute / 2)
    }
  }

  it('are requested at each sign-in', async () => {
    at.simulator.accounts.expireUserTokens()
    await at.account.sendRead(operations.status, at.createRequest())
    assert.equal(requestsTo(at.simulator, 'version'), 2)
  })

  it('are requested before a panel is opened that could not be opened a short time ago', async () => {
    const open = () => at.account.openPanel({ ...at.panel, serial: at.simulator.serials[1] ?? '' })
    at.simulator.faults.start(versionWithdrawn('14.0', { status: 406 }))
    await assert.rejects(open(), { code: 'BAD_RESPONSE' })
    at.clock.advance(5000)
    await open()
    assert.equal(requestsTo(at.simulator, 'version'), 2)
  })

  it('are not requested again by the first sign-in', () => {
    assert.equal(requestsTo(at.simulator, 'version'), 1)
  })

  it('are requested every five minutes at most while all other requests fail', async () => {
    at.simulator.respondOnce('status', { status: 500, times: Number.POSITIVE_INFINITY })
    await poll(2)
    assert.equal(requestsTo(at.simulator, 'version'), 1)
    await poll(60)
    const asked = requestsTo(at.simulator, 'version')
    assert.ok(asked >= 10 && asked <= 13, `${asked} requests`)
  })

  it('are requested while no request is answered', async () => {
    at.simulator.hang('status', Number.POSITIVE_INFINITY)
    for (let polls = 0; polls < 12; polls += 1) {
      const answer = at.account.sendRead(operations.status, { ...at.createRequest(), lane: 'poll' })
      await assert.rejects(at.waitFor(answer), { code: 'TIMEOUT' })
      at.clock.advance(minute / 2)
    }
    assert.equal(requestsTo(at.simulator, 'version'), 2)
  })

  it('are not requested while other requests succeed', async () => {
    at.simulator.respondOnce('status', { status: 500, times: Number.POSITIVE_INFINITY })
    for (let polls = 0; polls < 60; polls += 1) {
      await poll(1)
      await at.account.sendRead(operations.panels, { ...at.createRequest(), lane: 'poll' })
    }
    assert.equal(requestsTo(at.simulator, 'version'), 1)
  })

  it('are requested once more because of an unreadable answer of an operation that is not requested again', async () => {
    at.simulator.respondOnce('alerts', { status: 200, body: { nothing: true } })
    await assert.rejects(at.account.sendRead(operations.alerts, at.createRequest()), { code: 'BAD_RESPONSE' })
    await poll(60)
    assert.equal(requestsTo(at.simulator, 'version'), 2)
  })

  it('do not stop an account that knows one if they alone cannot be read', async () => {
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('version', { status: 500, times: Number.POSITIVE_INFINITY })
    await at.account.sendRead(operations.status, at.createRequest())
  })

  it('do not stop an account that knows one if a check alone cannot read them', async () => {
    at.simulator.respondOnce('version', { status: 404 })
    await assert.rejects(at.account.negotiate(), { code: 'NOT_FOUND' })
    await at.account.sendRead(operations.status, at.createRequest())
  })

  it('do not stop an account that knows one if a firewall answers them alone with a page', async () => {
    at.simulator.respondOnce('version', {
      status: 403,
      body: '<html></html>',
      times: Number.POSITIVE_INFINITY,
    })
    at.simulator.respondOnce('status', { status: 403, body: '<html></html>' })
    await poll(5)
    await at.account.sendRead(operations.status, at.createRequest())
  })
})
