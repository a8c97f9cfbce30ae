import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import { FakeClock } from './clock/fake-clock.ts'

/** What the tests of a `describe` have, each anew. */
export interface DrivenSimulator<C> {
  clock: FakeClock
  simulator: Simulator
  /** The simulator's first panel. */
  panel: Simulator['world']['panels'][number]
  /** Whoever calls the simulator. */
  caller: C
}

/**
 * A simulator on a fake clock, and somebody who calls it. After each test it has met no defect, and leaves no timer
 * behind.
 */
export function useDrivenSimulator<C>(calling: (simulator: Simulator) => C | Promise<C>): DrivenSimulator<C> {
  const at = {} as DrivenSimulator<C>

  beforeEach(async () => {
    at.clock = new FakeClock()
    at.simulator = await startSimulator({ clock: at.clock })
    at.panel = at.simulator.world.panel('A1B2C3')
    at.caller = await calling(at.simulator)
  })

  afterEach(async () => {
    assert.deepEqual(at.simulator.defects, [])
    await at.simulator.close()
    assert.equal(at.clock.pending, 0)
  })

  return at
}
