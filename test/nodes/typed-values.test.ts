import assert from 'node:assert/strict'
import { useFlowHarness } from '../../harness/flow.ts'
import { requestsTo } from '../../harness/simulator.ts'

const command = { type: 'keyholder-command' }
const query = { type: 'keyholder-query' }
const variable = 'KEYHOLDER_TYPED_VALUE'
const panel = { allowCommands: true }

/** A panel that executes a command before the first poll. */
const fast = { speed: 100 }

describe('A command whose fields come from elsewhere', () => {
  const harness = useFlowHarness()
  afterEach(() => {
    delete process.env[variable]
  })

  it('has them from the message, the contexts, the environment and an expression', async () => {
    const nodes = {
      message: {
        ...command,
        state: 'wanted.mode',
        stateType: 'msg',
        partition: 'part',
        partitionType: 'flow',
      },
      environment: {
        ...command,
        state: variable,
        stateType: 'env',
        partition: 'parts[1]',
        partitionType: 'global',
      },
      expression: {
        ...command,
        action: 'bypass',
        zone: '$number($flowContext("part")) + extra',
        zoneType: 'jsonata',
      },
    }
    const { flow } = await harness.start({ panel, nodes }, fast)
    flow.context('message').flow.set('part', '2')
    flow.context('message').global.set('parts', [0, 3])
    process.env[variable] = 'armed_home'
    flow.input('message', { wanted: { mode: 1 } })
    flow.input('environment')
    const answers = [await flow.output('message').next(), await flow.output('environment').next()]
    assert.deepEqual(
      answers.map(({ payload: { partition, state } }) => [partition, state]),
      [
        [2, 'AWAY'],
        [3, 'HOME'],
      ],
    )
    flow.input('expression', { extra: 1 })
    assert.equal((await flow.output('expression').next()).payload.zone, 3)
  })

  it('has those of the payload all the same, and reads nothing else for them', async () => {
    const nodes = {
      command: { ...command, state: 'none', stateType: 'msg', partition: 'none', partitionType: 'flow' },
    }
    const { flow } = await harness.start({ panel, nodes }, fast)
    flow.input('command', { payload: { state: 'HOME', partition: 2 } })
    const { payload } = await flow.output('command').next()
    assert.deepEqual([payload.state, payload.partition], ['HOME', 2])
    flow.input('command', { payload: { action: 'siren_on' } })
    assert.equal((await flow.output('command').next()).payload.action, 'siren_on')
  })

  for (const [what, fields, message, says] of [
    [
      'no state',
      { state: 'mode', stateType: 'msg' },
      {},
      /State \(msg\.mode\): this is empty\. Set it before/,
    ],
    [
      'an unknown state',
      { state: 'mode', stateType: 'msg' },
      { mode: 'asleep!' },
      /State \(msg\.mode\): "asleep!" is not a known state/,
    ],
    [
      'no partition',
      { partition: 'part', partitionType: 'flow' },
      {},
      /Partition \(flow\.part\): this is empty/,
    ],
    [
      'a blank partition',
      { partition: 'part', partitionType: 'msg' },
      { part: ' ' },
      /Partition \(msg\.part\): this is empty/,
    ],
    [
      'a partition that is no number',
      { partition: 'part', partitionType: 'msg' },
      { part: 'all' },
      /Partition \(msg\.part\): "all" is not a whole number/,
    ],
    [
      'a partition in a store that is not there',
      { partition: '#:(disk)::part', partitionType: 'flow' },
      {},
      /Partition \(flow\.part\): this is/,
    ],
    [
      'a variable that is not set',
      { partition: variable, partitionType: 'env' },
      {},
      /Partition \(env\.KEYHOLDER_TYPED_VALUE\): this is empty/,
    ],
    [
      'no zone',
      { action: 'bypass', zone: 'zone', zoneType: 'global' },
      {},
      /Zone \(global\.zone\): this is empty/,
    ],
    [
      'an expression without a result',
      { action: 'bypass', zone: 'payload.zone', zoneType: 'jsonata' },
      {},
      /Zone \(expression\): this is empty/,
    ],
    [
      'an expression that fails',
      { state: '$number("code 1234")', stateType: 'jsonata' },
      {},
      /State \(expression\): this cannot be read \(.*code \(number hidden\).*\)\. Correct it/,
    ],
    [
      'an expression with a typing error',
      { state: '(', stateType: 'jsonata' },
      {},
      /State \(expression\): this cannot be read/,
    ],
    ['an unknown source', { state: '"AWAY"', stateType: 'json' }, {}, /State: "json" is no source/],
  ] as const) {
    it(`is refused for ${what}, and nothing is sent`, async () => {
      const nodes = { command: { ...command, state: 'AWAY', partition: -1, ...fields } }
      const { simulator, flow } = await harness.start({ panel, nodes }, fast)
      flow.input('command', message)
      const { error } = await flow.caught.next()
      assert.equal(error.code, 'BAD_SETTING')
      assert.match(error.message, says)
      assert.equal(requestsTo(simulator, 'set_state') + requestsTo(simulator, 'set_bypass_zone'), 0)
    })
  }
})

