import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { type ChainPartOptions, chainPart } from '../../harness/flow/chain-part.ts'
import { type RunningFlow, userDir } from '../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import { minute } from '../../src/duration.ts'
import { status as answered } from '../../src/simulator/faults/response-faults.ts'

const shows = (flow: RunningFlow, text: string) =>
  flow.status('chain').next((status) => status.text.startsWith(text))

describe('The watcher of the node keyholder-chain-test', () => {
  const harness = useFlowHarness()
  const calls: string[] = []
  /** The status with which the watcher answers. */
  let status = 200
  let watcher: Server
  beforeEach(async () => {
    calls.length = 0
    status = 200
    watcher = createServer((request, response) => {
      calls.push(request.url ?? '')
      response.writeHead(status, status === 302 ? { Location: '/elsewhere' } : {}).end()
    })
    await new Promise<void>((resolve) => watcher.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    watcher.close()
    watcher.closeAllConnections()
  })

  const start = async (nodes: ChainPartOptions['nodes'] = {}) => {
    const simulator = await harness.startSimulator()
    const watcherUrl = `http://127.0.0.1:${(watcher.address() as AddressInfo).port}/secret`
    const part = chainPart(simulator, { watcherUrl, fields: { watcherMinutes: 1 }, nodes })
    const flow = await harness.startParts([part])
    await shows(flow, 'not tested yet')
    return { simulator, part, flow }
  }
  /** Returns the number of calls in some minutes, after those in which what is known gets too old. */
  const callsIn = async (minutes: number, before = 0) => {
    await processTime.pass(before * minute)
    const { length } = calls
    await processTime.pass(minutes * minute)
    return calls.length - length
  }

  it('is called while the panel is polled; no redirect is followed, and a watcher out of reach is told', async () => {
    const { flow, simulator } = await start()
    await processTime.pass(3.5 * minute)
    assert.deepEqual(calls, ['/secret', '/secret', '/secret'])
    status = 302
    await processTime.pass(2.5 * minute)
    await shows(flow, 'watcher unreachable')
    assert.ok(calls.every((path) => path === '/secret'))
    assert.ok(!JSON.stringify(flow.logged).includes('secret'))
    status = 204
    await shows(flow, 'not tested yet')
    simulator.faults.start(answered(500), { operation: 'status' })
    assert.equal(await callsIn(5, 3), 0)
  })

  for (const operation of ['events', 'alarms'] as const)
    it(`is not called while the ${operation} cannot be read, although all else works`, async () => {
      const { simulator } = await start({ incident: { type: 'keyholder-incident' } })
      assert.ok((await callsIn(5)) >= 4)
      simulator.faults.start(answered(500), { operation })
      assert.equal(await callsIn(10, 5), 0)
      simulator.faults.clear()
      assert.ok((await callsIn(5, 3)) >= 4)
    })

  it('is called while only the readings cannot be read, which the health tells', async () => {
    const { simulator, flow } = await start({
      readings: { type: 'keyholder-readings' },
      health: { type: 'keyholder-health' },
    })
    simulator.faults.start(answered(500), { operation: 'devices' })
    assert.ok((await callsIn(10, 5)) >= 9)
    flow.output('health').skip()
    flow.input('health')
    assert.equal((await flow.output('health').next()).payload.status, 'degraded')
  })

  it('is called although no node listens to the events, whose failure then deafens nobody', async () => {
    const simulator = await harness.startSimulator()
    const watcherUrl = `http://127.0.0.1:${(watcher.address() as AddressInfo).port}/`
    const part = chainPart(simulator, { watcherUrl, fields: { watcherMinutes: 1 } })
    const alone = { ...part, nodes: part.nodes.filter(({ type }) => type !== 'keyholder-conditions') }
    simulator.faults.start(answered(500), { operation: 'events' })
    await harness.startParts([alone])
    assert.ok((await callsIn(5, 5)) >= 4)
  })

  it('is not called while the positions of the nodes cannot be written', async () => {
    const { simulator, part } = await start({ events: { type: 'keyholder-events' } })
    await processTime.pass(2 * minute)
    const inTheWay = join(userDir, 'keyholder', `events-${part.panel}.json.new`)
    rmSync(inTheWay, { force: true })
    mkdirSync(inTheWay)
    simulator.world.panels[0]?.addEvents(1)
    assert.equal(await callsIn(5, 2), 0)
    rmSync(inTheWay, { recursive: true })
    simulator.world.panels[0]?.addEvents(1)
    assert.ok((await callsIn(5, 2)) >= 4)
  })

  it('is not called after a test that nobody has answered, until one is; the error and the red status name the ways', async () => {
    const { flow, part } = await start()
    flow.input('chain', { payload: 'test' })
    await processTime.pass(3 * minute)
    const told = flow.caught.all.filter(({ error }) => /Nobody has answered/.test(error.message))
    assert.deepEqual(
      told.map(({ error }) => error.code),
      ['TIMEOUT'],
    )
    assert.match(
      told[0]?.error.message,
      /neither by the first way \(phone\) nor by the second way \(phone, SMS\): an alarm would not reach you/,
    )
    const { fill, shape, text } = flow.status('chain').all.at(-1) ?? {}
    assert.deepEqual([fill, shape, text], ['red', 'ring', 'not answered: phone, SMS'])
    assert.equal(await callsIn(10), 0)
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await shows(again, 'not answered')
    assert.equal(await callsIn(58), 0)
    assert.deepEqual(again.caught.all, [], 'it is told once')
    again.input('chain', { payload: 'test' })
    const { payload } = await again.output('chain').next()
    assert.equal(await callsIn(0.5), 0)
    again.input('chain', { payload: { answer: payload.answer } })
    assert.ok((await callsIn(5)) >= 4)
  })

  it('accepts only an address of the watcher that keeps its secret', async () => {
    for (const watcherUrl of ['http://watcher.example.com/x', 'ping', 'ftp://127.0.0.1/']) {
      const simulator = await harness.startSimulator()
      const flow = await harness.startParts([chainPart(simulator, { watcherUrl })])
      await until(() => flow.errors.length > 0)
      assert.match(String(flow.errors[0]), /Watcher address: enter an address that begins with https:/)
      await harness.close()
    }
  })
})
