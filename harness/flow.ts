import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import {
  installFakeClock,
  processTime,
  restoreSystemClock,
  runningSimulators,
} from './clock/process-fake-clock.ts'
import { createPart, type FlowPart, type FlowPartOptions } from './flow/flow-part.ts'
import { RunningFlow } from './flow/running-flow.ts'

/** A flow that runs against a simulator of its own. */
export interface StartedFlow {
  simulator: Simulator
  /** The simulator's first panel, with the partitions House 1, Workshop 2 and Garage 3, as the service calls it Home. */
  home: Simulator['world']['panels'][number]
  part: FlowPart
  flow: RunningFlow
}

const addresses = new Set<string>()

/** Starts simulators and flows for a test, and ends them with it. */
export class FlowHarness {
  readonly #simulators: Simulator[] = []
  #flow: RunningFlow | undefined

  /** A simulator in which nothing happens by itself. */
  async startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await startSimulator({ scenario: 'calm', ...options })
    this.#simulators.push(simulator)
    runningSimulators.add(simulator)
    // Node-RED keeps the sign-in to an address for a while: another simulator there would see an old token first.
    const isNew = !addresses.has(simulator.url) || options.port !== undefined
    addresses.add(simulator.url)
    return isNew ? simulator : this.startSimulator(options)
  }

  /** A flow of these parts; one at a time. */
  async startParts(
    parts: readonly FlowPart[],
    options: Parameters<RunningFlow['start']>[1] = {},
  ): Promise<RunningFlow> {
    const flow = new RunningFlow()
    this.#flow = flow
    await flow.start(parts, options)
    return flow
  }

  /** A flow against a simulator, for the many tests that need no more. */
  async start(setup: FlowPartOptions, options: SimulatorOptions = {}): Promise<StartedFlow> {
    const simulator = await this.startSimulator(options)
    const only = createPart(simulator, setup)
    const home = simulator.world.panel('A1B2C3')
    return { simulator, home, part: only, flow: await this.startParts([only]) }
  }

  /** A flow against a simulator that was prepared before. */
  startAt(simulator: Simulator, setup: FlowPartOptions): Promise<RunningFlow> {
    return this.startParts([createPart(simulator, setup)])
  }

  /** Stops the flow before the test is over. */
  async stopFlow(): Promise<void> {
    const flow = this.#flow
    this.#flow = undefined
    await flow?.stop()
  }

  /** Ends everything. */
  async close(): Promise<void> {
    try {
      await this.stopFlow()
    } finally {
      const simulators = this.#simulators.splice(0)
      await Promise.all(simulators.map((simulator) => simulator.close()))
      for (const simulator of simulators) runningSimulators.delete(simulator)
    }
  }
}

/** A lab for the tests of a `describe`, closed after each; the time of the process is `processTime` meanwhile. */
export function useFlowHarness(): FlowHarness {
  const lab = new FlowHarness()
  before(installFakeClock)
  after(restoreSystemClock)
  afterEach(() => lab.close())
  return lab
}

/** Waits until something is so that nobody tells of, such as a request that hangs. */
export async function until(isSo: () => boolean): Promise<void> {
  await processTime.until(isSo, () => `it never came to ${isSo}`)
}

/** How many requests went to an operation, by the end of its path. */
export function requestsTo(simulator: Simulator, operation: string): number {
  return simulator.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
}
