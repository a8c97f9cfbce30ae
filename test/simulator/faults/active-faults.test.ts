import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { receive } from '../../../harness/simulator/raw-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { drip, hang, largeBody, latency } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'

/** Creates a fault that adds its name to each response. */
function mark(name: string): Fault {
  return {
    name,
    answer: (getOriginal) => {
      const { body, ...said } = getOriginal()
      return { ...said, body: { marks: [...((body as { marks?: string[] }).marks ?? []), name] } }
    },
  }
}

describe('the faults of the simulator', () => {
  const at = useSimulatorHarness(signedIn)

  const asked = async (operation: string) => (await at.caller.get(operation)).status

  it('apply only to requests for their operation', async () => {
    at.simulator.faults.start(status(500), { operation: 'status' })
    assert.equal(await asked('status'), 500)
    assert.equal(await asked('devices'), 200)
  })

  it('apply without an operation to every request, even for the version and unknown paths', async () => {
    at.simulator.faults.start(status(500))
    assert.equal(await asked('status'), 500)
    assert.equal((await at.caller.signIn()).status, 500)
    assert.equal((await at.caller.request('GET', '/rest_api/version')).status, 500)
    assert.equal((await at.caller.request('GET', '/elsewhere')).status, 500)
  })

  it('apply to the requested number of requests, then the original responses return', async () => {
    at.simulator.faults.start(status(500), { operation: 'status', times: 2 })
    const statuses = [
      await asked('devices'),
      await asked('status'),
      await asked('status'),
      await asked('status'),
    ]
    assert.deepEqual(statuses, [200, 500, 500, 200])
  })

  it('end one by one with the function that starting them returned, even if called twice', async () => {
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

  it('change the response in turn, scripted responses first, then in the order of their start', async () => {
    at.simulator.faults.start(mark('first'))
    at.simulator.faults.start(mark('second'), { operation: 'status' })
    at.simulator.respondOnce('status', { status: 200, body: { marks: ['scripted'] } })
    assert.deepEqual((await at.caller.get('status')).body.marks, ['scripted', 'first', 'second'])
    assert.deepEqual((await at.caller.get('status')).body.marks, ['first', 'second'])
  })

  it('send the response with the fault started last that has its own way of sending', async () => {
    at.simulator.faults.start(hang())
    at.simulator.faults.start(latency(1000))
    at.simulator.faults.start(status(500))
    const { ended } = receive(at.simulator, '/rest_api/version')
    await until(() => at.clock.pending === 1)
    at.clock.advance(1000)
    assert.equal((await ended).status, 500)
  })

  it('keep scripted responses when they end, and stay active when these are removed', async () => {
    at.simulator.respondOnce('status', { status: 418 })
    at.simulator.faults.start(status(500), { operation: 'devices' })
    at.simulator.faults.clear('status')
    assert.equal(await asked('status'), 418)
    at.simulator.restore()
    assert.equal(await asked('devices'), 500)
  })

  it('close the connections that they still hold when they end', async () => {
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

  it('cancel their timers when the client disconnects', async () => {
    at.simulator.faults.start(latency(1000))
    const { leave, ended } = receive(at.simulator, '/rest_api/version')
    await until(() => at.clock.pending === 1)
    leave()
    await ended
    await until(() => at.clock.pending === 0)
  })

  it('skip the request if they refuse it, and execute it if only the response is lost', async () => {
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
