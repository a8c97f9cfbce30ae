import assert from 'node:assert/strict'
import { processClock } from '../../../harness/clock/process-fake-clock.ts'
import {
  isoTime,
  messageShape,
  panelShape,
  transportsShape,
} from '../../../harness/fixtures/message-shape.ts'
import { assertShape, nullable, type Shape } from '../../../harness/fixtures/shape.ts'
import {
  createPart,
  type FlowPart,
  type FlowPartOptions,
  withoutNodes,
} from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const type = 'keyholder-health'
const health = { type }
const alone = { type, panel: '' }
const state = { type: 'keyholder-state', partitions: [1] }
const events = { type: 'keyholder-events' }
const readings = { type: 'keyholder-readings' }

const poll: Shape = {
  lastAt: nullable(isoTime),
  lastOk: nullable(isoTime),
  ageMs: 'number?',
  failures: 'number?',
}

const freshness: Shape = { targetMs: 'number?', medianMs: 'number?', p95Ms: 'number?' }

/** The payload of the contract. */
const payloadShape: Shape = {
  status: 'string',
  account: { phase: 'string', heldUntil: nullable(isoTime), apiVersion: 'string?', signIns: 'number' },
  budget: {
    limit: 'number',
    usedLastMinute: 'number',
    waiting: 'number',
    wanted: 'number',
    usedToday: 'number',
  },
  license: nullable({
    validity: 'string',
    notBefore: nullable(isoTime),
    notAfter: nullable(isoTime),
    limits: [{ limit: 'string', value: 'number', used: 'number?' }],
  }),
  panel: nullable({
    online: 'boolean',
    transports: transportsShape,
    state: 'string',
    reportsArming: 'boolean?',
    polls: { state: poll, events: poll, devices: poll },
  }),
  freshness: nullable({
    state: freshness,
    events: { ...freshness, serviceMs: nullable({ least: 'number', most: 'number' }) },
    devices: freshness,
  }),
  lastError: nullable({ code: 'string', message: 'string', at: isoTime }),
  cluster: nullable({}),
  versions: { plugin: 'string', nodeRed: 'string', node: 'string' },
  unknown: { typeIds: ['number'], deviceTypes: ['string'], subtypes: ['string'], warnings: ['string'] },
}

const green = { fill: 'green', shape: 'dot', text: 'ok' }
const red = (text: string) => ({ fill: 'red', shape: 'ring', text })

/** Returns the part with its account set in its health nodes. */
function withAccount(made: FlowPart): FlowPart {
  const nodes = made.nodes.map((node) =>
    node.type === type && !('account' in node) ? { ...node, account: made.account } : node,
  )
  return { ...made, nodes }
}

