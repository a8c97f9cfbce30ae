import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { answerOverConnections } from '../../harness/clock/memory-exchange.ts'
import { ServiceAudit } from '../../harness/week/service-audit.ts'
import { type Attempt, HttpClient } from '../../src/account/http/http-client.ts'
import { largeBody, reset } from '../../src/simulator/faults/network-faults.ts'

describe('A connection in memory', () => {
  let at: AccountHarness
  let sockets = 0
  const count = () => {
    sockets += 1
  }

  beforeEach(async () => {
    at = await startAccountHarness()
    answerOverConnections(at.simulator)
    sockets = 0
    subscribe('net.client.socket', count)
  })
  afterEach(async () => {
    unsubscribe('net.client.socket', count)
    await at.close()
  })

  const request = (rest: Partial<Attempt> = {}) =>
    new HttpClient({ timeout: 10, caFile: '' }, at.clock).fetch({
      method: 'GET',
      url: `${at.simulator.url}/rest_api/version`,
      headers: {},
      signal: new AbortController().signal,
      ...rest,
    })

  it('carries requests to a simulator of this process one after another, without a socket', async () => {
    for (const nth of [1, 2, 3]) {
      const { status, body } = await request()
      assert.deepEqual([status, at.simulator.requests.length], [200, nth])
      assert.match(body, /rest_versions/)
    }
    assert.equal(sockets, 0)
  })

  it('tells before the first byte that a request is being sent', async () => {
    const seen: number[] = []
    for (const _ of [1, 2]) await request({ onSend: () => seen.push(at.simulator.requests.length) })
    assert.deepEqual(seen, [0, 1])
  })

  it('is withheld while the simulator does not answer, until the request times out', async () => {
    at.simulator.hang('version')
    const failure = assert.rejects(request(), { code: 'TIMEOUT' })
    await at.time.pass(9000)
    assert.equal(at.simulator.withheldPorts.length, 1)
    await at.waitFor(failure)
    await at.time.settle()
    assert.deepEqual([at.clock.monotonic(), at.simulator.withheldPorts], [10_000, []])
  })

  it('fails with a reset as a socket does, and the next request gets a new one', async () => {
    const end = at.simulator.faults.start(reset())
    await assert.rejects(request(), { code: 'NETWORK', message: /ECONNRESET/ })
    end()
    assert.equal((await request()).status, 200)
    assert.equal(sockets, 0)
  })

  it('ends at the simulator when the client ends it, even in the middle of a large answer', async () => {
    at.simulator.hang('version')
    const controller = new AbortController()
    const failure = assert.rejects(request({ signal: controller.signal }), { code: 'CLOSED' })
    await at.time.settle()
    controller.abort()
    await failure
    at.simulator.faults.start(largeBody(64 * 1024 * 1024))
    await assert.rejects(request(), { code: 'RESPONSE_TOO_LARGE' })
    await at.time.settle()
    assert.deepEqual([at.simulator.withheldPorts, at.simulator.defects], [[], []])
  })

  it('ends with the simulator, and after that the port refuses connections', async () => {
    at.simulator.hang('version')
    const failure = assert.rejects(request(), { code: 'NETWORK' })
    await at.time.settle()
    await at.simulator.close()
    await failure
    assert.equal(sockets, 0)
    await assert.rejects(request(), { code: 'NETWORK', message: /ECONNREFUSED/ })
    assert.equal(sockets, 1)
  })

  it('needs no socket either after the simulator was closed for a while', async () => {
    const audit = new ServiceAudit(at.simulator, at.clock)
    audit.begin()
    await request()
    const open = await audit.shut()
    await assert.rejects(request(), { code: 'NETWORK', message: /ECONNREFUSED/ })
    await open()
    sockets = 0
    assert.deepEqual([(await request()).status, audit.attempts, sockets], [200, 2, 0])
    audit.end()
  })
})
