import assert from 'node:assert/strict'
import { assertRefused } from '../../harness/flow/assert-refused.ts'
import { createPart, type FlowPartOptions } from '../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import { requestsTo } from '../../harness/simulator.ts'

const nodes = { state: { type: 'keyholder-state', partitions: [1] } }

/** Invalid settings of the account, with their error codes and parts of their sentences. */
const wrong: [
  what: string,
  setup: Partial<FlowPartOptions>,
  code: string,
  sentence: RegExp,
  status?: string,
][] = [
  [
    'a missing url',
    { account: { url: '' } },
    'NOT_CONFIGURED',
    /^KeyholderError: Service address is empty: enter it in the alarm account/,
    'no service address',
  ],
  ['a missing e-mail', { credentials: { email: '' } }, 'NOT_CONFIGURED', /E-mail is empty/, 'no e-mail'],
  [
    'a missing password',
    { credentials: { password: '' } },
    'NOT_CONFIGURED',
    /Password is empty/,
    'no password',
  ],
  [
    'a url without scheme',
    { account: { url: 'alarm.example.com' } },
    'BAD_SETTING',
    /Service address: .*https:/,
  ],
  ['a url with another scheme', { account: { url: 'ftp://127.0.0.1' } }, 'BAD_SETTING', /Service address: /],
  [
    'http:// to a remote host',
    { account: { url: 'http://192.0.2.1' } },
    'BAD_SETTING',
    /Service address: .*https:/,
  ],
  [
    'a url with a password',
    { account: { url: 'https://me:secret@127.0.0.1' } },
    'BAD_SETTING',
    /Service address: /,
  ],
  [
    "Node-RED's placeholder of a password",
    { credentials: { password: '__PWRD__' } },
    'NOT_CONFIGURED',
    /Password: Node-RED has stored its placeholder .*Enter the value again/,
  ],
  ['an unknown time zone', { account: { timeZone: 'Mars/Base' } }, 'BAD_SETTING', /Time zone: /],
  ['an unknown locale', { account: { locale: 'english' } }, 'BAD_SETTING', /Language: /],
  ['a budget of zero', { account: { requestsPerMinute: 0 } }, 'BAD_SETTING', /Request limit: /],
  ['a budget in words', { account: { requestsPerMinute: 'many' } }, 'BAD_SETTING', /Request limit: /],
  ['a negative timeout', { account: { timeout: -1 } }, 'BAD_SETTING', /Timeout: /],
  ['a version in words', { account: { apiVersion: 'newest' } }, 'BAD_SETTING', /API version: /],
  ['a version below 8', { account: { apiVersion: '7.0' } }, 'UNSUPPORTED_VERSION', /API version: .*8/],
  ['an unknown api', { account: { api: 'root' } }, 'BAD_SETTING', /Account type: /],
  ['a missing caFile', { account: { caFile: '/no/such.pem' } }, 'BAD_SETTING', /CA certificate: /],
  [
    'an unreachable host',
    { account: { url: 'http://127.0.0.1:1' } },
    'NETWORK',
    /cannot be reached.*"Service address"/,
  ],
  ['a host without TLS', { account: { url: 'https://127.0.0.1:1' } }, 'NETWORK', /"Service address"/],
]

