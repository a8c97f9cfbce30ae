import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { receive } from '../../../harness/simulator/raw-client.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('the fault catalogue', () => {
  let clock: FakeClock
  let simulator: Simulator

  before(async () => {
    clock = new FakeClock()
    simulator = await startSimulator({ clock })
  })

  after(async () => {
    await simulator.close()
    assert.equal(clock.pending, 0)
  })

  it('gives each fault a unique name', () => {
    const names = faultCatalogue.map((make) => make().name)
    assert.deepEqual([...new Set(names)], names)
  })

  for (const make of faultCatalogue) {
    it(`survives "${make().name}" with waiting and disconnecting clients`, async () => {
      const caller = await signedIn(simulator)
      const original = (await caller.get('events')).body
      const ask = (operation: string) => receive(simulator, `/rest_api/14.0/${operation}`, caller)
      simulator.faults.start(make())
      const asked = simulator.requests.length
      const clients = ['status', 'events', 'no-such-operation'].flatMap((operation) => [
        ask(operation),
        ask(operation),
      ])
      await until(() => simulator.requests.length === asked + clients.length)
      for (const { leave } of clients.slice(0, 3)) leave()
      clock.advance(1000)
      simulator.faults.clear()
      await Promise.all(clients.map(({ ended }) => ended))
      assert.equal(clock.pending, 0)
      await caller.signIn()
      await caller.logIn()
      assert.deepEqual((await caller.get('events')).body, original)
      assert.deepEqual(simulator.defects, [])
    })
  }
})
