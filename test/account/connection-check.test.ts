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

/** The findings in short: `host running`, `signIn BAD_CREDENTIALS`. */
const short = (findings: readonly Finding[]) =>
  findings.map((finding) => `${finding.step} ${finding.state === 'failed' ? finding.code : finding.state}`)

describe('A check of an account', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const all = async (findings: AsyncIterable<Finding>) => {
    const heard: Finding[] = []
    for await (const finding of findings) heard.push(finding)
    return heard
  }

  /** A check as the dialog makes it: the account lives as long as the check. */
  const check = async (settings: RawSettings = {}) => {
    const account = at.openTrialAccount(settings)
    try {
      return await all(checkConnection(account, neverAborted()))
    } finally {
      at.releaseAccount(account)
    }
  }
  const checkCode = async (userCode: string, account: Account = at.openTrialAccount()) => {
    try {
      return await all(checkUserCode(account, { ...at.panel, userCode }, neverAborted()))
    } finally {
      at.releaseAccount(account)
    }
  }
  const ask = (account: Account) =>
    account.sendRead(operations.panels, { lane: 'urgent', maxAge: 0, signal: neverAborted() })

  // @spec 2.4, 4.3
  it('tells each step, and ends with the panels to choose from', async () => {
    const findings = await check()
    assert.deepEqual(short(findings), [
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

  it('tells a step when it happens and not at the end', async () => {
    const findings = checkConnection(at.openTrialAccount(), neverAborted())
    for (const said of ['host running', 'host done', 'version done', 'signIn running']) {
      assert.deepEqual(short([(await findings.next()).value]), [said])
    }
    assert.equal(at.simulator.accounts.signIns, 0)
    assert.deepEqual(short([(await findings.next()).value]), ['signIn done'])
    assert.equal(requestsTo(at.simulator, 'panels'), 0)
    await findings.return(undefined)
  })

  for (const set of ['version', 'whole base address']) {
    it(`asks for no version where a ${set} is set, and calls the host reached when the sign-in is answered`, async () => {
      const base = `${at.simulator.url}/rest_api/14.0`
      assert.deepEqual(short(await check(set === 'version' ? { apiVersion: '14.0' } : { url: base })), [
        'host running',
        'host done',
        'signIn done',
        'panels running',
        'panels done',
      ])
      assert.equal(requestsTo(at.simulator, 'rest_api/version'), 0)
    })
  }

  it('does not say that a host is reached because of a session from before', async () => {
    await check({ apiVersion: '14.0' })
    const account = at.openTrialAccount({ apiVersion: '14.0' })
    await at.simulator.close()
    assert.deepEqual(short(await all(checkConnection(account, neverAborted()))), [
      'host running',
      'signIn done',
      'host NETWORK',
    ])
  })

  it('asks the version anew, also where deployed nodes know one', async () => {
    await ask(at.account)
    await check()
    assert.equal(requestsTo(at.simulator, 'rest_api/version'), 2)
    assert.equal(at.simulator.accounts.signIns, 1)
  })

  describe('ends at the step that failed:', () => {
    it('the host, where nobody listens', async () => {
      const [, last] = await check({ url: 'http://127.0.0.1:9' })
      assert.equal(last?.step, 'host')
      assert.ok(last?.state === 'failed' && last.code === 'NETWORK')
      assert.match(last.message, /127\.0\.0\.1:9 cannot be reached .* Check the network/)
    })

    it('the host, where its name is unknown', async () => {
      const findings = await check({ url: 'https://nobody.invalid' })
      assert.deepEqual(short(findings), ['host running', 'host NETWORK'])
    })

    it('the host, where its certificate is not trusted', async () => {
      const secure = await startSimulator({ tls: testCertificate })
      try {
        const findings = await check({ url: secure.url })
        assert.deepEqual(short(findings), ['host running', 'host TLS'])
        assert.equal(secure.requests.length, 0)
      } finally {
        await secure.close()
      }
    })

    it('the version, where none is new enough', async () => {
      const old: Simulator = await startSimulator({ versions: ['4.0'] })
      try {
        const findings = await check({ url: old.url })
        assert.deepEqual(short(findings), ['host running', 'host done', 'version UNSUPPORTED_VERSION'])
        assert.equal(old.accounts.signIns, 0)
      } finally {
        await old.close()
      }
    })

    it('the version, where something else than a service answers', async () => {
      at.simulator.respondOnce('version', { status: 200, body: 'It works!' })
      assert.deepEqual(short(await check()), ['host running', 'host done', 'version BAD_RESPONSE'])
    })

    it('the sign-in, where the service blocks it, and then sends nothing', async () => {
      const body = { error_reason_code: 'LoginTemporaryBlocked', extras: [{ key: 'timeout', value: '60' }] }
      at.simulator.respondOnce('auth', { status: 420, body })
      assert.equal(short(await check()).at(-1), 'signIn LOGIN_BLOCKED')
      const before = at.simulator.requests.length
      const again = await check()
      assert.deepEqual(short(again), ['host running', 'signIn LOGIN_BLOCKED'])
      assert.match(JSON.stringify(again), /Nothing is sent for another \d+ seconds/)
      assert.equal(at.simulator.requests.length, before)
    })

    it('the panels, where there are none', async () => {
      at.simulator.respondOnce('panels', { status: 200, body: [] })
      const last = (await check()).at(-1)
      assert.ok(last?.state === 'failed' && last.step === 'panels' && last.code === 'NOT_FOUND')
      assert.match(last.message, /the account has no panel/)
    })
  })

  it('keeps to a hold that a deployed node has met', async () => {
    at.simulator.respondOnce('panels', { status: 429, headers: { 'Retry-After': '90' } })
    await assert.rejects(ask(at.account), { code: 'RATE_LIMITED' })
    const before = at.simulator.requests.length
    assert.deepEqual(short(await check()), ['host running', 'signIn RATE_LIMITED'])
    assert.equal(at.simulator.requests.length, before)
  })

  it('counts in the budget of the deployed nodes, and lets their cap be', async () => {
    const used = at.simulator.requests.length
    await check({ requestsPerMinute: 50 })
    assert.equal(at.account.budget.usedLastMinute, at.simulator.requests.length - used)
    assert.equal(at.account.budget.limit, 6000)
  })

  it('is no further account node: nobody is told of sharing', async () => {
    at.openTrialAccount()
    at.releaseAccount(at.account)
    at.openAccount()
    assert.deepEqual(at.notices, [])
  })

  describe('with a wrong password', () => {
    const failed = 'signIn BAD_CREDENTIALS'

    it('sends it once, however often it is repeated, with others in between, and after a restart', async () => {
      for (const password of ['one', 'one', 'two', 'one', 'two', 'one']) {
        assert.equal(short(await check({ password })).at(-1), failed, password)
      }
      assert.equal(at.simulator.accounts.signIns, 2)
      await assert.rejects(ask(at.openAfterRestart({ password: 'one' })), { code: 'BAD_CREDENTIALS' })
      assert.equal(at.simulator.accounts.signIns, 2)
    })

    it('does not have the rejected password of deployed nodes sent again, even by a redeploy in between', async () => {
      const deployed = at.openAccount({ password: 'one' })
      await assert.rejects(ask(deployed), { code: 'BAD_CREDENTIALS' })
      at.releaseAccount(deployed)
      await check({ password: 'two' })
      await assert.rejects(ask(at.openAccount({ password: 'one' })), { code: 'BAD_CREDENTIALS' })
      assert.equal(at.simulator.accounts.signIns, 2)
    })

    it('leaves it to a deploy of other ones that one may be tried anew', async () => {
      await check({ password: 'one' })
      const deployed = at.openAccount({ password: 'one' })
      await assert.rejects(ask(deployed))
      at.releaseAccount(deployed)
      await ask(at.openAccount())
      assert.equal(at.simulator.accounts.signIns, 2)
      await check({ password: 'one' })
      assert.equal(at.simulator.accounts.signIns, 3)
    })
  })

  describe('of a user code', () => {
    it('opens the panel, and no second time', async () => {
      assert.equal(short(await checkCode(at.panel.userCode)).at(-1), 'userCode done')
      assert.equal(short(await checkCode(at.panel.userCode)).at(-1), 'userCode done')
      assert.equal(at.simulator.accounts.panelLogins, 1)
    })

    it('sends a wrong one once, however often it is repeated and with others in between', async () => {
      for (const code of ['0000', '0000', '1111', '0000', at.panel.userCode, '1111', '0000']) {
        const expected = code === at.panel.userCode ? 'userCode done' : 'userCode WRONG_USER_CODE'
        assert.equal(short(await checkCode(code)).at(-1), expected, code)
      }
      assert.equal(at.simulator.accounts.panelLogins, 3)
    })

    it('sends none where the sign-in fails', async () => {
      const findings = await checkCode('0000', at.openTrialAccount({ password: 'wrong' }))
      assert.equal(short(findings).at(-1), 'signIn BAD_CREDENTIALS')
      assert.equal(at.simulator.accounts.panelLogins, 0)
    })
  })

  it('leaves what is deployed in use: another deployed password does not have the rejected one sent again', async () => {
    const rejected = at.openAccount({ password: 'one' })
    await assert.rejects(ask(rejected))
    await check({ password: 'two' })
    await ask(at.openAccount())
    await check({ password: 'one' })
    assert.equal(at.simulator.accounts.signIns, 3)
  })

  it('ends when whoever looks on goes away, and waits for no answer', async function () {
    // Less than the account gives an answer.
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
      const asked = once(silent, 'connection')
      const next = findings.next()
      await asked
      life.abort()
      assert.deepEqual(await next, { value: undefined, done: true })
    } finally {
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })

  it('shows no password, code or token, and nothing of what the service said', async () => {
    const said = 'canary of an upstream body'
    at.simulator.respondOnce('auth', { status: 400, body: { error_message: said, error_reason_code: said } })
    const findings = [await check({ password: 'CanaryPassword' }), await check(), await checkCode('0451')]
    const text = JSON.stringify(findings)
    for (const secret of [said, 'CanaryPassword', '0451', at.simulator.password]) {
      assert.ok(!text.includes(secret), secret)
    }
  })
})
