import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { until } from '../../../harness/clock/until.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { operations } from '../../../src/service/operations.ts'

describe('The sign-in', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  /** Sends fifty requests that the coalescer cannot merge. */
  const fifty = () =>
    Array.from({ length: 50 }, (_, index) =>
      at.account.sendRead(operations.status, { ...at.createRequest(), locale: `${index}` }),
    )

  // @spec 4.2
  it('needs one version request, one sign-in and one panel login for any number of requests', async () => {
    await Promise.all([...fifty(), at.account.sendRead(operations.devices, at.createRequest())])
    assert.equal(requestsTo(at.simulator, 'rest_api/version'), 1)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, 1)
    assert.equal(at.account.phase, 'ready')
  })

  for (const answer of ['440', '400', '401', '403'] as const) {
    // @spec 5.7, token-lifetime
    it(`happens once for fifty requests that receive an expiry reported as ${answer}, and all succeed`, async () => {
      await at.account.sendRead(operations.status, at.createRequest())
      at.simulator.accounts.expiryStatus = answer
      at.simulator.accounts.expireSessions()
      const before = { ...at.simulator.accounts }
      const answers = await Promise.all(fifty())
      assert.equal(answers.length, 50)
      assert.ok(answers.every(({ value }) => value.partitions.length > 0))
      assert.equal(at.simulator.accounts.panelLogins, 2, JSON.stringify(before))
      assert.equal(at.simulator.accounts.signIns, answer === '401' ? 2 : 1)
    })
  }

  // @spec 5.2
  it('starts from the user token if that has expired together with its sessions', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    at.simulator.accounts.expireUserTokens()
    await Promise.all(fifty())
    assert.equal(at.simulator.accounts.signIns, 2)
    assert.equal(at.simulator.accounts.panelLogins, 2)
  })

  // @spec sign-out
  it('is shared by a second config node with the same settings, and survives a redeploy', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    await at.openAccount().sendRead(operations.devices, at.createRequest())
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  it('is kept with its panel session when the only config node is replaced', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    void at.releaseAccount(at.account)
    await at.openAccount().sendRead(operations.status, at.createRequest())
    assert.equal(requestsTo(at.simulator, 'status'), 2)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  it('is shared by two config nodes of one user, whatever their other settings, and both get a notice', async () => {
    const { accounts } = at.simulator
    const appIds = new Set<string>()
    const logIn = accounts.logIn.bind(accounts)
    accounts.logIn = (api, credentials) => {
      appIds.add(credentials.appId)
      return logIn(api, credentials)
    }
    const other = at.openAccount({
      appId: '00000000-0000-4000-8000-000000000000',
      email: accounts.email.toUpperCase(),
      requestsPerMinute: 20,
    })
    const [, second = ''] = at.simulator.serials
    const readStatus = (account: typeof other, serial: string) =>
      account.sendRead(operations.status, { ...at.createRequest(), panel: { ...at.panel, serial } })
    await Promise.all([
      readStatus(at.account, at.panel.serial),
      readStatus(other, at.panel.serial),
      readStatus(other, second),
    ])
    assert.equal(accounts.signIns, 1)
    assert.equal(accounts.panelLogins, 2)
    assert.equal(appIds.size, 1)
    assert.equal(at.account.rateLimiter.figures.limit, 20)
    assert.equal(other.rateLimiter.figures.usedLastMinute, at.simulator.requests.length)
    assert.equal(at.notices.length, 1)
    assert.match(at.notices[0] ?? '', /share one sign-in and one limit of 20 requests per minute/)
  })

  it('is not shared by two users or by the two APIs, although the APIs share the budget', async () => {
    const installers = at.openAccount({ api: 'service' })
    await installers.sendRead(operations.panels, {
      ...at.createRequest(),
      panel: { ...at.panel, userCode: '' },
    })
    await at.account.sendRead(operations.panels, at.createRequest())
    assert.equal(at.simulator.accounts.signIns, 2)
    at.openAccount({ email: 'somebody.else@keyholder.example' })
    const sharingNotices = at.notices.filter((sentence) => sentence.includes('These nodes share'))
    assert.equal(sharingNotices.length, 1)
    assert.match(sharingNotices[0] ?? '', /These nodes share one limit of/)
  })

  for (const [api, device, code, app_type] of [
    ['user', { app_id: 'ours' }, { user_code: '0451' }, 'com.visonic.powermaxapp'],
    [
      'service',
      { device_id: 'ours', device_info: 'a test' },
      { installer_code: '0451' },
      'com.visonic.configurator.alarm_in',
    ],
  ] as const) {
    // @spec installer-sign-in, app-type, 4.1, 4.2, 5.6
    it(`sends its identity and the code in the fields of the api "${api}"`, async () => {
      const bodies: unknown[] = []
      const service = createServer(async (request, response) => {
        bodies.push(await json(request))
        response.end(JSON.stringify({ user_token: 'user', session_token: 'session' }))
      })
      service.listen(0, '127.0.0.1')
      await once(service, 'listening')
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/rest_api/14.0`
      const own = { url, api, appId: 'ours', deviceInfo: 'a test', email: 'me@a.example', password: 'mine' }
      try {
        await at.openAccount(own).openPanel({ serial: 'A1', userCode: '0451' })
      } finally {
        service.close()
      }
      assert.deepEqual(bodies, [
        { email: 'me@a.example', password: 'mine', ...device },
        { panel_serial: 'A1', ...code, app_id: 'ours', app_type },
      ])
    })
  }

  it('sends the code of an installer, whatever lengths the panel tells for user codes', async () => {
    const installers = at.openAccount({ api: 'service' })
    installers.knowledge.noteCodeLengths(at.panel.serial, [6])
    await installers.openPanel({ ...at.panel, userCode: at.simulator.accounts.installerCode })
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  for (const operation of ['status', 'panel/login'])
    it(`gives up after one repetition if a new session expires at once, and waits before the next attempt: ${operation}`, async () => {
      at.simulator.respondOnce(operation, { status: 440, times: Number.POSITIVE_INFINITY })
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
        code: 'SESSION_EXPIRED',
      })
      assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
      assert.equal(at.account.phase, 'held')
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
        code: 'SESSION_EXPIRED',
      })
      assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
    })

  // @spec 7, expiry
  it('is not repeated after a refusal for missing rights', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    const body = { error: 10010, error_message: '', error_reason_code: 'NotAllowed' }
    at.simulator.respondOnce('alarms', { status: 403, body })
    await assert.rejects(at.account.sendRead(operations.alarms, at.createRequest()), {
      code: 'NOT_ALLOWED',
      status: 403,
    })
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  describe('with a wrong password', () => {
    beforeEach(() => at.simulator.accounts.setPassword('changed meanwhile'))

    // @spec 7
    it('is tried once, for any number of requests', async () => {
      const results = await Promise.allSettled([...fifty(), ...fifty()])
      assert.ok(results.every(({ status }) => status === 'rejected'))
      await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), {
        name: 'KeyholderError',
        code: 'BAD_CREDENTIALS',
        status: 400,
      })
      assert.equal(at.simulator.accounts.signIns, 1)
      assert.equal(at.account.phase, 'rejected')
    })

    // @spec rejected-credentials
    it('is not tried again after a restart', async () => {
      await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()))
      for (let restart = 0; restart < 3; restart += 1) {
        const account = at.openAfterRestart()
        await assert.rejects(account.sendRead(operations.panels, at.createRequest()), {
          code: 'BAD_CREDENTIALS',
        })
      }
      assert.equal(at.simulator.accounts.signIns, 1)
    })

    it('is remembered in files with permissions for the owner only', async () => {
      await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), {
        code: 'BAD_CREDENTIALS',
      })
      const files = (await readdir(at.folder)).sort()
      assert.deepEqual(
        files.map((name) => name.replace(/^user-\w+/, 'user')),
        ['user.log', 'user.rejected.json'],
      )
      const modes = files.map(async (name) => (await stat(join(at.folder, name))).mode & 0o777)
      assert.deepEqual(await Promise.all(modes), [0o600, 0o600])
    })

    it('is tried again when the settings change', async () => {
      await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()))
      await at.openAccount({ password: 'changed meanwhile' }).sendRead(operations.panels, at.createRequest())
      assert.equal(at.simulator.accounts.signIns, 2)
    })
  })

  // @spec 5.6
  it('tries a wrong user code once, even across restarts, while the account stays usable', async () => {
    const wrong = { ...at.createRequest(), panel: { ...at.panel, userCode: '0000' } }
    await assert.rejects(at.account.sendRead(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    await assert.rejects(at.account.sendRead(operations.devices, wrong), { code: 'WRONG_USER_CODE' })
    await assert.rejects(at.openAfterRestart().sendRead(operations.devices, wrong), {
      code: 'WRONG_USER_CODE',
    })
    assert.equal(at.simulator.accounts.panelLogins, 1)
    await at.account.sendRead(operations.status, at.createRequest())
  })

  it('is tried at another address even if the password was rejected at the first one', async () => {
    at.simulator.respondOnce('auth', { status: 445 })
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), {
      code: 'BAD_CREDENTIALS',
    })
    void at.releaseAccount(at.account)
    const corrected = at.openAccount({ url: `${at.simulator.url}/rest_api/14.0` })
    assert.equal((await corrected.sendRead(operations.panels, at.createRequest())).value.length, 2)
  })

  it('tries a user code at another address even if it was rejected at the first one', async () => {
    at.simulator.respondOnce('panel/login', { status: 445 })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
      code: 'WRONG_USER_CODE',
    })
    void at.releaseAccount(at.account)
    const corrected = at.openAccount({ url: `${at.simulator.url}/rest_api/14.0` })
    await corrected.sendRead(operations.status, at.createRequest())
    assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
  })

  it('does not try a rejected password again because another account node of the user has the right one', async () => {
    const right = () => at.openAccount()
    const wrong = () => at.openAccount({ password: 'a slip' })
    let accounts = [at.account, wrong()]
    for (let deploy = 0; deploy < 3; deploy += 1) {
      at.simulator.accounts.expireUserTokens()
      const results = accounts.map((account) => account.sendRead(operations.panels, at.createRequest()))
      const [, { status } = { status: '' }] = await Promise.allSettled(results)
      assert.equal(status, 'rejected')
      for (const account of accounts) void at.releaseAccount(account)
      accounts = [right(), wrong()]
    }
    assert.equal(at.simulator.accounts.signIns, 4)
  })

  for (const [how, answer] of [
    ['fails with an error of the service', { status: 500 }],
    ['gets an unusable answer', { status: 200, body: { user_token: 'two\nlines' } }],
  ] as const) {
    it(`waits longer and longer if it ${how}`, async () => {
      at.simulator.respondOnce('auth', { ...answer, times: Number.POSITIVE_INFINITY })
      for (let poll = 0; poll < 120; poll += 1) {
        await at.account.sendRead(operations.panels, at.createRequest()).catch(() => {})
        at.clock.advance(30_000)
      }
      assert.ok(
        requestsTo(at.simulator, 'auth') < 20,
        `${requestsTo(at.simulator, 'auth')} sign-ins in an hour`,
      )
    })
  }

  it('waits for minutes if it gets no answer and the password was never accepted', async () => {
    at.simulator.hang('auth', Number.POSITIVE_INFINITY)
    for (let poll = 0; poll < 120; poll += 1) {
      await assert.rejects(at.waitFor(at.account.sendRead(operations.panels, at.createRequest())), {
        code: 'TIMEOUT',
      })
      at.clock.advance(30_000)
    }
    assert.equal(requestsTo(at.simulator, 'auth'), 4)
  })

  for (const [what, operation] of [
    ['a password', 'auth'],
    ['a user code', 'panel/login'],
  ] as const) {
    it(`does not send ${what} again at once if the process ended before the answer`, async () => {
      at.simulator.hang(operation)
      void at.account.sendRead(operations.status, at.createRequest()).catch(() => {})
      await until(() => requestsTo(at.simulator, `${operation}`) === 1)
      at.killProcess()
      for (let restart = 0; restart < 5; restart += 1) {
        const account = at.openAfterRestart()
        await assert.rejects(account.sendRead(operations.status, at.createRequest()), {
          code: 'LOGIN_BLOCKED',
        })
      }
      assert.equal(requestsTo(at.simulator, `${operation}`), 1)
      at.clock.advance(300_000)
      await at.openAfterRestart().sendRead(operations.status, at.createRequest())
    })
  }

  it('waits longer and longer if the user has no access to the panel, for any kind of request', async () => {
    const body = { error: 10010, error_message: '', error_reason_code: 'NotAllowed' }
    at.simulator.respondOnce('panel/login', { status: 403, body, times: Number.POSITIVE_INFINITY })
    for (let input = 0; input < 120; input += 1) {
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
        code: 'NOT_ALLOWED',
      })
      at.clock.advance(500)
    }
    assert.ok(
      requestsTo(at.simulator, 'panel/login') <= 6,
      `${requestsTo(at.simulator, 'panel/login')} in a minute`,
    )
  })

  it('waits longer and longer if another program keeps ending the sessions', async () => {
    for (let poll = 0; poll < 120; poll += 1) {
      at.simulator.accounts.expireUserTokens()
      await at.account.sendRead(operations.status, at.createRequest()).catch(() => {})
      at.clock.advance(30_000)
    }
    const { signIns } = at.simulator.accounts
    assert.ok(signIns > 12 && signIns < 25, `${signIns} sign-ins in an hour`)
  })

  it('is followed by a pause of 15 seconds after the thirteenth within an hour, and by no pause before', async () => {
    for (let signIn = 1; signIn <= 12; signIn += 1) {
      at.simulator.accounts.expireUserTokens()
      await at.account.sendRead(operations.panels, at.createRequest())
      assert.equal(at.account.heldUntil, undefined, `after ${signIn} sign-ins`)
      at.clock.advance(60_000)
    }
    at.simulator.accounts.expireUserTokens()
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), {
      code: 'SESSION_EXPIRED',
    })
    assert.equal(at.simulator.accounts.signIns, 13)
    assert.equal(at.account.heldUntil, at.clock.wall() + 15_000)
    at.clock.advance(15_000)
    await at.account.sendRead(operations.panels, at.createRequest())
  })

  it('of a panel is tried again at once if it was not found because the service has moved, and later otherwise', async () => {
    at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
    await at.account.sendRead(operations.panels, at.createRequest())
    at.clock.advance(31_000)
    at.simulator.respondOnce('panel/login', { status: 404, times: 2 })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code: 'NOT_FOUND' })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code: 'NOT_FOUND' })
    const asked = ['13.0', '14.0'].map((version) => requestsTo(at.simulator, `${version}/panel/login`))
    assert.deepEqual(asked, [1, 1])
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code: 'NOT_FOUND' })
    assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
    at.clock.advance(2_000)
    await at.account.sendRead(operations.status, at.createRequest())
  })

  it('uses the version that the service offers now, and waits if that was not found either', async () => {
    at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
    assert.equal(await at.account.negotiate(), '13.0')
    at.clock.advance(31_000)
    at.simulator.respondOnce('auth', { status: 404 })
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), { code: 'NOT_FOUND' })
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), { code: 'NOT_FOUND' })
    const asked = ['13.0', '14.0'].map((version) => requestsTo(at.simulator, `${version}/auth`))
    assert.deepEqual(asked, [0, 1])
    at.clock.advance(2_000)
    await at.account.sendRead(operations.panels, at.createRequest())
  })

  it('is not needed for an operation without tokens', async () => {
    at.simulator.respondOnce('panels', { status: 200, body: [] })
    const open = { ...operations.panels, tokens: 'none' } as const
    assert.deepEqual((await at.account.sendRead(open, at.createRequest())).value, [])
    assert.equal(at.simulator.accounts.signIns, 0)
  })

  // @spec answer-not-json
  it('is tried again after a firewall answered with its own page', async () => {
    at.simulator.respondOnce('auth', { status: 403, body: '<html>blocked</html>' })
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), { code: 'SERVER_ERROR' })
    at.clock.advance(60_000)
    await at.account.sendRead(operations.panels, at.createRequest())
  })

  it('tries a rejected password again after other settings were tried', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await assert.rejects(at.account.sendRead(operations.panels, at.createRequest()), {
      code: 'BAD_CREDENTIALS',
    })
    void at.releaseAccount(at.account)
    const other = at.openAccount({ password: 'a slip' })
    await assert.rejects(other.sendRead(operations.panels, at.createRequest()), { code: 'BAD_CREDENTIALS' })
    void at.releaseAccount(other)
    await assert.rejects(at.openAccount().sendRead(operations.panels, at.createRequest()), {
      code: 'BAD_CREDENTIALS',
    })
    assert.equal(at.simulator.accounts.signIns, 3)
  })

  it('is tried once for two config nodes with the same wrong password', async () => {
    at.simulator.accounts.setPassword('changed meanwhile')
    const other = at.openAccount({ appId: '00000000-0000-4000-8000-000000000000' })
    const pending = [at.account, other].map((account) =>
      account.sendRead(operations.panels, at.createRequest()),
    )
    for (const { status } of await Promise.allSettled(pending)) assert.equal(status, 'rejected')
    assert.equal(at.simulator.accounts.signIns, 1)
  })

  it('pauses longer and longer if every new session expires at once', async () => {
    at.simulator.respondOnce('status', { status: 440, times: Number.POSITIVE_INFINITY })
    for (let minute = 0; minute < 30; minute += 1) {
      await at.account.sendRead(operations.status, at.createRequest()).catch(() => {})
      at.clock.advance(60_000)
    }
    assert.ok(at.simulator.accounts.panelLogins < 25, `${at.simulator.accounts.panelLogins}`)
  })

  it('does not try a wrong user code again because a right password was used after a restart', async () => {
    const wrong = { ...at.createRequest(), panel: { ...at.panel, userCode: '0000' } }
    await assert.rejects(at.account.sendRead(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    for (let restart = 0; restart < 4; restart += 1) {
      const account = at.openAfterRestart()
      await account.sendRead(operations.panels, wrong)
      await assert.rejects(account.sendRead(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    }
    assert.equal(at.simulator.accounts.panelLogins, 1)
    assert.equal(at.simulator.accounts.signIns, 5)
  })
})