describe('A query whose fields come from elsewhere', () => {
  const harness = useFlowHarness()

  it('has operation and time from there, unless the message names them', async () => {
    const fields = { operation: 'asked', operationType: 'flow', since: 'from', sinceType: 'msg' }
    const { flow } = await harness.start({ nodes: { query: { ...query, ...fields } } })
    flow.context('query').flow.set('asked', 'standard_log')
    flow.input('query', { from: 0 })
    const { payload, operation } = await flow.output('query').next()
    assert.equal(operation, 'standard_log')
    const after = Date.parse(payload[0].loggedAt) + 1000
    flow.input('query', { from: after })
    assert.deepEqual((await flow.output('query').next()).payload, [])
    flow.input('query', { since: 0, from: after })
    assert.equal((await flow.output('query').next()).payload.length, payload.length)
    flow.input('query', { operation: 'panels' })
    assert.equal((await flow.output('query').next()).operation, 'panels')
  })

  it('is for panel_info if a saved node has no operation', async () => {
    const { flow } = await harness.start({ nodes: { query } })
    flow.input('query')
    assert.equal((await flow.output('query').next()).operation, 'panel_info')
  })

  it('has the time of the dialog if the message has none', async () => {
    const fields = { operation: 'standard_log', since: '2999-01-01T00:00:00Z' }
    const { flow } = await harness.start({ nodes: { query: { ...query, ...fields } } })
    flow.input('query')
    assert.deepEqual((await flow.output('query').next()).payload, [])
  })

  for (const [what, fields, message, code, says] of [
    [
      'no operation',
      { operation: 'asked', operationType: 'msg' },
      {},
      'BAD_SETTING',
      /Operation \(msg\.asked\): this is empty/,
    ],
    [
      'an unknown operation',
      { operation: 'asked', operationType: 'msg' },
      { asked: 'coffee' },
      'NOT_FOUND',
      /Operation \(msg\.asked\): unknown operation "coffee"/,
    ],
    [
      'no time',
      { operation: 'standard_log', since: 'last', sinceType: 'flow' },
      {},
      'BAD_SETTING',
      /Since \(flow\.last\): this is empty/,
    ],
    [
      'a wrong time',
      { operation: 'standard_log', since: 'last', sinceType: 'msg' },
      { last: '20260131' },
      'BAD_SETTING',
      /Since \(msg\.last\): this is not a time/,
    ],
    [
      'a wrong time in the dialog',
      { operation: 'standard_log', since: 'yesterday' },
      {},
      'BAD_SETTING',
      /Since: this is not a time/,
    ],
  ] as const) {
    it(`is refused for ${what}, and no request is sent`, async () => {
      const { simulator, flow } = await harness.start({ nodes: { query: { ...query, ...fields } } })
      flow.input('query', message)
      const { error } = await flow.caught.next()
      assert.equal(error.code, code)
      assert.match(error.message, says)
      assert.equal(simulator.requests.filter(({ path }) => /standard_log|panels$/.test(path)).length, 0)
    })
  }
})
