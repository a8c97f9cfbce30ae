import assert from 'node:assert/strict'
import { status } from '../../src/simulator/faults/answers.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { drip, hang, largeBody, latency } from '../../src/simulator/faults/wire.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import { DrivenClock } from '../support/driven-clock.ts'
import { until } from '../support/lab.ts'
import { type Caller, signedIn } from './caller.ts'
import { receive } from './raw-client.ts'

/** Notes in each answer that it was there. */
function mark(name: string): Fault {
  return {
    name,
    answer: (truth) => {
      const { body, ...said } = truth()
      return { ...said, body: { marks: [...((body as { marks?: string[] }).marks ?? []), name] } }
    },
  }
}

describe('faults of a simulator', () => {
  let clock: DrivenClock
  let simulator: Simulator
  let caller: Caller

  beforeEach(async () => {
    clock = new DrivenClock()
    simulator = await startSimulator({ clock })
    caller = await signedIn(simulator)
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
    assert.equal(clock.pending, 0)
  })

  const asked = async (operation: string) => (await caller.get(operation)).status

  it('meet the requests to their operation alone', async () => {
    simulator.faults.start(status(500), { operation: 'status' })
    assert.equal(await asked('status'), 500)
    assert.equal(await asked('devices'), 200)
  })

  it('meet every request without an operation, also the version and what is beside the service', async () => {
    simulator.faults.start(status(500))
    assert.equal(await asked('status'), 500)
    assert.equal((await caller.signIn()).status, 500)
    assert.equal((await caller.request('GET', '/rest_api/version')).status, 500)
    assert.equal((await caller.request('GET', '/elsewhere')).status, 500)
  })

  it('meet as many requests as told, then the truth comes again', async () => {
    simulator.faults.start(status(500), { operation: 'status', times: 2 })
    const statuses = [
      await asked('devices'),
      await asked('status'),
      await asked('status'),
      await asked('status'),
    ]
    assert.deepEqual(statuses, [200, 500, 500, 200])
  })

  it('end one by one by what starting them answered, again without harm', async () => {
    const end = simulator.faults.start(status(500))
    simulator.faults.start(status(404), { operation: 'devices' })
    end()
    end()
    assert.equal(await asked('status'), 200)
    assert.equal(await asked('devices'), 404)
  })

  it('end all at once, or those of one operation', async () => {
    simulator.faults.start(status(500), { operation: 'status' })
    simulator.faults.start(status(404), { operation: 'devices' })
    simulator.faults.clear('status')
    assert.equal(await asked('status'), 200)
    assert.equal(await asked('devices'), 404)
    simulator.faults.clear()
    assert.equal(await asked('devices'), 200)
  })

  it('make their answers out of one another, what was laid down first, then in the order of their start', async () => {
    simulator.faults.start(mark('first'))
    simulator.faults.start(mark('second'), { operation: 'status' })
    simulator.answerNext('status', { status: 200, body: { marks: ['laid down'] } })
    assert.deepEqual((await caller.get('status')).body.marks, ['laid down', 'first', 'second'])
    assert.deepEqual((await caller.get('status')).body.marks, ['first', 'second'])
  })

  it('send in the way of the last one started that has one', async () => {
    simulator.faults.start(hang())
    simulator.faults.start(latency(1000))
    simulator.faults.start(status(500))
    const { ended } = receive(simulator, '/rest_api/version')
    await until(() => clock.pending === 1)
    clock.advance(1000)
    assert.equal((await ended).status, 500)
  })

  it('leave laid-down answers in place when they end, and stay when these are forgotten', async () => {
    simulator.answerNext('status', { status: 418 })
    simulator.faults.start(status(500), { operation: 'devices' })
    simulator.faults.clear('status')
    assert.equal(await asked('status'), 418)
    simulator.answerTruthfully()
    assert.equal(await asked('devices'), 500)
  })

  it('cut the connections that they still hold when they end, used up or not', async () => {
    const endHang = simulator.faults.start(hang(), { operation: 'version', times: 1 })
    const hanging = receive(simulator, '/rest_api/version')
    await until(() => simulator.requests.at(-1)?.path === '/rest_api/version')
    simulator.faults.start(latency(1000), { operation: 'version', times: 1 })
    const late = receive(simulator, '/rest_api/version')
    await until(() => clock.pending === 1)
    endHang()
    assert.equal((await hanging.ended).end, 'ECONNRESET')
    assert.equal(late.received.end, 'open')
    simulator.faults.clear()
    assert.equal((await late.ended).end, 'ECONNRESET')
    assert.equal(clock.pending, 0)
  })

  it('end with the simulator', async () => {
    const clients: ReturnType<typeof receive>[] = []
    for (const fault of [hang(), latency(1000), drip(1000), largeBody(260_000_000)]) {
      simulator.faults.start(fault, { operation: 'version', times: 1 })
      const before = simulator.requests.length
      clients.push(receive(simulator, '/rest_api/version'))
      await until(() => simulator.requests.length > before)
    }
    await simulator.close()
    for (const { ended } of clients) assert.notEqual((await ended).end, 'complete')
    assert.equal(clock.pending, 0)
  })

  it('forget a client that goes away', async () => {
    simulator.faults.start(latency(1000))
    const { leave, ended } = receive(simulator, '/rest_api/version')
    await until(() => clock.pending === 1)
    leave()
    await ended
    await until(() => clock.pending === 0)
  })

  it('do not what was asked for where they refuse, and do it where only the answer is lost', async () => {
    const signIns = simulator.accounts.signIns
    for (const fault of [status(500), hang()]) {
      const end = simulator.faults.start(fault)
      const before = simulator.requests.length
      const reply = caller.signIn().catch(() => undefined)
      await until(() => simulator.requests.length > before)
      end()
      await reply
    }
    assert.equal(simulator.accounts.signIns, signIns)
    simulator.faults.start(latency(1000))
    const reply = caller.signIn()
    await until(() => clock.pending === 1)
    assert.equal(simulator.accounts.signIns, signIns + 1)
    clock.advance(1000)
    await reply
  })
})
