import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { beginLabTime, endLabTime, labSimulators, labTime } from './clock/process-fake-clock.ts'
import { type Part, type PartSetup, part } from './flow/flow-part.ts'
import { Flow } from './flow/running-flow.ts'

/** A flow that runs against a simulator of its own. */
export interface Running {
  simulator: Simulator
  /** The simulator's first panel, with the partitions House 1, Workshop 2 and Garage 3, as the service calls it Home. */
  home: Simulator['world']['panels'][number]
  part: Part
  flow: Flow
}

const addresses = new Set<string>()

/** Starts simulators and flows for a test, and ends them with it. */
export class Lab {
  readonly #simulators: Simulator[] = []
  #flow: Flow | undefined

  /** A simulator in which nothing happens by itself. */
  async simulator(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await startSimulator({ scenario: 'calm', ...options })
    this.#simulators.push(simulator)
    labSimulators.add(simulator)
    // Node-RED keeps the sign-in to an address for a while: another simulator there would see an old token first.
    const isNew = !addresses.has(simulator.url) || options.port !== undefined
    addresses.add(simulator.url)
    return isNew ? simulator : this.simulator(options)
  }

  /** A flow of these parts; one at a time. */
  async flow(parts: readonly Part[], options: Parameters<Flow['start']>[1] = {}): Promise<Flow> {
    const flow = new Flow()
    this.#flow = flow
    await flow.start(parts, options)
    return flow
  }

  /** A flow against a simulator, for the many tests that need no more. */
  async run(setup: PartSetup, options: SimulatorOptions = {}): Promise<Running> {
    const simulator = await this.simulator(options)
    const only = part(simulator, setup)
    const home = simulator.world.panel('A1B2C3')
    return { simulator, home, part: only, flow: await this.flow([only]) }
  }

  /** A flow against a simulator that was prepared before. */
  start(simulator: Simulator, setup: PartSetup): Promise<Flow> {
    return this.flow([part(simulator, setup)])
  }

  /** Stops the flow before the test is over. */
  async stop(): Promise<void> {
    const flow = this.#flow
    this.#flow = undefined
    await flow?.stop()
  }

  /** Ends everything. */
  async close(): Promise<void> {
    try {
      await this.stop()
    } finally {
      const simulators = this.#simulators.splice(0)
      await Promise.all(simulators.map((simulator) => simulator.close()))
      for (const simulator of simulators) labSimulators.delete(simulator)
    }
  }
}

/** A lab for the tests of a `describe`, closed after each; the time of the process is `labTime` meanwhile. */
export function useLab(): Lab {
  const lab = new Lab()
  before(beginLabTime)
  after(endLabTime)
  afterEach(() => lab.close())
  return lab
}

/** Waits until something is so that nobody tells of, such as a request that hangs. */
export async function until(isSo: () => boolean): Promise<void> {
  await labTime.until(isSo, () => `it never came to ${isSo}`)
}

/** How many requests went to an operation, by the end of its path. */
export function requestsTo(simulator: Simulator, operation: string): number {
  return simulator.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
}
