import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import { FakeClock } from './clock/fake-clock.ts'

/** The simulator of a test and its client. */
export interface SimulatorHarness<C> {
  clock: FakeClock
  simulator: Simulator
  /** The simulator's first panel. */
  panel: Simulator['world']['panels'][number]
  /** The client of the simulator. */
  caller: C
}

/**
 * Starts a simulator on a fake clock, and a client, before each test of a `describe`. After each test it fails if the
 * simulator had a defect or left a timer behind.
 * @param createClient is called with the new simulator
 */
export function useSimulatorHarness<C>(
  createClient: (simulator: Simulator) => C | Promise<C>,
): SimulatorHarness<C> {
  const at = {} as SimulatorHarness<C>

  beforeEach(async () => {
    at.clock = new FakeClock()
    at.simulator = await startSimulator({ clock: at.clock })
    at.panel = at.simulator.world.panel('A1B2C3')
    at.caller = await createClient(at.simulator)
  })

  afterEach(async () => {
    assert.deepEqual(at.simulator.defects, [])
    await at.simulator.close()
    assert.equal(at.clock.pending, 0)
  })

  return at
}

/** Returns the number of requests to an operation, given as the end of its path: `status` or `panel/login`. */
export function requestsTo({ requests }: Pick<Simulator, 'requests'>, operation: string): number {
  return requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
}
