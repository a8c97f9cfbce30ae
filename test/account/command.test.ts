import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { until } from '../../harness/clock/until.ts'
import { requestsTo } from '../../harness/simulator.ts'
import type { Sent } from '../../src/account/account.ts'
import { type Operation, operations } from '../../src/service/operations.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { cutAfter, hang, reset } from '../../src/simulator/faults/network-faults.ts'
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

describe('a command', () => {
  let at: AccountHarness

  /** Its panel is open, so that nothing but the command is to be sent. */
  async function begin(settings: RawSettings = {}, options: SimulatorOptions = {}): Promise<void> {
    at = await startAccountHarness(options, settings)
    await at.account.openPanel(at.panel)
  }

  afterEach(() => at.close())

  const command = (signal = neverAborted()): Promise<Sent> =>
    at.account.sendCommand(operations.setState, { panel: at.panel, body, signal })

  /** How often the panel was armed, once all commands are through. */
  function armings(): number {
    at.clock.advance(10_000)
    const { events } = at.simulator.world.panel(at.panel.serial)
    return events.filter(({ type_id }) => type_id === armed).length
  }

  it('is answered with the token to ask for its progress with', async () => {
    await begin()
    const sent = await command()
    assert.ok('token' in sent)
    const asking = { panel: at.panel, token: sent.token, lane: 'urgent', maxAge: 0 } as const
    at.clock.advance(10_000)
    const { value } = await at.account.sendRead(operations.processStatus, {
      ...asking,
      signal: neverAborted(),
    })
    assert.deepEqual(
      value.map(({ token, status }) => [token, status]),
      [[sent.token, 'succeeded']],
    )
    assert.equal(armings(), 1)
  })

  it('is shared with nobody, however equal it is', async () => {
    await begin()
    const [one, other] = await Promise.all([command(), command()])
    assert.ok('token' in one && 'token' in other)
    assert.notEqual(one.token, other.token)
    assert.equal(requestsTo(at.simulator, 'set_state'), 2)
  })

  for (const kind of ['session', 'user'] as const) {
    it(`is sent once more after an expiry of the ${kind} token, which no service takes a command with`, async () => {
      await begin()
      at.simulator.faults.start(tokenRevoked(kind), { operation: 'set_state', times: 1 })
      assert.ok('token' in (await command()))
      assert.equal(requestsTo(at.simulator, 'set_state'), 2)
      assert.equal(armings(), 1)
    })
  }

  it('is sent once more at the address that the service has moved to', async () => {
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
    ['the answer is cut off', cutAfter(5), 'NETWORK'],
    ['the answer is empty', emptyBody(), 'BAD_RESPONSE'],
    ['the answer is no JSON', invalidJson(), 'BAD_RESPONSE'],
    ['a web page comes instead of the answer', htmlPage(), 'BAD_RESPONSE'],
    ['the service fails', status(500), 'SERVER_ERROR'],
    ['a gateway fails', status(503), 'SERVER_ERROR'],
  ]
  for (const [what, fault, code] of lost) {
    // @spec state-request
    it(`is in doubt and never sent again where ${what}`, async () => {
      await begin()
      at.simulator.faults.start(fault, { operation: 'set_state' })
      const sent = await at.waitFor(command())
      assert.ok('doubt' in sent)
      assert.equal(sent.doubt.code, code)
      assert.equal(requestsTo(at.simulator, 'set_state'), 1)
    })
  }

  const refused: [string, Fault, string][] = [
    ['a wrong field', status(400, { body: { error: 10001 } }), 'BAD_RESPONSE'],
    ['a missing right', status(403, { body: { error: 10010 } }), 'NOT_ALLOWED'],
    ['an operation that is not there', status(404), 'NOT_FOUND'],
    ['too many requests', status(429), 'RATE_LIMITED'],
    ['a redirect', redirect('https://elsewhere.example'), 'BAD_RESPONSE'],
  ]
  for (const [what, fault, code] of refused) {
    it(`was certainly not taken where the service refuses it for ${what}`, async () => {
      await begin()
      at.simulator.faults.start(fault, { operation: 'set_state' })
      await assert.rejects(command(), { code })
      assert.equal(requestsTo(at.simulator, 'set_state'), 1)
      assert.equal(armings(), 0)
    })
  }

  it('was certainly not taken where nobody answers at the address', async () => {
    await begin()
    await at.simulator.close()
    await assert.rejects(command(), { code: 'NETWORK' })
  })

  it('was certainly not taken where the service has asked for a pause, of a 503 too', async () => {
    await begin()
    at.simulator.faults.start(status(503, { retryAfter: '60' }), { operation: 'status', times: 1 })
    const asking = { lane: 'urgent', maxAge: 0, signal: neverAborted(), panel: at.panel } as const
    await assert.rejects(at.account.sendRead(operations.status, asking), { status: 503 })
    await assert.rejects(command(), { code: 'SERVER_ERROR', status: 503 })
    assert.equal(requestsTo(at.simulator, 'set_state'), 0)
  })

  it('was certainly not taken where the sign-in before it fails', async () => {
    at = await startAccountHarness()
    at.simulator.faults.start(status(500), { operation: 'auth' })
    await assert.rejects(command(), { code: 'SERVER_ERROR', status: 500 })
    assert.equal(requestsTo(at.simulator, 'set_state'), 0)
  })

  it('is taken back as long as it stands in line', async () => {
    await begin()
    const recall = new AbortController()
    for (const operation of ['devices', 'status', 'alarms']) at.simulator.hang(operation)
    const asking = { lane: 'urgent', maxAge: 0, signal: neverAborted(), panel: at.panel } as const
    const { devices, status, alarms } = operations
    const before = [devices, status, alarms].map((operation: Operation<unknown>) =>
      at.account.sendRead(operation, asking),
    )
    await until(() => requestsTo(at.simulator, 'alarms') === 1)
    const waiting = command(recall.signal)
    await until(() => at.account.budget.waiting === 1)
    recall.abort()
    await assert.rejects(waiting, { code: 'CLOSED' })
    const codes = (await at.waitFor(Promise.allSettled(before))).map(
      (one) => one.status === 'rejected' && one.reason.code,
    )
    assert.deepEqual(codes, ['TIMEOUT', 'TIMEOUT', 'TIMEOUT'])
    await assert.rejects(command(recall.signal), { code: 'CLOSED' })
    assert.equal(requestsTo(at.simulator, 'set_state'), 0)
  })

  it('is not cut off on its way', async () => {
    await begin()
    const recall = new AbortController()
    const leaves: Fault = {
      name: 'recall',
      answer: (getOriginal) => {
        recall.abort()
        return getOriginal()
      },
    }
    at.simulator.faults.start(leaves, { operation: 'set_state' })
    assert.ok('token' in (await command(recall.signal)))
  })
})
