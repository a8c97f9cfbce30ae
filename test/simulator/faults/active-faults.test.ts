import assert from 'node:assert/strict'
import type { Fault } from '../../../src/simulator/faults/fault.ts'
import { drip, hang, largeBody, latency } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'
import { useDrivenSimulator } from '../../support/driven-simulator.ts'
import { until } from '../../support/until.ts'
import { signedIn } from '../caller.ts'
import { receive } from '../raw-client.ts'

/** Notes in each answer that it was there. */
function mark(name: string): Fault {
  return {
    name,
    answer: (getOriginal) => {
      const { body, ...said } = getOriginal()
      return { ...said, body: { marks: [...((body as { marks?: string[] }).marks ?? []), name] } }
    },
  }
}

describe('faults of a simulator', () => {
  const at = useDrivenSimulator(signedIn)

  const asked = async (operation: string) => (await at.caller.get(operation)).status

  it('meet the requests to their operation alone', async () => {
    at.simulator.faults.start(status(500), { operation: 'status' })
    assert.equal(await asked('status'), 500)
    assert.equal(await asked('devices'), 200)
  })

  it('meet every request without an operation, also the version and what is beside the service', async () => {
    at.simulator.faults.start(status(500))
    assert.equal(await asked('status'), 500)
    assert.equal((await at.caller.signIn()).status, 500)
    assert.equal((await at.caller.request('GET', '/rest_api/version')).status, 500)
    assert.equal((await at.caller.request('GET', '/elsewhere')).status, 500)
  })

  it('meet as many requests as told, then the truth comes again', async () => {
    at.simulator.faults.start(status(500), { operation: 'status', times: 2 })
    const statuses = [
      await asked('devices'),
      await asked('status'),
      await asked('status'),
      await asked('status'),
    ]
    assert.deepEqual(statuses, [200, 500, 500, 200])
  })

  it('end one by one by what starting them answered, again without harm', async () => {
    const end = at.simulator.faults.start(status(500))
    at.simulator.faults.start(status(404), { operation: 'devices' })
    end()
    end()
    assert.equal(await asked('status'), 200)
    assert.equal(await asked('devices'), 404)
  })

  it('end all at once, or those of one operation', async () => {
    at.simulator.faults.start(status(500), { operation: 'status' })
    at.simulator.faults.start(status(404), { operation: 'devices' })
    at.simulator.faults.clear('status')
    assert.equal(await asked('status'), 200)
    assert.equal(await asked('devices'), 404)
    at.simulator.faults.clear()
    assert.equal(await asked('devices'), 200)
  })

  it('make their answers out of one another, what was laid down first, then in the order of their start', async () => {
    at.simulator.faults.start(mark('first'))
    at.simulator.faults.start(mark('second'), { operation: 'status' })
    at.simulator.respondOnce('status', { status: 200, body: { marks: ['laid down'] } })
    assert.deepEqual((await at.caller.get('status')).body.marks, ['laid down', 'first', 'second'])
    assert.deepEqual((await at.caller.get('status')).body.marks, ['first', 'second'])
  })

  it('send in the way of the last one started that has one', async () => {
    at.simulator.faults.start(hang())
    at.simulator.faults.start(latency(1000))
    at.simulator.faults.start(status(500))
    const { ended } = receive(at.simulator, '/rest_api/version')
    await until(() => at.clock.pending === 1)
    at.clock.advance(1000)
    assert.equal((await ended).status, 500)
  })

  it('leave laid-down answers in place when they end, and stay when these are forgotten', async () => {
    at.simulator.respondOnce('status', { status: 418 })
    at.simulator.faults.start(status(500), { operation: 'devices' })
    at.simulator.faults.clear('status')
    assert.equal(await asked('status'), 418)
    at.simulator.restore()
    assert.equal(await asked('devices'), 500)
  })

  it('cut the connections that they still hold when they end, used up or not', async () => {
    const endHang = at.simulator.faults.start(hang(), { operation: 'version', times: 1 })
    const hanging = receive(at.simulator, '/rest_api/version')
    await until(() => at.simulator.requests.at(-1)?.path === '/rest_api/version')
    at.simulator.faults.start(latency(1000), { operation: 'version', times: 1 })
    const late = receive(at.simulator, '/rest_api/version')
    await until(() => at.clock.pending === 1)
    endHang()
    assert.equal((await hanging.ended).end, 'ECONNRESET')
    assert.equal(late.received.end, 'open')
    at.simulator.faults.clear()
    assert.equal((await late.ended).end, 'ECONNRESET')
    assert.equal(at.clock.pending, 0)
  })

  it('end with the simulator', async () => {
    const clients: ReturnType<typeof receive>[] = []
    for (const fault of [hang(), latency(1000), drip(1000), largeBody(260_000_000)]) {
      at.simulator.faults.start(fault, { operation: 'version', times: 1 })
      const before = at.simulator.requests.length
      clients.push(receive(at.simulator, '/rest_api/version'))
      await until(() => at.simulator.requests.length > before)
    }
    await at.simulator.close()
    for (const { ended } of clients) assert.notEqual((await ended).end, 'complete')
    assert.equal(at.clock.pending, 0)
  })

  it('forget a client that goes away', async () => {
    at.simulator.faults.start(latency(1000))
    const { leave, ended } = receive(at.simulator, '/rest_api/version')
    await until(() => at.clock.pending === 1)
    leave()
    await ended
    await until(() => at.clock.pending === 0)
  })

  it('do not what was asked for where they refuse, and do it where only the answer is lost', async () => {
    const signIns = at.simulator.accounts.signIns
    for (const fault of [status(500), hang()]) {
      const end = at.simulator.faults.start(fault)
      const before = at.simulator.requests.length
      const reply = at.caller.signIn().catch(() => undefined)
      await until(() => at.simulator.requests.length > before)
      end()
      await reply
    }
    assert.equal(at.simulator.accounts.signIns, signIns)
    at.simulator.faults.start(latency(1000))
    const reply = at.caller.signIn()
    await until(() => at.clock.pending === 1)
    assert.equal(at.simulator.accounts.signIns, signIns + 1)
    at.clock.advance(1000)
    await reply
  })
})
