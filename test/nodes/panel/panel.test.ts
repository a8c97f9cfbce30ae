import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { assertInputRefused, assertRefused } from '../../../harness/flow/assert-refused.ts'
import { createPart, type FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'

const nodes = { state: { type: 'keyholder-state', partitions: [1] } }
/** Intervals that are permitted without a lowered floor. */
const usual = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }

/** Invalid settings of the panel. */
const wrong: [
  what: string,
  setup: Partial<FlowPartOptions>,
  code: string,
  sentence: RegExp,
  status?: string,
][] = [
  [
    'a missing account',
    { panel: { account: '' } },
    'NOT_CONFIGURED',
    /Account is not selected, or was deleted: choose one in the alarm panel/,
  ],
  [
    'a deleted account',
    { panel: { account: 'gone' } },
    'NOT_CONFIGURED',
    /Account is not selected, or was deleted: choose one in the alarm panel/,
  ],
  [
    'a missing serial',
    { panel: { serial: '' } },
    'NOT_CONFIGURED',
    /Serial number is empty: enter it in the alarm panel/,
    'no serial number',
  ],
  [
    'a missing user code',
    { credentials: { userCode: '' } },
    'NOT_CONFIGURED',
    /User code is empty/,
    'no user code',
  ],
  [
    'a serial that the account does not have',
    { panel: { serial: 'BEEF00' } },
    'BAD_SETTING',
    /Serial number: .*A1B2C3/,
    'no such panel',
  ],
  ['a wrong user code', { credentials: { userCode: '9999' } }, 'WRONG_USER_CODE', /user code.*Correct/],
  ['an interval in words', { panel: { stateEvery: 'often' } }, 'BAD_SETTING', /Poll state every: /],
  [
    'an interval below the lowered floor',
    { panel: { eventsEvery: 0.01 } },
    'BAD_SETTING',
    /Poll events every: .*0\.05/,
  ],
]

