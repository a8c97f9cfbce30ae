import assert from 'node:assert/strict'
import { ApiClient } from '../../harness/simulator/api-client.ts'
import { systemClock } from '../../src/clock.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { isTrace, parseTrace, TraceReplay } from '../../src/simulator/trace-replay.ts'

const head = {
  format: 'keyholder-trace-1',
  startedAt: '2026-11-20T12:00:00.000Z',
  account: { type: 'user', apiVersion: '12.0' },
  serial: 1_000_042,
  duration: 600_000,
}
const file = (...lines: object[]) => [head, ...lines].map((line) => JSON.stringify(line)).join('\n')
const good = { op: 'status', status: 200, ms: 0 }

describe('The replay of a trace', () => {
  const replayOf = (...lines: object[]) => {
    let now = 0
    const replay = new TraceReplay(parseTrace(file(...lines)), { ...systemClock, monotonic: () => now }, 1)
    /** Asks for the status after some milliseconds. */
    return (ms: number) => {
      now += ms
      return replay.answer('status')
    }
  }

  it('gives each answer from its time on, beginning with the first request', () => {
    const ask = replayOf(
      { ...good, at: 100, change: ['=', { a: 1, b: [1, 2] }] },
      { ...good, at: 5000, change: ['{', { b: ['[', [1, -1, ['+', 3]]] }, ['a']] },
    )
    assert.deepEqual(ask(60_000)?.body, { a: 1, b: [1, 2] })
    assert.deepEqual(ask(4999)?.body, { a: 1, b: [1, 2] })
    assert.deepEqual(ask(1)?.body, { b: [1, 3] })
  })

  it('gives a refusal to the requests of its time, as often as it was given, and once if there was none', () => {
    const refusal = { op: 'status', status: 440, ms: 0, change: ['=', { error: 440 }] }
    const ask = replayOf(
      { ...good, at: 0, change: ['=', {}] },
      { ...refusal, at: 1000, times: 2, until: 3000 },
      { ...refusal, at: 50_000 },
      { ...good, at: 50_100 },
    )
    const statusAt = (ms: number) => ask(ms)?.status
    assert.equal(statusAt(0), 200)
    assert.deepEqual([statusAt(1000), statusAt(1000), statusAt(500)], [440, 440, 200])
    assert.deepEqual([statusAt(60_000), statusAt(0)], [440, 200])
  })

  it('serves status, times, Retry-After and the clock of the service, and the simulated panel for what is not in it', async () => {
    const trace = parseTrace(
      file(
        { op: 'version', at: 0, status: 200, ms: 0, change: ['=', { rest_versions: ['12.0', '13.0'] }] },
        { op: 'status', at: 0, status: 503, ms: 0, body: 'page', retryAfter: 30_000, clockAhead: 3600 },
        { op: 'status', at: 0, error: 'NETWORK', ms: 10 },
        { ...good, at: 0, ms: 40, change: ['=', { connected: true }] },
      ),
    )
    const simulator = await startSimulator({ trace })
    try {
      const client = new ApiClient(simulator, '12.0')
      assert.deepEqual(simulator.serials, ['1000042'])
      const versions = await client.request('GET', '/rest_api/version')
      assert.deepEqual(versions.body, { rest_versions: ['12.0', '13.0'] })
      await client.signIn()
      await client.logIn('1000042')
      const { status, headers } = await client.get('status')
      assert.deepEqual([status, headers.get('retry-after')], [503, '30'])
      const timeOf = (answer: { headers: Headers }) => Date.parse(answer.headers.get('date') ?? '')
      assert.ok(timeOf({ headers }) - timeOf(versions) >= 3_599_000)
      await assert.rejects(client.get('status'))
      assert.deepEqual((await client.get('status')).body, { connected: true })
      assert.equal((await client.get('panels')).status, 200)
      assert.equal((await client.get('troubles')).status, 404)
    } finally {
      await simulator.close()
    }
  })

  it('is refused with a sentence if the file is not a trace', () => {
    assert.equal(isTrace(file()), true)
    assert.equal(isTrace('{"format":"keyholder-diagnostics-1"}'), false)
    for (const [text, says] of [
      [JSON.stringify({ ...head, serial: null }), /no serial number/],
      [`${file()}\n{`, /line 2 is not JSON/],
      [file({ status: 200 }), /no operation or time/],
      [file({ ...good, at: 0, change: ['{', {}, []] }), /change does not fit/],
    ] as const)
      assert.throws(() => parseTrace(text), says)
  })
})
