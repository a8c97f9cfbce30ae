import assert from 'node:assert/strict'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { neverAborted } from '../account.ts'
import { setState } from '../panel/commanded-panel.ts'
import type { RedisServer } from '../redis-server.ts'
import { CommandedInstances } from './commanded-instances.ts'

/**
 * Adds a test that gives the same arming to two instances at the same time.
 * @param panels the number of panels that this happens to at the same time, and how often
 */
export function testCopiedCommands(server: RedisServer, panels: number, rounds: number): void {
  it(`send an arming that both got once, in ${panels * rounds} of ${panels * rounds}`, async () => {
    const simulator = await startSimulator({ panels, speed: 10, maxLoggedRequests: 1_000_000 })
    const instances = new CommandedInstances(server, simulator)
    try {
      const [one, other] = [await instances.add('one'), await instances.add('other')]
      for (let round = 1; round <= rounds; round += 1) {
        const before = armings()
        for (const serial of simulator.serials) simulator.world.panel(serial).disarm(-1)
        const replies = simulator.serials.map(async (_serial, index) => {
          const both = [one[index] ?? assert.fail(), other[index] ?? assert.fail()]
          if (Math.random() < 0.5) both.reverse()
          const given = both.map((panel) =>
            panel.commands.execute(setState('AWAY', -1), neverAborted(), 'node'),
          )
          const [first, second] = await Promise.all(given)
          assert.deepEqual(first?.view, second?.view)
          assert.deepEqual([first?.view.already, first?.fetchedAt], [false, second?.fetchedAt])
        })
        await Promise.all(replies)
        assert.equal(armings() - before, panels)
      }
    } finally {
      await instances.close()
      await simulator.close()
    }

    function armings(): number {
      return simulator.requests.filter(({ path }) => path.endsWith('/set_state')).length
    }
  }).timeout(600_000)
}
