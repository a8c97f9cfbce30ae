import assert from 'node:assert/strict'
import { type Clock, systemClock } from '../src/clock.ts'
import { second } from '../src/duration.ts'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import { FakeClock } from './clock/fake-clock.ts'
import { showInVain } from './clock/in-vain.ts'

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

/** The number of requests that a wait in vain shows. */
const shown = 6

/** Shows the latest requests when a wait ends in vain, until the function that it returns is called. */
export function showRequests(
  { requests }: Pick<Simulator, 'requests'>,
  clock: Clock = systemClock,
): () => void {
  return showInVain(() => {
    const latest = requests.slice(-shown).map(({ at, method, path, status }) => {
      const ago = ((clock.monotonic() - at) / second).toFixed(1)
      return `  ${ago} s ago: ${method} ${path} ${status || 'without an answer'}`
    })
    return [`Latest of ${requests.length} requests:`, ...latest]
  })
}