describe('The node keyholder-health', () => {
  const harness = useFlowHarness()

  async function run(setup: FlowPartOptions, simulator?: Simulator) {
    const service = simulator ?? (await harness.startSimulator())
    const made = withAccount(createPart(service, setup))
    return { simulator: service, part: made, flow: await harness.startParts([made]) }
  }

  /** Returns the answer to an input. */
  async function answer(flow: RunningFlow, name = 'health'): Promise<FlowMessage> {
    flow.input(name, { question: name })
    return flow.output(name).next(({ question }) => question === name)
  }

  it('answers any input at once with a complete payload, and passes on the other properties', async () => {
    const { flow } = await run({ nodes: { health, state } })
    await flow.output('state').next()
    flow.input('health', {
      _msgid: 'mine',
      count: 7,
      payload: 'replaced',
      panel: 'replaced',
      stale: 'replaced',
    })
    const { count, ...message } = await flow.output('health').next(({ _msgid }) => _msgid === 'mine')
    assert.equal(count, 7)
    assertShape(message, { ...messageShape, panel: panelShape, payload: payloadShape })
    assert.equal(message.topic, 'Home/health')
    const transports = { broadband: true, mobile: false }
    assert.deepEqual(message.panel, { serial: 'A1B2C3', alias: 'Home', online: true, transports })
    assert.deepEqual(message.payload.panel.transports, transports)
    assert.equal(message.fetchedAt, message.payload.panel.polls.state.lastOk)
    assert.equal(message.stale, false)
    assert.equal((await flow.completed.next(({ _msgid }) => _msgid === 'mine')).count, 7)
    const { status, account, panel, lastError, versions } = message.payload
    assert.deepEqual([status, account.phase, account.apiVersion, account.signIns], ['ok', 'ready', '14.0', 1])
    assert.deepEqual([panel.online, panel.state, panel.polls.state.failures], [true, 'fine', 0])
    const { freshness: told } = message.payload
    assert.deepEqual([told.state.targetMs > 0, told.state.medianMs, told.events.targetMs], [true, null, null])
    assert.equal(lastError, null)
    assert.equal(versions.node, process.versions.node)
    assert.match(`${versions.plugin} ${versions.nodeRed}`, /^\d+\.\d+\.\d+ 4\.1\.\d+/)
  })

  it('tells the requests of the day, and what the polls want of the request limit', async () => {
    const { flow, simulator } = await run({ nodes: { health, state } })
    await flow.output('state').next()
    const { budget } = (await answer(flow)).payload
    assert.equal(budget.usedToday, simulator.requests.length)
    assert.equal(typeof budget.wanted, 'number')
  })

  it('sends no request and starts no poll: not on its own, for an input or for a heartbeat', async () => {
    const { simulator, flow } = await run({ nodes: { health: { type, every: 1 }, alone } })
    for (const name of ['health', 'alone']) {
      const { payload } = await answer(flow, name)
      assert.deepEqual([payload.status, payload.account.phase], ['ok', 'signed-out'])
    }
    const { payload, stale } = await flow.output('health').next(({ question }) => question === undefined)
    const none = { lastAt: null, lastOk: null, ageMs: null, failures: null }
    assert.deepEqual(payload.panel, {
      online: null,
      transports: { broadband: null, mobile: null },
      state: 'idle',
      reportsArming: null,
      polls: { state: none, events: none, devices: none },
    })
    assert.equal(stale, true)
    assert.equal(simulator.requests.length, 0)
    for (const name of ['health', 'alone']) assert.deepEqual(flow.status(name).all.at(-1), green)
  })

  it('reports on an account without a panel, named by the account or by the host of the service', async () => {
    const { flow, simulator } = await run({ nodes: { alone } })
    const message = await answer(flow, 'alone')
    assert.equal(message.topic, `${new URL(simulator.url).host}/health`)
    assert.deepEqual([message.panel, message.payload.panel, message.stale], [null, null, false])
    assertShape(message.fetchedAt, isoTime)
    assert.deepEqual(message.payload.unknown, { typeIds: [], deviceTypes: [], subtypes: [], warnings: [] })
    await harness.stopFlow()
    const named = await run({ account: { name: 'Our account' }, nodes: { alone } })
    assert.equal((await answer(named.flow, 'alone')).topic, 'Our account/health')
  })

  it('sends a message when status, phase or last error change, and only then', async () => {
    const { flow, simulator } = await run({ nodes: { health, state, beat: { type, every: 1 } } })
    const changes = () =>
      flow
        .output('health')
        .all.map(({ payload: { status, account, lastError } }) => [status, account.phase, lastError?.code])
    await flow.output('health').next()
    await flow.output('beat').takeNew(2)
    assert.deepEqual(changes(), [['ok', 'ready', undefined]])
    simulator.respondOnce('status', { status: 500, times: Number.POSITIVE_INFINITY })
    await flow.output('health').next()
    await flow.output('beat').takeNew(2)
    simulator.restore()
    await flow.output('health').next()
    assert.deepEqual(changes().slice(1), [
      ['degraded', 'ready', 'SERVER_ERROR'],
      ['ok', 'ready', 'SERVER_ERROR'],
    ])
  })

  it('sends no message about an ordinary expiry', async () => {
    const { flow, simulator } = await run({ nodes: { health, state, beat: { type, every: 1 } } })
    await flow.output('health').next()
    for (const signIns of [2, 3]) {
      simulator.accounts.expireUserTokens()
      await flow.output('beat').next(({ payload }) => payload.account.signIns === signIns)
    }
    await flow.output('beat').takeNew(2)
    assert.equal(flow.output('health').all.length, 1)
    assert.equal(simulator.accounts.signIns, 3)
  })

  it('has a heartbeat that continues during an outage', async () => {
    const { flow, simulator } = await run({ nodes: { health: { type, every: 1 }, state, events } })
    await flow.status('health').next(({ fill }) => fill === 'green')
    await simulator.close()
    const gone = await flow.output('health').next(({ payload }) => payload.status === 'offline')
    assert.equal(gone.payload.lastError.code, 'NETWORK')
    assert.equal(gone.payload.panel.state, 'failing')
    assert.ok(gone.payload.panel.polls.state.failures > 0)
    const times = (await flow.output('health').takeNew(3)).map(
      ({ payload }) => payload.panel.polls.state.failures,
    )
    assert.ok(times[0] < times[2], 'it counts on')
  })

  const missing = { url: '' }
  const invalidSetups: [what: string, setup: FlowPartOptions, code: string, fill: string][] = [
    ['no account is selected', { nodes: { health: { type, account: '' } } }, 'NOT_CONFIGURED', 'grey'],
    [
      'its account was deleted',
      { nodes: { health: { type, account: 'gone', panel: '' } } },
      'NOT_CONFIGURED',
      'grey',
    ],
    ['its panel was deleted', { nodes: { health: { type, panel: 'gone' } } }, 'NOT_CONFIGURED', 'grey'],
    ['the account has no url', { account: missing, nodes: { health } }, 'NOT_CONFIGURED', 'grey'],
    [
      'it has only an account, without url',
      { account: missing, nodes: { health: alone } },
      'NOT_CONFIGURED',
      'grey',
    ],
    [
      'a setting of the account is invalid',
      { account: { timeout: 'x' }, nodes: { health: alone } },
      'BAD_SETTING',
      'red',
    ],
    [
      'a setting of the panel is invalid',
      { panel: { stateEvery: 'x' }, nodes: { health } },
      'BAD_SETTING',
      'red',
    ],
    ['the panel has no serial', { panel: { serial: '' }, nodes: { health } }, 'NOT_CONFIGURED', 'grey'],
  ]
  for (const [what, setup, code, fill] of invalidSetups) {
    it(`answers inputs and sends heartbeats even if ${what}, with a single error`, async () => {
      const nodes = { health: { every: 1, ...setup.nodes.health, type } }
      const { flow } = await run({ ...setup, nodes })
      const { payload, ...message } = await answer(flow)
      assertShape({ ...payload }, payloadShape)
      assert.deepEqual([payload.status, payload.lastError.code], ['rejected', code])
      assert.equal(typeof message.fetchedAt, 'string')
      await flow.completed.next()
      await flow.output('health').takeNew(1)
      assert.equal(flow.caught.all.length, 1)
      assert.equal(flow.caught.all[0]?.error.code, code)
      assert.equal(flow.status('health').all.at(-1)?.fill, fill)
    })
  }

  it('refuses a panel of another account and names both fields, but reports on its own account', async () => {
    const simulator = await harness.startSimulator()
    const other = createPart(simulator, { nodes: {} })
    const made = withAccount(
      createPart(simulator, { nodes: { health: { type, panel: other.panel }, state } }),
    )
    const flow = await harness.startParts([other, made])
    await flow.output('state').next()
    const { payload, panel } = await answer(flow)
    assert.deepEqual([payload.status, payload.lastError.code], ['rejected', 'BAD_SETTING'])
    assert.deepEqual([payload.account.phase, payload.panel.state, panel.online], ['ready', 'idle', false])
    const { error } = await flow.caught.next()
    assert.match(error.message, /\bpanel\b.*\baccount\b/)
    assert.deepEqual(flow.status('health').all.at(-1), red('bad setting'))
  })

  describe('shows', () => {
    it('a green dot, a yellow ring during a pause, and the green dot again', async () => {
      const { flow, simulator } = await run({ nodes: { health, state } })
      await flow.status('health').next(({ fill }) => fill === 'green')
      simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '3' } })
      const { fill, shape, text } = await flow.status('health').next()
      assert.deepEqual([fill, shape], ['yellow', 'ring'])
      assert.equal(text, 'too many requests')
      const { payload } = await flow.output('health').next(({ payload }) => payload.status === 'held')
      assert.ok(Date.parse(payload.account.heldUntil) > processClock.wall())
      assert.deepEqual(await flow.status('health').next(), green)
    })

    it('the cause of an error as the other nodes name it', async () => {
      const { flow } = await run({ panel: { serial: 'BEEF00' }, nodes: { health, state } })
      await flow.status('health').next(({ text }) => text === 'rejected: no such panel')
      await harness.stopFlow()
      const again = await run({ credentials: { email: '' }, nodes: { health, state } })
      await again.flow.status('health').next(({ text }) => text === 'no e-mail')
    })

    it('a red ring if the password is rejected', async () => {
      const { flow } = await run({ credentials: { password: 'wrong' }, nodes: { health, alone, state } })
      const texts = { health: 'rejected: sign-in rejected', alone: 'rejected' }
      for (const [name, text] of Object.entries(texts)) {
        assert.deepEqual(await flow.status(name).next((shown) => shown.text === text), red(text))
        const { payload } = await flow.output(name).next(({ payload }) => payload.status === 'rejected')
        assert.deepEqual([payload.account.phase, payload.lastError.code], ['rejected', 'BAD_CREDENTIALS'])
      }
    })

    it('a red ring if the user code is rejected, although the account works', async () => {
      const { flow } = await run({ credentials: { userCode: '9999' }, nodes: { health, alone, state } })
      const { payload } = await flow.output('health').next(({ payload }) => payload.status === 'rejected')
      assert.deepEqual([payload.account.phase, payload.lastError.code], ['ready', 'WRONG_USER_CODE'])
      assert.deepEqual(flow.status('health').all.at(-1), red('rejected: wrong code or serial'))
      assert.equal((await answer(flow, 'alone')).payload.status, 'ok')
    })

    it('a red ring while a poll fails, and while the panel is unreachable', async () => {
      const { flow, simulator } = await run({ nodes: { health, state } })
      await flow.status('health').next(({ fill }) => fill === 'green')
      simulator.respondOnce('status', { status: 500, times: Number.POSITIVE_INFINITY })
      assert.deepEqual(await flow.status('health').next(), red('degraded: service error'))
      simulator.restore()
      assert.deepEqual(await flow.status('health').next(), green)
      simulator.world.panel('A1B2C3').goOffline()
      assert.deepEqual(await flow.status('health').next(), red('panel offline'))
    })
  })

  // @spec 2.2, 8.1
  it('reports once, in a message and in the log, that the license ends within 30 days', async () => {
    const simulator = await harness.startSimulator()
    const inDays = (days: number) => new Date(processClock.wall() + days * 86_400_000).toISOString()
    const license = {
      name: 'Silver',
      valid: { not_before: inDays(-300).slice(0, 19), not_after: inDays(29).slice(0, 19) },
      limits: [{ limit: 'panels', value: 5 }],
    }
    simulator.respondOnce('auth', { status: 200, body: { user_token: 'will-not-do', license } })
    const list = [{ panel_serial: simulator.serials[0], type: 'POWER_MASTER' }]
    simulator.respondOnce('panels', { status: 200, body: list, times: Number.POSITIVE_INFINITY })
    const query = { type: 'keyholder-query', operation: 'panels' }
    const { flow } = await run({ account: { api: 'service' }, nodes: { alone, query } }, simulator)
    for (const _ of [1, 2]) {
      flow.input('query')
      await flow.output('query').next()
    }
    const { payload } = await flow.output('alone').next()
    assert.deepEqual(payload.license, {
      validity: 'ending',
      notBefore: `${license.valid.not_before}.000Z`,
      notAfter: `${license.valid.not_after}.000Z`,
      limits: [{ limit: 'panels', value: 5, used: 1 }],
    })
    assert.equal(payload.status, 'ok')
    const lines = flow.logged.filter((line) => JSON.stringify(line).includes('ends on'))
    assert.equal(lines.length, 1)
    const ending = license.valid.not_after.slice(0, 10)
    assert.ok(JSON.stringify(lines).includes(`ends on ${ending}. Ask your alarm provider to renew it.`))
    assert.equal(flow.status('query').all.at(-1)?.fill, 'green')
  })

  it('collects unknown values of the service for a bug report', async () => {
    const { flow, simulator } = await run({ nodes: { health: { type, every: 1 }, events, readings } })
    simulator.world.panel('A1B2C3').log({ type_id: 7001 })
    const { payload } = await flow.output('health').next(({ payload }) => {
      return payload.unknown.typeIds.length > 0 && payload.unknown.subtypes.length > 0
    })
    assert.deepEqual(payload.unknown, {
      typeIds: [7001],
      deviceTypes: [],
      subtypes: ['RADAR_MOTION'],
      warnings: [],
    })
  })

  it('sends messages that the flow can change without affecting the next one', async () => {
    const { flow } = await run({ nodes: { health, events, readings } })
    await flow.status('readings').next(({ fill }) => fill === 'green')
    const changed = (await answer(flow)).payload
    changed.unknown.subtypes.length = 0
    changed.versions.plugin = changed.panel.polls.devices.failures = changed.budget.limit = 'spoilt'
    const { payload } = await answer(flow)
    assert.ok(!JSON.stringify(payload).includes('spoilt'))
    assert.deepEqual(payload.unknown.subtypes, ['RADAR_MOTION'])
  })

  it('stops its heartbeat when it is removed, and closes at once while all requests hang', async () => {
    const simulator = await harness.startSimulator()
    simulator.hang('version', Number.POSITIVE_INFINITY)
    const beat = { type, every: 1 }
    const made = withAccount(createPart(simulator, { nodes: { health: beat, other: beat, state } }))
    const flow = await harness.startParts([made])
    await flow.output('health').next()
    await flow.deploy(withoutNodes(made, 'health'))
    const before = flow.output('health').all.length
    await flow.output('other').takeNew(2)
    assert.equal(flow.output('health').all.length, before)
    await harness.stopFlow()
  })
})
