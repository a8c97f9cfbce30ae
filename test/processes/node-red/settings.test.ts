import assert from 'node:assert/strict'
import type { NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import { type FlowNode, withRecorder } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'

/** Mistakes: the settings of account and panel, and the error that the flow gets. */
const mistakes: {
  name: string
  account?: object
  panel?: object
  status: string
  code: string
  sentence: RegExp
}[] = [
  {
    name: 'a panel without an account',
    panel: { account: '' },
    status: 'grey ring not configured',
    code: 'NOT_CONFIGURED',
    sentence: /Account is not selected/,
  },
  {
    name: 'an address without https://',
    account: { url: 'alarm.example.com' },
    status: 'red ring bad setting',
    code: 'BAD_SETTING',
    sentence: /Service address: .*https:\/\//,
  },
  {
    name: 'http:// to another machine',
    account: { url: 'http://alarm.example.com' },
    status: 'red ring bad setting',
    code: 'BAD_SETTING',
    sentence: /Service address: .*https:\/\//,
  },
  {
    name: 'an unknown time zone',
    account: { timeZone: 'Berlin' },
    status: 'red ring bad setting',
    code: 'BAD_SETTING',
    sentence: /Time zone: "Berlin"/,
  },
  {
    name: 'an interval below the floor',
    panel: { stateEvery: 0.001 },
    status: 'red ring bad setting',
    code: 'BAD_SETTING',
    sentence: /Poll state every: "0.001"/,
  },
]

/** A tab with a state node on a panel of its own. */
function tab({ name, account, panel }: (typeof mistakes)[number]): FlowNode[] {
  return [
    { id: name, type: 'tab', label: name },
    { id: `${name} account`, type: 'keyholder-account', url: 'https://alarm.example.com', ...account },
    { id: `${name} panel`, type: 'keyholder-panel', serial: 'A1B2C3', account: `${name} account`, ...panel },
    { id: `${name} state`, type: 'keyholder-state', z: name, panel: `${name} panel`, wires: [[]] },
  ]
}

describe('A mistake in the settings, in a real Node-RED', () => {
  let harness: NodeRedHarness
  let nodeRed: NodeRedProcess

  before(async () => {
    harness = await startNodeRedHarness()
    const lonely: FlowNode[] = [
      { id: 'lonely', type: 'tab' },
      { id: 'ask', type: 'inject', z: 'lonely', once: true, props: [], wires: [['lonely state']] },
      { id: 'lonely state', type: 'keyholder-state', z: 'lonely', panel: '', wires: [[]] },
    ]
    const credentials = mistakes.flatMap(({ name }) => [
      [`${name} account`, { email: 'me@example.com', password: 'canary-password' }],
      [`${name} panel`, { userCode: 'canary-code' }],
    ])
    const flows = withRecorder([...mistakes.flatMap(tab), ...lonely], harness.messages.url)
    await harness.writeFlowFile(flows, Object.fromEntries(credentials))
    nodeRed = harness.startNodeRed()
  })

  after(() => harness.close())

  for (const { name, status, code, sentence } of mistakes) {
    it(`is shown and reported with the reason: ${name}`, async () => {
      const { messages } = harness
      const { error } = await messages.from(`${name} catch`).first()
      assert.equal(error.code, code)
      assert.match(error.message, sentence)
      await messages.from(`${name} status`).first((message) => word(message) === status)
    })
  }

  it('is shown for a node without a panel, whose input causes an error', async () => {
    const { messages } = harness
    await messages.from('lonely status').first((message) => word(message) === 'grey ring not configured')
    const { error } = await messages.from('lonely catch').first()
    assert.equal(error.code, 'NOT_CONFIGURED')
    assert.match(error.message, /Panel is not selected/)
  })

  it('prints no stack trace and no secret, and does not stop Node-RED', () => {
    assert.ok(nodeRed.isRunning)
    assert.doesNotMatch(nodeRed.output, /^\s+at /m)
    assert.doesNotMatch(nodeRed.output, /canary/)
    assert.doesNotMatch(JSON.stringify(harness.messages.all), /canary/)
  })
})

function word({ status }: FlowMessage): string {
  return `${status.fill} ${status.shape} ${status.text}`
}