describe('The node keyholder-panel', () => {
  const harness = useFlowHarness()

  for (const [what, setup, code, sentence, status] of wrong) {
    it(`is refused with ${code} for ${what}, in its status and in Catch`, async () => {
      const { flow, simulator } = await harness.start({ nodes, ...setup })
      await assertRefused(flow, { code, says: sentence, status })
      assert.equal(simulator.accounts.panelLogins, code === 'WRONG_USER_CODE' ? 1 : 0)
    })
  }

  for (const [field, label] of [
    ['stateEvery', 'Poll state every'],
    ['eventsEvery', 'Poll events every'],
    ['devicesEvery', 'Poll devices every'],
  ] as const) {
    // @spec rate-limits
    it(`accepts no ${field} below 10 s unless settings.js lowers the floor for a lab`, async () => {
      const simulator = await harness.startSimulator()
      const settings = { keyholderPanelPollFloor: undefined }
      const run = (panel: object) =>
        harness.startParts([createPart(simulator, { panel, nodes })], { settings })
      const refused = await run({ ...usual, [field]: 9.9 })
      await assertRefused(refused, { code: 'BAD_SETTING', says: new RegExp(`${label}: .*10`) })
      await harness.stopFlow()
      await (await run(usual)).output('state').next()
      await harness.stopFlow()
      await (await run({ stateEvery: '', eventsEvery: undefined, devicesEvery: null })).output('state').next()
    })
  }

  for (const [what, panel] of [
    ['without a panel', ''],
    ['with a deleted panel', 'gone'],
  ]) {
    it(`causes a gray status at once, and NOT_CONFIGURED in Catch for an input, in a node ${what}`, async () => {
      const { flow, simulator } = await harness.start({
        nodes: { state: { type: 'keyholder-state', panel } },
      })
      const status = await flow.status('state').next()
      assert.deepEqual(status, { fill: 'grey', shape: 'ring', text: 'not configured' })
      await assertInputRefused(flow, {
        code: 'NOT_CONFIGURED',
        says: /Panel is not selected, or was deleted: choose one in this node/,
      })
      assert.deepEqual(simulator.requests, [])
    })
  }

  it('reports its error to Catch even if a large flow was running before and is restarted', async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`node${index}`, nodes.state]))
    const only = createPart(await harness.startSimulator(), {
      account: { url: '' },
      nodes: { ...many, ...nodes },
    })
    for (let start = 0; start < 2; start += 1) {
      await assertRefused(await harness.startParts([only]), {
        code: 'NOT_CONFIGURED',
        says: /Service address is empty/,
        status: 'no service address',
      })
      await harness.stopFlow()
    }
  })

  it('looks for the Catch nodes once if many panels report an error in the same moment', async () => {
    const simulator = await harness.startSimulator()
    const parts = Array.from({ length: 50 }, () => createPart(simulator, { account: { url: '' }, nodes }))
    let walks = 0
    const count = (RED: NodeAPI) => {
      const { eachNode } = RED.nodes
      RED.nodes.eachNode = (use) => {
        walks += 1
        eachNode(use)
      }
    }
    const flow = await harness.startParts(parts, { types: [count] })
    for (const _ of parts) await flow.caught.next(({ error }) => error.source.type === 'keyholder-panel')
    assert.equal(walks, 1)
  })

  it('tries a wrong user code once, even across restarts, while another panel of the account works', async () => {
    const simulator = await harness.startSimulator()
    const only = createPart(simulator, { credentials: { userCode: '0000' }, nodes })
    await assertRefused(await harness.startParts([only]), { code: 'WRONG_USER_CODE', says: /user code/ })
    await harness.stopFlow()
    const right = createPart(simulator, { nodes: { right: { type: 'keyholder-state' } } })
    const flow = await harness.startParts([only, right])
    await flow.output('right').next()
    await assertRefused(flow, { code: 'WRONG_USER_CODE', says: /user code/ })
    assert.equal(simulator.accounts.panelLogins, 2)
  })

  it('keeps the leading zeros of its user code and serial', async () => {
    const { flow } = await harness.start({
      panel: { serial: '012345' },
      credentials: { userCode: '0451' },
      nodes: { state: { type: 'keyholder-state' } },
    })
    assert.equal((await flow.output('state').next()).panel.serial, '012345')
  })

  it('accepts an environment variable in every field', async () => {
    const simulator = await harness.startSimulator()
    const { url, email, password, userCode } = simulator
    const values = {
      url,
      email,
      password,
      userCode,
      serial: '012345',
      name: 'Lake',
      zone: 'UTC',
      often: '0.1',
    }
    const names = Object.keys(values).map((name) => `KEYHOLDER_TEST_${name}`)
    const env = (name: keyof typeof values) => `\${KEYHOLDER_TEST_${name}}`
    for (const [name, value] of Object.entries(values)) process.env[`KEYHOLDER_TEST_${name}`] = value
    try {
      const often = env('often')
      const flow = await harness.startParts([
        createPart(simulator, {
          account: { url: env('url'), timeZone: env('zone') },
          panel: {
            serial: env('serial'),
            name: env('name'),
            stateEvery: often,
            eventsEvery: often,
            devicesEvery: often,
          },
          credentials: { email: env('email'), password: env('password'), userCode: env('userCode') },
          nodes: { state: { type: 'keyholder-state', emit: 'poll' } },
        }),
      ])
      const messages = await flow.output('state').take(3)
      assert.ok(messages.every(({ topic }) => topic === 'Lake/partition/-1'))
    } finally {
      for (const name of names) delete process.env[name]
    }
  })

  it('uses the defaults of the contract for empty fields', async () => {
    const { flow } = await harness.start({
      account: { requestsPerMinute: undefined, locale: '', timeZone: '', timeout: '' },
      panel: { stateEvery: '', eventsEvery: '', devicesEvery: '' },
      nodes,
    })
    assert.equal((await flow.output('state').next()).payload, 'DISARM')
  })
})