describe('The node keyholder-account', () => {
  const harness = useFlowHarness()

  for (const [what, setup, code, sentence, status] of wrong) {
    it(`is refused with ${code} for ${what}, in its status and in Catch`, async () => {
      const { flow, simulator } = await harness.start({ nodes, ...setup })
      await assertRefused(flow, { code, says: sentence, status })
      assert.equal(simulator.accounts.signIns, 0)
    })
  }

  it('is refused with UNSUPPORTED_VERSION if the service offers no version from 8 up', async () => {
    const { flow } = await harness.start({ nodes }, { versions: ['4.0', '7.0'] })
    await assertRefused(flow, { code: 'UNSUPPORTED_VERSION', says: /7\.0.*8/ })
  })

  it('uses the numerically highest version, or the pinned one, or a complete base address', async () => {
    const versions = ['9.0', '13.0', '8.0']
    const base = async (account: (url: string) => object) => {
      const simulator = await harness.startSimulator({ versions })
      const flow = await harness.startParts([
        createPart(simulator, { account: account(simulator.url), nodes }),
      ])
      await flow.output('state').next()
      await harness.stopFlow()
      return simulator.requests.filter(({ path }) => path.endsWith('/status')).map(({ path }) => path)[0]
    }
    assert.equal(await base(() => ({})), '/rest_api/13.0/status')
    assert.equal(await base(() => ({ apiVersion: '9.0' })), '/rest_api/9.0/status')
    assert.equal(await base((url) => ({ url: `${url}/rest_api/8.0` })), '/rest_api/8.0/status')
  })

  it('logs that it shares session and budget with another account node of the same user', async () => {
    const simulator = await harness.startSimulator()
    const account = { requestsPerMinute: 600 }
    const flow = await harness.startParts([
      createPart(simulator, { nodes }),
      createPart(simulator, { account, nodes: { other: nodes.state } }),
    ])
    await Promise.all([flow.output('state').next(), flow.output('other').next()])
    assert.equal(simulator.accounts.signIns, 1)
    const notices = flow.logged.filter((line) => /share one sign-in and one limit/.test(JSON.stringify(line)))
    assert.equal(notices.length, 1)
    assert.match(JSON.stringify(notices), /one limit of 600 requests per minute/)
  })

  it('warns about a version newer than the tested ones, and uses it', async () => {
    const { flow } = await harness.start({ nodes }, { versions: ['99.0'] })
    await flow.output('state').next()
    assert.match(
      JSON.stringify(flow.logged),
      /uses the new version 99\.0, which nobody has tested with these nodes yet\. .* github\.com\//,
    )
  })

  it('tries a wrong password once: not again at a poll, input, node, redeploy or restart', async () => {
    const simulator = await harness.startSimulator()
    const credentials = { password: 'wrong' }
    const more = { events: { type: 'keyholder-events' }, readings: { type: 'keyholder-readings' } }
    const only = createPart(simulator, { credentials, nodes: { ...nodes, ...more } })
    const flow = await harness.startParts([only])
    await assertRefused(flow, { code: 'BAD_CREDENTIALS', says: /password.*Correct/ })
    for (const name of ['events', 'readings']) flow.input(name)
    await flow.caught.take(2, ({ error }) => error.source.type !== 'keyholder-panel')
    await harness.stopFlow()
    const again = await harness.startParts([only])
    await assertRefused(again, { code: 'BAD_CREDENTIALS', says: /password/ })
    assert.equal(simulator.accounts.signIns, 1)
    const { password } = simulator
    const email = simulator.email
    const right = { ...only, credentials: { ...only.credentials, [only.account]: { email, password } } }
    await harness.stopFlow()
    const mended = await harness.startParts([right])
    assert.equal((await mended.output('state').next()).payload, 'DISARM')
    assert.equal(simulator.accounts.signIns, 2)
  })

  it('signs in once for all of its panels and nodes, and not again after a redeploy', async () => {
    const simulator = await harness.startSimulator()
    const panel = { stateEvery: 600_000 }
    const only = createPart(simulator, { panel, nodes: { ...nodes, events: { type: 'keyholder-events' } } })
    await (await harness.startParts([only])).output('state').next()
    await harness.stopFlow()
    const redeployed = await harness.startParts([only])
    await redeployed.output('state').next()
    // The first message uses the answer from before the redeploy; only a request shows that the tokens
    // were kept.
    assert.equal(requestsTo(simulator, 'status'), 1)
    redeployed.input('state')
    await redeployed.output('state').next()
    assert.equal(requestsTo(simulator, 'status'), 2)
    assert.deepEqual([simulator.accounts.signIns, simulator.accounts.panelLogins], [1, 1])
  })

  it('runs the demo of the simulator if the demo is selected, with all other fields empty', async () => {
    const simulator = await harness.startSimulator()
    const credentials = { email: '', password: '', userCode: '' }
    const account = { source: 'demo', url: '' }
    const demo = createPart(simulator, { account, credentials, panel: { serial: '' }, nodes })
    const flow = await harness.startParts([demo])
    const message = await flow.output('state').next()
    const transports = { broadband: true, mobile: false }
    assert.deepEqual(message.panel, { serial: 'A1B2C3', alias: 'Home', online: true, transports })
    assert.deepEqual(simulator.requests, [])
    // The demo runs until its account is deleted.
    await flow.deploy()
  })

  for (const [what, userCode, serial, used] of [
    ['ignores the serial and the user code of another source', '9999', 'BEEF00', 0],
    ['ignores unset environment variables of another source', `\${UNSET_CODE}`, `\${UNSET_SERIAL}`, 0],
    ['uses the panel of the demo that is chosen', '', undefined, 1],
  ] as const) {
    it(`${what}, with the demo selected`, async () => {
      const simulator = await harness.startSimulator()
      const credentials = { email: 'jane@keyholder.example', password: 'another', userCode }
      const account = { source: 'demo', url: 'https://alarm.keyholder.example' }
      const panel = { serial: serial ?? simulator.serials[used] }
      const nodes = { state: { type: 'keyholder-state' } }
      const flow = await harness.startParts([createPart(simulator, { account, credentials, panel, nodes })])
      try {
        assert.equal((await flow.output('state').next()).panel.serial, simulator.serials[used])
        assert.deepEqual(flow.caught.all, [])
      } finally {
        // The demo runs until its account is deleted.
        await flow.deploy()
      }
    })
  }
})
