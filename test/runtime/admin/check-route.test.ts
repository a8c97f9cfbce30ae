import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../../../harness/clock/until.ts'
import type { AdminUsers } from '../../../harness/node-red/admin-users.ts'
import { panelId } from '../../../harness/node-red/house-flows.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { startTabHarness, type TabHarness } from '../../../harness/tab.ts'
import type { Finding } from '../../../src/account/connection-check.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'

const password = 'canary-password-7Qm2'
const userCode = '904672153'
const unchanged = '__PWRD__'
/** A variable of the environment, as Node-RED has them written. */
const variable = `\${${'PATH'}}`

const short = (findings: readonly Finding[]) =>
  findings.map((finding) => `${finding.step} ${finding.state === 'failed' ? finding.code : finding.state}`)

describe('The check in a dialog of a real Node-RED with sign-in', function () {
  this.timeout(120_000)
  let harness: TabHarness
  /** A host of somebody who wants a stored password, and what reached it. */
  let stranger: Server
  let strangersUrl: string
  let reached: string
  let users: AdminUsers
  const post: AdminUsers['post'] = (...what) => users.post(...what)

  const accountRoute = (id: string) => `keyholder/account/${harness.id(id)}/check`
  const panelRoute = () => `keyholder/panel/${harness.id(panelId)}/check`

  /** All that is found, having seen that no secret is in it. */
  const findings = async (path: string, body: object): Promise<Finding[]> => {
    const response = await post('admin', path, body)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^application\/x-ndjson/)
    const text = await response.text()
    for (const secret of [password, userCode, 'typed-password']) assert.ok(!text.includes(secret), text)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const form = (own: object = {}) => ({
    source: 'service',
    url: harness.simulator.url,
    email: harness.simulator.email,
    password,
    requestsPerMinute: '6000',
    ...own,
  })
  const allWell = [
    'host running',
    'host done',
    'version done',
    'signIn running',
    'signIn done',
    'panels running',
    'panels done',
  ]

  before(async () => {
    stranger = createServer((request, response) => {
      reached += request.url
      request.on('data', (data) => {
        reached += data
      })
      request.on('end', () => response.end('{}'))
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    strangersUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    harness = await startTabHarness()
    const { simulator } = harness
    simulator.accounts.setPassword(password)
    simulator.accounts.setUserCode(userCode)
    // Account and panel are deployed, and nothing uses them: the service is asked by checks alone.
    await harness.deployHouse([], { every: 3600 })
    users = harness.users
  })
  beforeEach(() => {
    reached = ''
  })
  after(async () => {
    stranger?.close()
    await harness?.close()
  })

  it('requires the permission to change the checked node', async () => {
    const before = harness.simulator.requests.length
    for (const path of [accountRoute('account'), panelRoute()]) {
      const body = {
        ...form(),
        account: { ...form(), id: harness.id('account') },
        serial: 'x',
        userCode: 'x',
      }
      assert.equal((await post(undefined, path, body)).status, 401)
      for (const user of ['reader', 'panels'] as const) {
        const { status } = await post(user, path, body)
        assert.ok(status === 401 || status === 403, `${path} for ${user}: ${status}`)
      }
    }
    assert.equal(harness.simulator.requests.length, before)
  })

  it('accepts only JSON, which a page of another site cannot send', async () => {
    const init = {
      method: 'POST',
      headers: await users.authorization('admin'),
      body: new URLSearchParams({ ...form(), password: unchanged }),
    }
    const { status } = await fetch(new URL(accountRoute('account'), harness.url), init)
    assert.equal(status, 415)
  })

  it('refuses a body of more than 64 KB', async () => {
    const { status } = await post('admin', accountRoute('account'), form({ name: 'x'.repeat(70_000) }))
    assert.equal(status, 413)
  })

  it('works with typed values before the first deploy', async () => {
    const found = await findings(accountRoute('never-deployed'), form())
    assert.deepEqual(short(found), allWell)
    const [serial] = harness.simulator.serials
    assert.ok(JSON.stringify(found.at(-1)).includes(`"serial":"${serial}"`))
  })

  it('uses the stored password only if the field was not changed', async () => {
    assert.deepEqual(short(await findings(accountRoute('account'), form({ password: unchanged }))), allWell)
    const undeployed = await findings(accountRoute('never-deployed'), form({ password: unchanged }))
    assert.deepEqual(short(undeployed), ['settings NOT_CONFIGURED'])
    assert.match(JSON.stringify(undeployed), /Password: this field is not stored yet/)
  })

  it('sends a stored password, e-mail or code only to the stored URL', async () => {
    const local = strangersUrl.replace('127.0.0.1', 'localhost')
    for (const url of [
      strangersUrl,
      `${strangersUrl}/rest_api/14.0`,
      local,
      'https://127.0.0.1:1',
      'nonsense',
    ]) {
      for (const own of [{ password: unchanged }, { email: unchanged }, { password: variable }]) {
        const found = await findings(
          accountRoute('account'),
          form({ url, password: 'typed-password', ...own }),
        )
        assert.deepEqual(short(found), ['settings BAD_SETTING'], url)
        assert.match(
          JSON.stringify(found),
          /this (password|value) was stored for http:\/\/127\.0\.0\.1:\d+: enter it again/,
        )
      }
    }
    const account = { ...form({ url: strangersUrl, password: 'typed-password' }), id: harness.id('account') }
    const found = await findings(panelRoute(), { account, serial: 'A1', userCode: unchanged })
    assert.deepEqual(short(found), ['settings BAD_SETTING'])
    assert.equal(reached, '')
  })

  it('sends a stored password or code only with the CA certificate that is deployed', async () => {
    const forged = { caFile: '/tmp/forged.pem' }
    const found = await findings(accountRoute('account'), form({ ...forged, password: unchanged }))
    assert.deepEqual(short(found), ['settings BAD_SETTING'])
    assert.match(JSON.stringify(found), /is sent only with the CA certificate that is deployed/)
    const account = { ...form(forged), id: harness.id('account') }
    const ofCode = await findings(panelRoute(), { account, serial: 'A1', userCode: unchanged })
    assert.deepEqual(short(ofCode), ['settings BAD_SETTING'])
    assert.match(JSON.stringify(ofCode), /User code: this value is stored, and is sent only with/)
  })

  it('sends a typed password to the URL in the form', async () => {
    const found = await findings(
      accountRoute('account'),
      form({ url: strangersUrl, password: 'typed-password' }),
    )
    assert.equal(short(found).at(-1), 'version UNSUPPORTED_VERSION')
    assert.equal(reached, '/rest_api/version')
  })

  it('does not expand environment variables in a password', async () => {
    const found = await findings(accountRoute('never-deployed'), form({ password: variable }))
    assert.deepEqual(short(found), ['settings NOT_CONFIGURED'])
    assert.match(JSON.stringify(found), /the environment variable has no value before a deploy/)
  })

  it('names the wrong field', async () => {
    for (const [own, says] of [
      [{ url: '' }, /Service address is empty/],
      [{ url: 'http://alarm.example.com' }, /http:\/\/ would send the password unprotected/],
      [{ timeout: 'soon' }, /Timeout: \\"soon\\"/],
      [{ password: '' }, /Password is empty/],
    ] as const) {
      const found = await findings(accountRoute('never-deployed'), form(own))
      assert.equal(found.length, 1)
      assert.match(JSON.stringify(found), says)
    }
  })

  it('reports each step when it happens', async () => {
    const end = harness.simulator.faults.start(hang(), { operation: 'panels' })
    const life = new AbortController()
    try {
      const response = await post('admin', accountRoute('account'), form(), life.signal)
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('"panels"')) text += (await reader?.read())?.value ?? assert.fail('it ended')
      assert.match(text, /"step":"panels","state":"running"}\n$/)
    } finally {
      end()
      life.abort()
    }
  })

  it('starts no further step when the browser has disconnected', async () => {
    await findings(accountRoute('account'), form())
    let release = () => {}
    const withheld: Fault = {
      name: 'withheld',
      send: (answer, wire) => {
        release = () => wire.send(answer())
      },
    }
    harness.simulator.faults.start(withheld, { operation: 'version', times: 1 })
    const life = new AbortController()
    const { signIns } = harness.simulator.accounts
    const versions = requestsTo(harness.simulator, 'version')
    const response = await post(
      'admin',
      accountRoute('account'),
      form({ password: 'never sent' }),
      life.signal,
    )
    await until(() => requestsTo(harness.simulator, 'version') > versions, 'the version to be asked')
    life.abort()
    await assert.rejects(response.text())
    // When this is answered, Node-RED has seen before that the other connection is closed.
    assert.deepEqual(short(await findings(accountRoute('account'), form({ url: '' }))), [
      'settings NOT_CONFIGURED',
    ])
    release()
    // It stretches a password and signs in: had the one that is left gone on, it would have done so before.
    const other = form({ email: 'nobody@keyholder.example', password: 'another' })
    assert.equal(short(await findings(accountRoute('account'), other)).at(-1), 'signIn BAD_CREDENTIALS')
    assert.equal(harness.simulator.accounts.signIns, signIns + 1)
  })

  it('sends a wrong password once, however often the button is clicked', async () => {
    const { accounts } = harness.simulator
    const before = accounts.signIns
    for (const typed of ['typed-password', 'typed-password 2', 'typed-password', 'typed-password']) {
      const found = await findings(accountRoute('account'), form({ password: typed }))
      assert.equal(short(found).at(-1), 'signIn BAD_CREDENTIALS')
    }
    assert.equal(accounts.signIns, before + 2)
  })

  it('applies the rate limit of the form only during the check', async () => {
    const somebody = { email: 'somebody@keyholder.example', password: 'typed-password' }
    for (const requestsPerMinute of ['10', ...Array(12).fill('6000')]) {
      const found = await findings(accountRoute('never-deployed'), form({ ...somebody, requestsPerMinute }))
      assert.equal(short(found).at(-1), 'signIn BAD_CREDENTIALS')
    }
  })

  it('checks the language of the account in its own dialog, and not in that of a panel', async () => {
    const account = form({ email: unchanged, password: unchanged, locale: 'sv_SE' })
    assert.equal(short(await findings(accountRoute('account'), account)).at(-1), 'language BAD_SETTING')
    const ofPanel = { ...account, goal: 'panels' }
    assert.equal(short(await findings(accountRoute('account'), ofPanel)).at(-1), 'panels done')
  })

  it('lists the panels and tries the user code for the panel dialog, with stored or typed values', async () => {
    const { accounts, serials } = harness.simulator
    const account = { ...form({ email: unchanged, password: unchanged }), id: harness.id('account') }
    assert.equal(short(await findings(accountRoute('account'), account)).at(-1), 'panels done')
    for (const code of [unchanged, userCode]) {
      const found = await findings(panelRoute(), { account, serial: serials[0], userCode: code })
      assert.equal(short(found).at(-1), 'userCode done')
    }
    const before = accounts.panelLogins
    for (const code of ['0000', '0000', '1111', '0000']) {
      const found = await findings(panelRoute(), { account, serial: serials[0], userCode: code })
      assert.equal(short(found).at(-1), 'userCode WRONG_USER_CODE')
    }
    assert.equal(accounts.panelLogins, before + 2)
    const missing = await findings(panelRoute(), { account, serial: '', userCode })
    assert.match(JSON.stringify(missing), /Serial number is empty/)
  })

  it('works with the demo without a user code, also before the deploy', async () => {
    const demo = { source: 'demo', url: strangersUrl, email: unchanged, password: unchanged }
    assert.deepEqual(short(await findings(accountRoute('never-deployed'), demo)), allWell)
    const account = { ...demo, id: harness.id('never-deployed') }
    for (const serial of ['', 'BEEF00']) {
      const found = await findings('keyholder/panel/new/check', { account, serial, userCode: '' })
      assert.equal(short(found).at(-1), 'userCode done')
    }
    assert.equal(reached, '')
  })

  it('survives any body', async () => {
    for (const body of [
      [],
      { account: 7 },
      { account: { id: {}, url: [] } },
      { url: { a: 1 }, password: null },
    ]) {
      for (const path of [accountRoute('account'), 'keyholder/account/%00/check', panelRoute()]) {
        assert.match(short(await findings(path, body)).join(), /^settings (NOT_CONFIGURED|BAD_SETTING)$/)
      }
    }
    await harness.get('settings')
  })
})
