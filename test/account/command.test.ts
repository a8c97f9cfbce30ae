import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { answerOverConnections } from '../../harness/clock/memory-exchange.ts'
import { until } from '../../harness/clock/until.ts'
import { requestsTo } from '../../harness/simulator.ts'
import type { Sent } from '../../src/account/account.ts'
import { minute } from '../../src/duration.ts'
import { type Operation, operations } from '../../src/service/operations.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { cutAfter, hang, latency, reset } from '../../src/simulator/faults/network-faults.ts'
import {
  emptyBody,
  htmlPage,
  invalidJson,
  redirect,
  status,
} from '../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../src/simulator/faults/service-faults.ts'
import type { SimulatorOptions } from '../../src/simulator/simulator.ts'

const body = { partition: 1, state: 'HOME', options: [] }
const armed = 85

describe('A command', () => {
  let at: AccountHarness

  /** The panel session is already open, so that only the command itself is sent. */
  async function begin(settings: RawSettings = {}, options: SimulatorOptions = {}): Promise<void> {
    at = await startAccountHarness(options, settings)
    await at.account.openPanel(at.panel)
  }

  /** Does the same over a connection, which is then open. */
  async function beginOverConnection(): Promise<void> {
    at = await startAccountHarness()
    answerOverConnections(at.simulator)
    await at.account.openPanel(at.panel)
  }

  afterEach(() => at.close())

  const command = (signal = neverAborted()): Promise<Sent> =>
    at.account.sendCommand(operations.setState, { panel: at.panel, body, signal })

  /** Returns how often the panel was armed, after all commands have completed. */
  function armings(): number {
    at.clock.advance(10_000)
    const { events } = at.simulator.world.panel(at.panel.serial)
    return events.filter(({ type_id }) => type_id === armed).length
  }

  it('returns the token with which its progress can be requested', async () => {
    await begin()
    const sent = await command()
    assert.ok('token' in sent)
    const options = { panel: at.panel, token: sent.token, lane: 'urgent', maxAge: 0 } as const
    at.clock.advance(10_000)
    const { value } = await at.account.sendRead(operations.processStatus, {
      ...options,
      signal: neverAborted(),
    })
    assert.deepEqual(
      value.map(({ token, status }) => [token, status]),
      [[sent.token, 'succeeded']],
    )
    assert.equal(armings(), 1)
  })

  it('is never merged with an equal command', async () => {
    await begin()
    const [one, other] = await Promise.all([command(), command()])
    assert.ok('token' in one && 'token' in other)
    assert.notEqual(one.token, other.token)
    assert.equal(requestsTo(at.simulator, 'set_state'), 2)
  })

  for (const kind of ['session', 'user'] as const) {
    it(`is sent again after the ${kind} token expired, because the service did not execute it`, async () => {
      await begin()
      at.simulator.faults.start(tokenRevoked(kind), { operation: 'set_state', times: 1 })
      assert.ok('token' in (await command()))
      assert.equal(requestsTo(at.simulator, 'set_state'), 2)
      assert.equal(armings(), 1)
    })
  }

  it('is sent again to the new address if the service has moved', async () => {
    await begin({}, { versions: ['13.0', '14.0'] })
    at.clock.advance(31_000)
    at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
    at.simulator.faults.start(status(404), { operation: 'set_state', times: 1 })
    assert.ok('token' in (await command()))
    const paths = at.simulator.requests.flatMap(({ path }) => (path.endsWith('/set_state') ? [path] : []))
    assert.deepEqual(paths, ['/rest_api/14.0/set_state', '/rest_api/13.0/set_state'])
    assert.equal(armings(), 1)
  })

  const lost: [string, Fault, string][] = [
    ['the connection is reset', reset(), 'NETWORK'],
    ['no answer comes', hang(), 'TIMEOUT'],
    ['the answer is truncated', cutAfter(5), 'NETWORK'],
    ['the answer is empty', emptyBody(), 'BAD_RESPONSE'],
    ['the answer is not JSON', invalidJson(), 'BAD_RESPONSE'],
    ['the answer is a web page', htmlPage(), 'BAD_RESPONSE'],
    ['the service reports an internal error', status(500), 'SERVER_ERROR'],
    ['a gateway reports an error', status(503), 'SERVER_ERROR'],
  ]
  for (const [what, fault, code] of lost) {
    // @spec state-request
    it(`is in doubt and never sent again if ${what}`, async () => {
      await begin()
      at.simulator.faults.start(fault, { operation: 'set_state' })
      const sent = await at.waitFor(command())
      assert.ok('doubt' in sent)
      assert.equal(sent.doubt.code, code)
      assert.equal(requestsTo(at.simulator, 'set_state'), 1)
    })
  }

  const refused: [string, Fault, string][] = [
    ['an invalid field', status(400, { body: { error: 10001 } }), 'BAD_RESPONSE'],
    ['a missing right', status(403, { body: { error: 10010 } }), 'NOT_ALLOWED'],
    ['an unknown operation', status(404), 'NOT_FOUND'],
    ['too many requests', status(429), 'RATE_LIMITED'],
    ['a redirect', redirect('https://elsewhere.example'), 'BAD_RESPONSE'],
  ]
  for (const [what, fault, code] of refused) {
    it(`was certainly not executed if the service rejects it because of ${what}`, async () => {
      await begin()
      at.simulator.faults.start(fault, { operation: 'set_state' })
      await assert.rejects(command(), { code })
      assert.equal(requestsTo(at.simulator, 'set_state'), 1)
      assert.equal(armings(), 0)
    })
  }

  it('was certainly not executed if the connection is refused', async () => {
    await beginOverConnection()
    await at.simulator.close()
    // Over the connection that was kept open, the command could still have arrived.
    const options = { lane: 'urgent', maxAge: 0, signal: neverAborted(), panel: at.panel } as const
    await assert.rejects(at.account.sendRead(operations.status, options), { code: 'NETWORK' })
    await assert.rejects(command(), { code: 'NETWORK' })
  })

  it('was certainly not executed if the service had asked for a pause, even with status 503', async () => {
    await begin()
    at.simulator.faults.start(status(503, { retryAfter: '60' }), { operation: 'status', times: 1 })
    const options = { lane: 'urgent', maxAge: 0, signal: neverAborted(), panel: at.panel } as const
    await assert.rejects(at.account.sendRead(operations.status, options), { status: 503 })
    await assert.rejects(command(), { code: 'SERVER_ERROR', status: 503 })
    assert.equal(requestsTo(at.simulator, 'set_state'), 0)
  })

  it('was certainly not executed if the sign-in before it fails', async () => {
    at = await startAccountHarness()
    at.simulator.faults.start(status(500), { operation: 'auth' })
    await assert.rejects(command(), { code: 'SERVER_ERROR', status: 500 })
    assert.equal(requestsTo(at.simulator, 'set_state'), 0)
  })

  it('can be canceled while it is queued', async () => {
    await begin({ requestsPerMinute: 30 })
    while (at.account.rateLimiter.figures.usedLastMinute < 30) await command().catch(() => {})
    const sent = requestsTo(at.simulator, 'set_state')
    const cancellation = new AbortController()
    const waiting = command(cancellation.signal)
    await until(() => at.account.rateLimiter.figures.waiting === 1)
    cancellation.abort()
    await assert.rejects(waiting, { code: 'CLOSED' })
    await assert.rejects(command(cancellation.signal), { code: 'CLOSED' })
    at.clock.advance(2 * minute)
    await at.time.settle()
    assert.equal(requestsTo(at.simulator, 'set_state'), sent)
  })

  for (const connection of ['an open', 'a new'] as const) {
    it(`is not sent on ${connection} connection if it may not be any more when that is ready`, async () => {
      await beginOverConnection()
      const leaving = new AbortController()
      const options = { lane: 'urgent', maxAge: 0, signal: leaving.signal, panel: at.panel } as const
      at.simulator.hang('devices')
      const busy = connection === 'a new' ? at.account.sendRead(operations.devices, options) : undefined
      if (busy !== undefined) await until(() => requestsTo(at.simulator, 'devices') === 1)
      const sendState = { wasSent: false }
      const order = { panel: at.panel, body, signal: neverAborted(), sendState }
      const asked: boolean[] = []
      const maySend = () => {
        asked.push(sendState.wasSent)
        return false
      }
      await assert.rejects(at.account.sendCommand(operations.setState, { ...order, maySend }), {
        code: 'CLOSED',
      })
      leaving.abort()
      await busy?.catch(() => {})
      assert.deepEqual([asked, sendState.wasSent], [[false], false])
      assert.equal(armings(), 0)
      assert.equal(requestsTo(at.simulator, 'set_state'), 0)
      assert.ok('token' in (await at.account.sendCommand(operations.setState, order)))
    })
  }

  it('does not wait for reads that are not answered', async () => {
    await begin()
    for (const operation of ['devices', 'status', 'alarms']) at.simulator.hang(operation)
    const options = { lane: 'urgent', maxAge: 0, signal: neverAborted(), panel: at.panel } as const
    const { devices, status, alarms } = operations
    const before = [devices, status, alarms].map((operation: Operation<unknown>) =>
      at.account.sendRead(operation, options),
    )
    await until(() => requestsTo(at.simulator, 'alarms') === 1)
    assert.ok('token' in (await command()))
    const codes = (await at.waitFor(Promise.allSettled(before))).map(
      (one) => one.status === 'rejected' && one.reason.code,
    )
    assert.deepEqual(codes, ['TIMEOUT', 'TIMEOUT', 'TIMEOUT'])
  })

  it('is not canceled once it is in flight', async () => {
    await begin()
    const cancellation = new AbortController()
    const cancelsCommand: Fault = {
      name: 'recall',
      answer: (getOriginal) => {
        cancellation.abort()
        return getOriginal()
      },
    }
    at.simulator.faults.start(cancelsCommand, { operation: 'set_state' })
    assert.ok('token' in (await command(cancellation.signal)))
  })

  describe('during a pause', () => {
    const page = { status: 503, body: '<html>maintenance</html>' }
    const poll = () => at.account.sendRead(operations.status, { ...at.createRequest(), lane: 'poll' })
    const probingCommand = () =>
      at.account.sendCommand(operations.setState, { panel: at.panel, body, signal: neverAborted() })
    /** Polls a failing service until the pause is minutes long. */
    const pauseForMinutes = async (answer: object) => {
      at.simulator.respondOnce('status', { status: 503, ...answer, times: 9 })
      for (let polls = 0; polls < 9; polls += 1) {
        await assert.rejects(poll())
        const left = (at.account.heldUntil ?? 0) - at.clock.wall()
        if (polls < 8) at.clock.advance(left)
      }
      at.clock.advance(1_000)
    }

    for (const [what, answer] of [
      ['503 without a time', { body: {} }],
      ['a web page', page],
    ] as const) {
      it(`of our own is sent at once, as the only probe, and ends the pause: after ${what}`, async () => {
        await begin()
        await pauseForMinutes(answer)
        assert.equal(at.account.phase, 'held')
        await assert.rejects(poll())
        assert.ok('token' in (await probingCommand()))
        assert.equal(at.account.phase, 'ready')
        await poll()
        assert.equal(armings(), 1)
      })
    }

    it('of our own signs in and opens the panel first where necessary', async () => {
      await begin()
      await pauseForMinutes({ body: {} })
      at.simulator.accounts.expireUserTokens()
      assert.ok('token' in (await probingCommand()))
      assert.equal(at.account.phase, 'ready')
    })

    it('of our own lets no poll open the panel, though its sign-in was under way when the pause began', async () => {
      await begin()
      at.simulator.accounts.expireUserTokens()
      at.simulator.faults.start(latency(1900), { operation: 'alarms' })
      at.simulator.respondOnce('alarms', { status: 503, body: {} })
      at.simulator.faults.start(latency(2000), { operation: 'auth' })
      const failing = at.account.sendRead(operations.alarms, at.createRequest())
      const opened = requestsTo(at.simulator, 'panel/login')
      const [, polled] = await at.waitFor(Promise.allSettled([failing, poll()]))
      assert.equal(polled.status === 'rejected' && polled.reason.code, 'SERVER_ERROR')
      assert.equal(requestsTo(at.simulator, 'auth'), 2)
      assert.equal(requestsTo(at.simulator, 'panel/login'), opened)
    })

    it('of our own is sent once where the service still fails, and the polls go on waiting', async () => {
      await begin()
      await pauseForMinutes({ body: {} })
      at.simulator.respondOnce('set_state', { status: 503, body: {} })
      const sent = at.simulator.requests.length
      assert.ok('doubt' in (await probingCommand()))
      await assert.rejects(poll())
      assert.equal(at.simulator.requests.length, sent + 1)
      assert.equal(at.account.phase, 'held')
    })

    for (const [what, answer] of [
      ['503 with a time', { status: 503, headers: { 'Retry-After': '600' }, body: {} }],
      ['429', { status: 429, body: {} }],
      ['420', { status: 420, body: {} }],
    ] as const) {
      it(`that the service asked for is not sent: after ${what}`, async () => {
        await begin()
        at.simulator.respondOnce('status', answer)
        await assert.rejects(poll())
        at.clock.advance(100)
        const sent = at.simulator.requests.length
        await assert.rejects(probingCommand(), { status: answer.status })
        assert.equal(at.simulator.requests.length, sent)
      })
    }
  })
})
