import assert from 'node:assert/strict'
import { answerOverConnections } from '../../../harness/clock/memory-exchange.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const state = { type: 'keyholder-state', partitions: [1] }
const others = { readings: { type: 'keyholder-readings' }, events: { type: 'keyholder-events' } }
const rarePolls = { stateEvery: 600_000, eventsEvery: 600_000, devicesEvery: 600_000 }

/** The statuses of the contract, section 3. */
const green = (text: string) => ({ fill: 'green', shape: 'dot', text })
const blue = { fill: 'blue', shape: 'dot', text: 'updating' }
const yellow = (text: string) => ({ fill: 'yellow', shape: 'ring', text })
const red = (text: string) => ({ fill: 'red', shape: 'ring', text })

// Each time a test stops a flow, it also checks that no status text is longer than 40 characters.
/** An account that gives up a request after data is stale, so that no poll fails before. */
const patient = { timeout: 300 }

describe('The status of a node', () => {
  const harness = useFlowHarness()

  it('is a yellow ring during sign-in, and then a green dot, with the state in a state node', async () => {
    const { flow } = await harness.start({ panel: rarePolls, nodes: { state, ...others } })
    for (const [name, text] of [
      ['state', 'disarmed, ready'],
      ['readings', 'all closed (5)'],
      ['events', 'no new events'],
    ] as const) {
      assert.deepEqual(await flow.status(name).next(), yellow('signing in'))
      assert.deepEqual(await flow.status(name).next(({ fill }) => fill !== 'blue'), green(text))
    }
  })

  it('says that the first read waits for the limit of the account, and not that it signs in', async () => {
    const { flow } = await harness.start({ account: { requestsPerMinute: 6 }, nodes: { state } })
    assert.deepEqual(
      await flow.status('state').next(({ text }) => text !== 'signing in'),
      yellow('waiting, 6 a minute'),
    )
    await flow.status('state').next(({ text }) => text === 'disarmed, ready')
  })

  it('of conditions says that all is fine only once state, events and devices were read', async () => {
    const { simulator, flow } = await harness.start({
      account: { requestsPerMinute: 10 },
      nodes: { conditions: { type: 'keyholder-conditions' } },
    })
    await flow.status('conditions').next(({ text }) => text === 'all is fine')
    for (const operation of ['status', 'alarms', 'events', 'devices'])
      assert.ok(requestsTo(simulator, operation) > 0, operation)
  })

  it('shows the most important state of several partitions', async () => {
    const { home, flow } = await harness.start({ nodes: { all: { type: 'keyholder-state' }, state } })
    await flow.status('all').next(({ text }) => text === 'disarmed, ready')
    home.arm(2, 'HOME', { exitDelay: 0 })
    assert.deepEqual(
      await flow.status('all').next(({ text }) => text !== 'disarmed, ready'),
      green('armed home: Workshop'),
    )
    home.arm(3, 'AWAY', { exitDelay: 600 })
    assert.match((await flow.status('all').next()).text, /^arming/)
    assert.deepEqual(
      flow.status('state').all.filter(({ fill, text }) => fill === 'green' && text !== 'disarmed, ready'),
      [],
    )
  })

  it('counts down the seconds of an exit delay, even while the service does not answer', async () => {
    const { simulator, home, flow } = await harness.start({ panel: rarePolls, nodes: { state } })
    await flow.status('state').next(({ text }) => text === 'disarmed, ready')
    home.arm(1, 'AWAY')
    flow.input('state')
    const { fill, shape, text } = await flow.status('state').next(({ text }) => text.startsWith('arming'))
    simulator.hang('status', Number.POSITIVE_INFINITY)
    assert.deepEqual([fill, shape, text], ['yellow', 'dot', 'arming 20 s'])
    assert.deepEqual(
      (await flow.status('state').take(10)).map(({ text }) => text),
      Array.from({ length: 10 }, (_, index) => `arming ${19 - index} s`),
    )
  })

  it('is a blue dot while an input is answered, red after a timeout, and green after the next answer', async () => {
    const { simulator, flow } = await harness.start({
      account: { timeout: 1 },
      panel: rarePolls,
      nodes: { state },
    })
    await flow.status('state').next(({ fill }) => fill === 'green')
    simulator.hang('status')
    flow.input('state')
    assert.deepEqual(await flow.status('state').next(), blue)
    assert.deepEqual(await flow.status('state').next(), red('no answer in time'))
    assert.equal((await flow.caught.next()).error.code, 'TIMEOUT')
    flow.input('state')
    assert.deepEqual(await flow.status('state').take(2), [blue, green('disarmed, ready')])
  })

  it('is a yellow ring during a pause that the service requested, and recovers automatically', async () => {
    const { simulator, flow } = await harness.start({ nodes: { state } })
    await flow.status('state').next(({ fill }) => fill === 'green')
    simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '3' } })
    const { fill, shape, text } = await flow.status('state').next(({ fill }) => fill !== 'green')
    assert.deepEqual([fill, shape], ['yellow', 'ring'])
    assert.equal(text, 'too many requests')
    const requests = simulator.requests.length
    const polled = (await flow.caught.next()).error
    assert.equal(polled.code, 'RATE_LIMITED')
    assert.match(polled.message, /pauses for \d seconds\. The nodes continue by themselves\.$/)
    flow.input('state')
    const { error } = await flow.caught.next()
    assert.equal(error.code, 'RATE_LIMITED')
    assert.match(error.message, /pauses for \d seconds\.$/)
    assert.equal(simulator.requests.length, requests, 'asked while held')
    assert.deepEqual(
      await flow.status('state').next(({ fill }) => fill === 'green'),
      green('disarmed, ready'),
    )
  })

  it('names the cause of a longer pause, and its end, also when the error comes with a web page', async () => {
    const { simulator, flow } = await harness.start({ nodes: { state } })
    await flow.status('state').next(({ fill }) => fill === 'green')
    const body = '<!DOCTYPE html><html><body>Back soon</body></html>'
    simulator.respondOnce('status', { status: 503, body, headers: { 'Retry-After': '600' } })
    const { fill, shape, text } = await flow.status('state').next(({ fill }) => fill !== 'green')
    assert.deepEqual([fill, shape], ['yellow', 'ring'])
    assert.match(text, /^service error, again at \d\d:\d\d$/)
  })

  it('says that a web page came instead of data', async () => {
    const { simulator, flow } = await harness.start({ nodes: { state } })
    await flow.status('state').next(({ fill }) => fill === 'green')
    const page = '<!DOCTYPE html><html><body>Maintenance</body></html>'
    simulator.respondOnce('status', { status: 200, body: page, times: Number.POSITIVE_INFINITY })
    const { text } = await flow.status('state').next(({ fill }) => fill === 'red')
    assert.equal(text, 'web page instead of data')
  })

  for (const [status, body] of [
    [404, '<html><body>Not Found</body></html>'],
    [200, '<!DOCTYPE html><html><body>It works!</body></html>'],
    [200, { hello: 'world' }],
    [401, 'Unauthorized'],
    [403, { error: 'forbidden' }],
    [405, ''],
    [301, ''],
  ] as const)
    it(`says that no alarm service is there, whatever else answers: ${status} ${JSON.stringify(body)}`, async () => {
      const server = await harness.startSimulator()
      answerOverConnections(server)
      server.respondOnce('version', { status, body, times: Number.POSITIVE_INFINITY })
      const flow = await harness.startAt(server, { nodes: { state } })
      const shown = await flow.status('state').next(({ fill }) => fill === 'red')
      assert.deepEqual(shown, red('no alarm service there'))
      assert.match((await flow.caught.next()).error.message, /: There is no alarm service at this address\. /)
    })

  for (const [what, setup, text] of [
    ['another panel', { panel: { serial: 'BEEF00' } }, 'no such panel'],
    ['a code that the service finds too short', { credentials: { userCode: '12' } }, 'code too short'],
    ['no e-mail', { credentials: { email: '' } }, 'no e-mail'],
    ['no password', { credentials: { password: '' } }, 'no password'],
    ['no serial number', { panel: { serial: '' } }, 'no serial number'],
  ] as const)
    it(`names the setting that is wrong: ${what}`, async () => {
      const { flow } = await harness.start({ nodes: { state }, ...setup })
      await flow.status('state').next((shown) => shown.text === text && shown.shape === 'ring')
    })

  it('is a yellow ring while sign-ins are blocked', async () => {
    const simulator = await harness.startSimulator()
    simulator.accounts.block(60)
    const flow = await harness.startAt(simulator, { nodes: { state } })
    const { fill, shape, text } = await flow.status('state').next(({ text }) => text !== 'signing in')
    assert.deepEqual([fill, shape, text.slice(0, 12)], ['yellow', 'ring', 'paused until'])
    assert.equal((await flow.caught.next()).error.code, 'LOGIN_BLOCKED')
    assert.equal(simulator.accounts.signIns, 1)
  })

  it('is a red ring while polls fail, with one error in Catch, and recovers automatically', async () => {
    const { simulator, flow } = await harness.start({ nodes: { state, ...others } })
    for (const name of ['state', 'readings', 'events']) {
      await flow.status(name).next(({ fill }) => fill === 'green')
    }
    const broken = { status: 500, times: Number.POSITIVE_INFINITY }
    for (const operation of ['status', 'events', 'devices']) simulator.respondOnce(operation, broken)
    for (const name of ['state', 'readings', 'events']) {
      assert.deepEqual(await flow.status(name).next(({ fill }) => fill === 'red'), red('service error'))
    }
    const failures = requestsTo(simulator, 'status')
    await until(() => requestsTo(simulator, 'status') > failures + 3)
    simulator.restore()
    for (const name of ['state', 'readings', 'events'])
      await flow.status(name).next(({ fill }) => fill === 'green')
    const errors = flow.caught.all.map(({ error }) => [error.source.type, error.code])
    assert.deepEqual(errors, [['keyholder-panel', 'SERVER_ERROR']])
  })

  it('is a yellow ring while its data is stale, even before a poll has failed', async () => {
    const { simulator, flow } = await harness.start({ account: patient, nodes: { state } })
    await flow.status('state').next(({ fill }) => fill === 'green')
    simulator.hang('status', Number.POSITIVE_INFINITY)
    assert.deepEqual(await flow.status('state').next(), yellow('no fresh data'))
  })

  it('is a red dot with the word for it while the data about an alarm is stale', async () => {
    const { simulator, home, flow } = await harness.start({ account: patient, nodes: { state } })
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    await flow.status('state').next(({ text }) => text === 'ALARM: Kitchen window')
    simulator.hang('status', Number.POSITIVE_INFINITY)
    const text = 'ALARM: no fresh data: Kitchen window'
    assert.deepEqual(await flow.status('state').next(), { fill: 'red', shape: 'dot', text })
  })

  it('reaches a Status node of the flow', async () => {
    const simulator = await harness.startSimulator()
    const flow = await harness.startAt(simulator, {
      nodes: { state, status: { type: 'status', scope: null } },
    })
    const message = await flow.output('status').next(({ status }) => status.fill === 'green')
    assert.deepEqual(
      [message.status.text, message.status.source.type],
      ['disarmed, ready', 'keyholder-state'],
    )
  })
})
