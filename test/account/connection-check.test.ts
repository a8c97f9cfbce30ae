import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { testCertificate } from '../../harness/certificates/test-certificate.ts'
import { requestsTo } from '../../harness/simulator.ts'
import type { Account } from '../../src/account/account.ts'
import { checkConnection, checkUserCode, type Finding } from '../../src/account/connection-check.ts'
import { operations } from '../../src/service/operations.ts'
import type { RawSettings } from '../../src/settings.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'

/** Summarizes the findings, such as `host running` or `signIn BAD_CREDENTIALS`. */
const summarize = (findings: readonly Finding[]) =>
  findings.map((finding) => `${finding.step} ${finding.state === 'failed' ? finding.code : finding.state}`)

describe('The connection check', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const all = async (findings: AsyncIterable<Finding>) => {
    const findingList: Finding[] = []
    for await (const finding of findings) findingList.push(finding)
    return findingList
  }

  /** Runs a check as the dialog does, with an account that exists only as long as the check. */
  const check = async (settings: RawSettings = {}) => {
    const account = at.openTrialAccount(settings)
    try {
      return await all(checkConnection(account, neverAborted()))
    } finally {
      void at.releaseAccount(account)
    }
  }
  const checkCode = async (userCode: string, account: Account = at.openTrialAccount()) => {
    try {
      return await all(checkUserCode(account, { ...at.panel, userCode }, neverAborted()))
    } finally {
      void at.releaseAccount(account)
    }
  }
  const readPanels = (account: Account) =>
    account.sendRead(operations.panels, { lane: 'urgent', maxAge: 0, signal: neverAborted() })

  // @spec 2.4, 4.3
  it('reports each step and ends with the panels to choose from', async () => {
    const findings = await check()
    assert.deepEqual(summarize(findings), [
      'host running',
      'host done',
      'version done',
      'signIn running',
      'signIn done',
      'panels running',
      'panels done',
    ])
    const facts = Object.assign({}, ...findings)
    assert.equal(facts.host, new URL(at.simulator.url).host)
    assert.equal(facts.version, '14.0')
    const [home] = facts.panels
    assert.deepEqual(Object.keys(home), ['serial', 'alias', 'role', 'model'])
    assert.deepEqual([home.serial, home.alias, home.role], [at.panel.serial, 'Home', 'MASTER_USER'])
    assert.equal(facts.panels.length, 2)
  })

  it('reports each step when it happens, not at the end', async () => {
    const findings = checkConnection(at.openTrialAccount(), neverAborted())
    for (const serviceText of ['host running', 'host done', 'version done', 'signIn running']) {
      assert.deepEqual(summarize([(await findings.next()).value]), [serviceText])
    }
    assert.equal(at.simulator.accounts.signIns, 0)
    assert.deepEqual(summarize([(await findings.next()).value]), ['signIn done'])
    assert.equal(requestsTo(at.simulator, 'panels'), 0)
    await findings.return(undefined)
  })

  for (const set of ['version', 'complete base address']) {
    it(`skips the version request if a ${set} is configured, and reports the host as reached after the sign-in`, async () => {
      const base = `${at.simulator.url}/rest_api/14.0`
      assert.deepEqual(summarize(await check(set === 'version' ? { apiVersion: '14.0' } : { url: base })), [
        'host running',
        'host done',
        'signIn done',
        'panels running',
        'panels done',
      ])
      assert.equal(requestsTo(at.simulator, 'rest_api/version'), 0)
    })
  }

  it('does not report the host as reached because of an earlier session', async () => {
    await check({ apiVersion: '14.0' })
    const account = at.openTrialAccount({ apiVersion: '14.0' })
    await at.simulator.close()
    assert.deepEqual(summarize(await all(checkConnection(account, neverAborted()))), [
      'host running',
      'signIn done',
      'host NETWORK',
    ])
  })

  it('requests the version again even if deployed nodes know it', async () => {
    await readPanels(at.account)
    await check()
    assert.equal(requestsTo(at.simulator, 'rest_api/version'), 2)
    assert.equal(at.simulator.accounts.signIns, 1)
  })

  describe('ends at the step that fails and', () => {
    it('reports a host on which no server listens', async () => {
      const [, last] = await check({ url: 'http://127.0.0.1:9' })
      assert.equal(last?.step, 'host')
      assert.ok(last?.state === 'failed' && last.code === 'NETWORK')
      assert.match(last.message, /127\.0\.0\.1:9 cannot be reached .* check the network/)
    })

    it('reports a host with an unknown name', async () => {
      const findings = await check({ url: 'https://nobody.invalid' })
      assert.deepEqual(summarize(findings), ['host running', 'host NETWORK'])
    })

    it('reports a host with an untrusted certificate', async () => {
      const secure = await startSimulator({ tls: testCertificate })
      try {
        const findings = await check({ url: secure.url })
        assert.deepEqual(summarize(findings), ['host running', 'host TLS'])
        assert.equal(secure.requests.length, 0)
      } finally {
        await secure.close()
      }
    })

    it('reports that no API version is new enough', async () => {
      const old: Simulator = await startSimulator({ versions: ['4.0'] })
      try {
        const findings = await check({ url: old.url })
        assert.deepEqual(summarize(findings), ['host running', 'host done', 'version UNSUPPORTED_VERSION'])
        assert.equal(old.accounts.signIns, 0)
      } finally {
        await old.close()
      }
    })

    it('reports a server that is not an alarm service', async () => {
      at.simulator.respondOnce('version', { status: 200, body: 'It works!' })
      assert.deepEqual(summarize(await check()), ['host running', 'host done', 'version BAD_RESPONSE'])
    })

    it('reports an address without an alarm service', async () => {
      at.simulator.respondOnce('version', { status: 404, body: 'not found' })
      const last = (await check()).at(-1)
      assert.ok(last?.state === 'failed' && last.step === 'version' && last.code === 'NOT_FOUND')
      assert.match(
        last.message,
        /^There is no alarm service at this address\. In "Service address" of the alarm account node, enter only/,
      )
    })

    it('reports a block of sign-ins and then sends nothing more', async () => {
      const body = { error_reason_code: 'LoginTemporaryBlocked', extras: [{ key: 'timeout', value: '60' }] }
      at.simulator.respondOnce('auth', { status: 420, body })
      assert.equal(summarize(await check()).at(-1), 'signIn LOGIN_BLOCKED')
      const before = at.simulator.requests.length
      const again = await check()
      assert.deepEqual(summarize(again), ['host running', 'signIn LOGIN_BLOCKED'])
      assert.match(JSON.stringify(again), /This account pauses for \d+ seconds\."/)
      assert.equal(at.simulator.requests.length, before)
    })

    it('reports an account without panels', async () => {
      at.simulator.respondOnce('panels', { status: 200, body: [] })
      const last = (await check()).at(-1)
      assert.ok(last?.state === 'failed' && last.step === 'panels' && last.code === 'NOT_FOUND')
      assert.match(last.message, /the account has no panel/)
    })
  })

  it('respects a pause that a deployed node has caused', async () => {
    at.simulator.respondOnce('panels', { status: 429, headers: { 'Retry-After': '90' } })
    await assert.rejects(readPanels(at.account), { code: 'RATE_LIMITED' })
    const before = at.simulator.requests.length
    assert.deepEqual(summarize(await check()), ['host running', 'signIn RATE_LIMITED'])
    assert.equal(at.simulator.requests.length, before)
  })

  it('uses the budget of the deployed nodes without changing their cap', async () => {
    const used = at.simulator.requests.length
    await check({ requestsPerMinute: 50 })
    assert.equal(at.account.rateLimiter.figures.usedLastMinute, at.simulator.requests.length - used)
    assert.equal(at.account.rateLimiter.figures.limit, 6000)
  })

  it('does not count as another account node, so that no notice about sharing appears', async () => {
    at.openTrialAccount()
    void at.releaseAccount(at.account)
    const shared = at.openAccount()
    assert.deepEqual(at.notices, [])
    at.openAccount()
    assert.equal(at.notices.length, 1)
    at.openTrialAccount()
    assert.equal(at.notices.length, 1)
    void at.releaseAccount(shared)
  })

  describe('with a wrong password', () => {
    const failed = 'signIn BAD_CREDENTIALS'

    it('sends it once, even if it is repeated, alternates with others, or Node-RED restarts', async () => {
      for (const password of ['one', 'one', 'two', 'one', 'two', 'one']) {
        assert.equal(summarize(await check({ password })).at(-1), failed, password)
      }
      assert.equal(at.simulator.accounts.signIns, 2)
      await assert.rejects(readPanels(at.openAfterRestart({ password: 'one' })), { code: 'BAD_CREDENTIALS' })
      assert.equal(at.simulator.accounts.signIns, 2)
    })

    it('does not cause the rejected password of deployed nodes to be sent again, even after a redeploy', async () => {
      const deployed = at.openAccount({ password: 'one' })
      await assert.rejects(readPanels(deployed), { code: 'BAD_CREDENTIALS' })
      void at.releaseAccount(deployed)
      await check({ password: 'two' })
      await assert.rejects(readPanels(at.openAccount({ password: 'one' })), { code: 'BAD_CREDENTIALS' })
      assert.equal(at.simulator.accounts.signIns, 2)
    })

    it('tries a rejected password again only after another password was deployed', async () => {
      await check({ password: 'one' })
      const deployed = at.openAccount({ password: 'one' })
      await assert.rejects(readPanels(deployed))
      void at.releaseAccount(deployed)
      await readPanels(at.openAccount())
      assert.equal(at.simulator.accounts.signIns, 2)
      await check({ password: 'one' })
      assert.equal(at.simulator.accounts.signIns, 3)
    })

    it('sends it once more when it is deployed again after another one, whatever was checked meanwhile', async () => {
      await assert.rejects(readPanels(at.openAfterRestart({ password: 'one' })))
      await readPanels(at.openAccount())
      await check({ password: 'one' })
      await assert.rejects(readPanels(at.openAfterRestart({ password: 'one' })))
      assert.equal(at.simulator.accounts.signIns, 3)
    })
  })

  describe('of a user code', () => {
    it('opens the panel once and reuses the session', async () => {
      assert.equal(summarize(await checkCode(at.panel.userCode)).at(-1), 'userCode done')
      assert.equal(summarize(await checkCode(at.panel.userCode)).at(-1), 'userCode done')
      assert.equal(at.simulator.accounts.panelLogins, 1)
    })

    it('sends a wrong code once, even if it is repeated or alternates with others', async () => {
      for (const code of ['0000', '0000', '1111', '0000', at.panel.userCode, '1111', '0000']) {
        const expected = code === at.panel.userCode ? 'userCode done' : 'userCode WRONG_USER_CODE'
        assert.equal(summarize(await checkCode(code)).at(-1), expected, code)
      }
      assert.equal(at.simulator.accounts.panelLogins, 3)
    })

    it('sends no code if the sign-in fails', async () => {
      const findings = await checkCode('0000', at.openTrialAccount({ password: 'wrong' }))
      assert.equal(summarize(findings).at(-1), 'signIn BAD_CREDENTIALS')
      assert.equal(at.simulator.accounts.panelLogins, 0)
    })
  })

  it('does not change the deployed state: another deployed password does not cause the rejected one to be sent again', async () => {
    const rejected = at.openAccount({ password: 'one' })
    await assert.rejects(readPanels(rejected))
    await check({ password: 'two' })
    await readPanels(at.openAccount())
    await check({ password: 'one' })
    assert.equal(at.simulator.accounts.signIns, 3)
  })

  it('ends without waiting for an answer when the dialog is closed', async function () {
    // Shorter than the timeout of the account.
    this.timeout(5_000)
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const life = new AbortController()
      const account = at.openTrialAccount({
        url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      })
      const findings = checkConnection(account, life.signal)
      await findings.next()
      const connected = once(silent, 'connection')
      const next = findings.next()
      await connected
      life.abort()
      assert.deepEqual(await next, { value: undefined, done: true })
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  it('never reveals a password, a code, a token or a text of the service', async () => {
    const serviceText = 'canary of an upstream body'
    at.simulator.respondOnce('auth', {
      status: 400,
      body: { error_message: serviceText, error_reason_code: serviceText },
    })
    const findings = [await check({ password: 'CanaryPassword' }), await check(), await checkCode('0451')]
    const text = JSON.stringify(findings)
    for (const secret of [serviceText, 'CanaryPassword', '0451', at.simulator.password]) {
      assert.ok(!text.includes(secret), secret)
    }
  })
})
