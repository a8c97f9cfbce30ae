import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import { type RawReply, receive } from '../../../harness/simulator/raw-client.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import {
  bandwidth,
  cutAfter,
  drip,
  gzipBomb,
  hang,
  largeBody,
  latency,
  reset,
  wrongLength,
} from '../../../src/simulator/faults/network-faults.ts'
import { scriptedResponse } from '../../../src/simulator/faults/response-faults.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

const path = '/rest_api/version'

describe('a network fault', () => {
  let clock: FakeClock
  let simulator: Simulator
  let original: RawReply

  before(async () => {
    clock = new FakeClock()
    simulator = await startSimulator({ clock })
    original = await receive(simulator, path).ended
    assert.ok(original.body.length > 100)
  })

  afterEach(async () => {
    simulator.faults.clear()
    assert.equal(clock.pending, 0)
    assert.deepEqual((await receive(simulator, path).ended).body, original.body)
    assert.deepEqual(simulator.defects, [])
  })

  after(() => simulator.close())

  const ask = (fault: Fault) => {
    simulator.faults.start(fault)
    return receive(simulator, path)
  }

  it('delays the whole response by its latency', async () => {
    const { received, ended } = ask(latency(3000))
    await until(() => clock.pending === 1)
    clock.advance(2999)
    await receive(simulator, '/', {}).leave()
    assert.equal(received.status, 0)
    clock.advance(1)
    assert.deepEqual((await ended).body, original.body)
  })

  it('adds a different jitter to the latency of each response', async () => {
    simulator.faults.start(latency(100, 50))
    const times: number[] = []
    for (let count = 0; count < 20; count += 1) {
      const start = clock.monotonic()
      const { ended } = receive(simulator, path)
      await until(() => clock.pending === 1)
      while (clock.pending > 0) clock.advance(1)
      await ended
      times.push(clock.monotonic() - start)
    }
    assert.ok(Math.min(...times) >= 100 && Math.max(...times) <= 151, String(times))
    assert.ok(new Set(times).size > 5, String(times))
  })

  it('limits the bytes of the body per second', async () => {
    const { received, ended } = ask(bandwidth(50))
    await until(() => received.status === 200)
    clock.advance(1000)
    await until(() => received.body.length >= 50)
    clock.advance(99)
    await receive(simulator, '/elsewhere').leave()
    assert.equal(received.body.length, 50)
    assert.equal(received.end, 'open')
    clock.advance(60_000)
    assert.deepEqual((await ended).body, original.body)
  })

  it('sends the body byte by byte', async () => {
    const { received, ended } = ask(drip(100))
    await until(() => received.status === 200)
    for (const bytes of [1, 2, 3]) {
      clock.advance(100)
      await until(() => received.body.length >= bytes)
      assert.equal(received.body.length, bytes)
    }
    clock.advance(100 * original.body.length)
    assert.deepEqual((await ended).body, original.body)
  })

  for (const bytes of [0, 10]) {
    it(`closes the connection after ${bytes} bytes, although the header has the whole length`, async () => {
      const { status, headers, body, end } = await ask(cutAfter(bytes)).ended
      assert.equal(status, 200)
      assert.equal(headers['content-length'], String(original.body.length))
      assert.deepEqual(body, original.body.subarray(0, bytes))
      assert.equal(end, 'ECONNRESET')
    })
  }

  it('resets the connection without a response', async () => {
    const { status, end } = await ask(reset()).ended
    assert.deepEqual({ status, end }, { status: 0, end: 'ECONNRESET' })
  })

  it('hangs until the client disconnects', async () => {
    const { received, leave, ended } = ask(hang())
    await until(() => simulator.requests.at(-1)?.path === path)
    clock.advance(3_600_000)
    assert.equal(received.end, 'open')
    leave()
    await ended
  })

  it('announces more bytes than it sends and leaves the connection open', async () => {
    const { received, leave, ended } = ask(wrongLength(7))
    await until(() => received.body.length >= original.body.length)
    assert.equal(received.headers['content-length'], String(original.body.length + 7))
    assert.deepEqual(received.body, original.body)
    assert.equal(received.end, 'open')
    leave()
    await ended
  })

  it('withholds nothing of a response without a body, whatever length it announces', async () => {
    simulator.faults.start(scriptedResponse({ status: 304, body: 'none of this is sent' }))
    const { headers, body, end } = await ask(wrongLength(100)).ended
    assert.deepEqual([headers['content-length'], body.length, end], ['120', 0, 'complete'])
    assert.deepEqual(simulator.withheldPorts, [])
  })

  it('announces fewer bytes than it sends', async () => {
    const { headers, body } = await ask(wrongLength(-7)).ended
    assert.equal(headers['content-length'], String(original.body.length - 7))
    assert.deepEqual(body, original.body.subarray(0, -7))
  })

  it('pads the original response with spaces to a size', async () => {
    const { headers, body, end } = await ask(largeBody(1_000_001)).ended
    assert.equal(headers['content-length'], '1000001')
    assert.equal(body.length, 1_000_001)
    assert.deepEqual(JSON.parse(body.toString()), JSON.parse(original.body.toString()))
    assert.equal(end, 'complete')
  })

  it('sends the padded response compressed to a thousandth', async () => {
    const { headers, body, end } = await ask(gzipBomb(5_000_001)).ended
    assert.equal(headers['content-encoding'], 'gzip')
    assert.ok(body.length < 10_000, String(body.length))
    const unpacked = gunzipSync(body)
    assert.equal(unpacked.length, 5_000_001)
    assert.deepEqual(JSON.parse(unpacked.toString()), JSON.parse(original.body.toString()))
    assert.equal(end, 'complete')
  })

  it('stops sending a large body when the client disconnects', async () => {
    const { received, leave, ended } = ask(largeBody(260_000_000))
    await until(() => received.body.length > 0)
    leave()
    await ended
    assert.ok(received.body.length < 260_000_000)
  })

  for (const [what, fault, then] of [
    ['waits for the clock', latency(3000), () => clock.advance(3000)],
    ['comes byte by byte', drip(1000), () => clock.advance(1000 * original.body.length)],
    ['never comes', hang(), () => simulator.faults.clear()],
    ['lacks its end', wrongLength(1), () => simulator.faults.clear()],
  ] as const) {
    it(`counts a request as withheld only while its response ${what}`, async () => {
      const { ended } = ask(fault)
      await until(() => simulator.withheldPorts.length === 1)
      assert.ok(simulator.withheldPorts[0])
      then()
      await ended
      await until(() => simulator.withheldPorts.length === 0)
    })
  }

  it('does not count requests of disconnected clients or responses being sent', async () => {
    const { leave } = ask(hang())
    await until(() => simulator.withheldPorts.length === 1)
    leave()
    await until(() => simulator.withheldPorts.length === 0)
    const { received, ended } = ask(largeBody(8 * 1024 * 1024))
    await until(() => received.body.length > 0)
    assert.deepEqual(simulator.withheldPorts, [])
    await ended
  })
})
