import assert from 'node:assert/strict'
import type { FlowPartOptions } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { labelOf } from '../../../src/settings.ts'

/** The name of an environment variable that is not set. */
const name = 'KEYHOLDER_TEST_UNSET'
const unset = `\${${name}}`

const state = { state: { type: 'keyholder-state' } }

/** Returns one setup for each of these fields, which is taken from a variable that is not set. */
const each = (fields: string, setup: (field: object) => Partial<FlowPartOptions>) =>
  fields.split(' ').map((field) => [field, setup({ [field]: unset })] as const)

const ofAccount = each(
  'name source url apiVersion api appId deviceInfo locale timeZone requestsPerMinute timeout caFile',
  (account) => ({ account }),
)
const ofPanel = each('name account serial stateEvery eventsEvery devicesEvery allowCommands', (panel) => ({
  panel,
}))
const secrets = each('email password userCode', (credentials) => ({ credentials }))

/** The settings of the flow nodes. */
const fields = {
  state: 'name panel partitions emit initial vocabulary instances',
  readings: 'name panel devices kinds emit initial temperatureDelta brightnessDelta instances',
  events: 'name panel groups typeIds labels partitions first missed instances',
  incident: 'name panel language',
  conditions: `name panel conditions offlineAfter lineAfter tamperAfter lostAfter troubleAfter batteryAfter memoryAfter openAfter
    bypassedAfter inspectionDays backupDays remindAfter language`,
  'chain-test': 'name panel testDays testHour answerMinutes watcherMinutes language',
  query: 'name panel account operation locale maxAge',
  command: 'name panel action partition state options zone enabled',
  health: 'name account panel every',
  'home-assistant': 'name panel prefix base form entities code',
}

/** Waits until a Catch node gets this error. */
async function caught(flow: RunningFlow, code: string, says: string): Promise<void> {
  const { error } = await flow.caught.next((one) => one.error.code === code)
  assert.ok(error.message.includes(says), error.message)
}

describe('A setting from an environment variable that is not set', () => {
  const harness = useFlowHarness()

  for (const [kind, setups] of [
    ['account', [...ofAccount, ...secrets.slice(0, 2)]],
    ['panel', [...ofPanel, ...secrets.slice(2)]],
  ] as const) {
    for (const [field, setup] of setups) {
      it(`is NOT_CONFIGURED for ${field} of the ${kind}, and nothing is sent`, async () => {
        const { flow, simulator } = await harness.start({ nodes: state, ...setup })
        await caught(flow, 'NOT_CONFIGURED', name)
        flow.input('state')
        await caught(flow, 'NOT_CONFIGURED', name)
        assert.deepEqual([simulator.requests, flow.output('state').all], [[], []])
      })
    }
  }

  for (const [type, list] of Object.entries(fields)) {
    for (const field of list.split(/\s+/)) {
      it(`is NOT_CONFIGURED for ${field} of a ${type} node, and nothing is sent`, async () => {
        const { flow, simulator, part } = await harness.start({
          nodes: { state: { type: `keyholder-${type}`, [field]: unset } },
        })
        await caught(flow, 'NOT_CONFIGURED', name)
        const status = await flow.status('state').next(({ fill }) => fill === 'grey')
        assert.equal(status.text, 'not configured')
        assert.ok(part)
        if (type === 'health') return
        flow.input('state')
        await caught(flow, 'NOT_CONFIGURED', name)
        assert.deepEqual([simulator.requests, flow.output('state').all], [[], []])
      })
    }
  }

  it('is NOT_CONFIGURED also in the old notation, in a list and between spaces', async () => {
    for (const partitions of [`$(${name})`, [unset], ` ${unset} `]) {
      const { flow, simulator } = await harness.start({
        nodes: { state: { type: 'keyholder-state', partitions } },
      })
      await caught(flow, 'NOT_CONFIGURED', name)
      assert.deepEqual(simulator.requests, [])
      await harness.stopFlow()
    }
  })
})

describe('A list that cannot be understood', () => {
  const harness = useFlowHarness()

  for (const [type, field, value] of [
    ['state', 'partitions', 'Garage'],
    ['state', 'partitions', 'Garage 2'],
    ['state', 'partitions', [1, 'Garage']],
    ['state', 'partitions', [1.5]],
    ['state', 'partitions', true],
    ['state', 'partitions', { id: 1 }],
    ['state', 'partitions', ','],
    ['events', 'partitions', [null]],
    ['events', 'typeIds', 'alarm'],
    ['events', 'groups', { EP_ALARM: true }],
    ['events', 'labels', [{}]],
    ['readings', 'devices', ['door']],
    ['readings', 'kinds', ['temprature']],
    ['state', 'instances', 'all'],
    ['readings', 'instances', 'two'],
    ['events', 'instances', 2],
    ['chain-test', 'testDays', 'soon'],
    ['chain-test', 'testHour', 3],
    ['conditions', 'conditions', ['doors']],
    ['conditions', 'openAfter', 'soon'],
    ['conditions', 'remindAfter', -1],
    ['home-assistant', 'entities', ['zone']],
    ['home-assistant', 'base', 'home/#'],
    ['home-assistant', 'prefix', '+'],
  ] as const) {
    it(`is BAD_SETTING for ${field} ${JSON.stringify(value)} of a ${type} node, and nothing is sent`, async () => {
      const { flow, simulator } = await harness.start({
        nodes: { state: { type: `keyholder-${type}`, [field]: value } },
      })
      await caught(flow, 'BAD_SETTING', `${labelOf(field)}:`)
      assert.equal((await flow.status('state').next(({ fill }) => fill === 'red')).shape, 'ring')
      flow.input('state')
      await caught(flow, 'BAD_SETTING', `${labelOf(field)}:`)
      assert.deepEqual([simulator.requests, flow.output('state').all], [[], []])
    })
  }

  it('is not one that is empty, a number or a text of numbers', async () => {
    const partitions = [undefined, null, '', [], 1, '1', '1, 2', '1 2', '1;2', ' 1,', [1, '2'], ['1 ']]
    const nodes = Object.fromEntries(
      partitions.map((value, index) => [`node${index}`, { type: 'keyholder-state', partitions: value }]),
    )
    const { flow } = await harness.start({ nodes })
    for (const node of Object.keys(nodes)) await flow.output(node).next()
    assert.deepEqual(flow.caught.all, [])
  })
})
