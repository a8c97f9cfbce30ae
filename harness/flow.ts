import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { answerInMemory } from './clock/memory-exchange.ts'
import {
  installFakeClock,
  processTime,
  restoreSystemClock,
  runningSimulators,
} from './clock/process-fake-clock.ts'
import { createPart, type FlowPart, type FlowPartOptions } from './flow/flow-part.ts'
import { RunningFlow } from './flow/running-flow.ts'
import { showRequests } from './simulator.ts'

/** A running flow and its simulator. */
export interface StartedFlow {
  simulator: Simulator
  /** The first panel of the simulator; its partitions are House 1, Workshop 2 and Garage 3, its name is Home. */
  home: Simulator['world']['panels'][number]
  part: FlowPart
  flow: RunningFlow
}

const usedUrls = new Set<string>()

/** Runs flows of a test in Node-RED inside this process, against simulators; all use one fake clock. */
export class FlowHarness {
  readonly #simulators: Simulator[] = []
  readonly #hideRequests: (() => void)[] = []
  #flow: RunningFlow | undefined

  /** Starts a simulator in which nothing happens by itself. */
  async startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await startSimulator({ scenario: 'calm', ...options })
    this.#simulators.push(simulator)
    this.#hideRequests.push(showRequests(simulator))
    runningSimulators.add(simulator)
    answerInMemory(simulator)
    // The product keeps the sign-in of a URL for a while, so a second simulator there would get an old token first.
    const isNew = !usedUrls.has(simulator.url) || options.port !== undefined
    usedUrls.add(simulator.url)
    return isNew ? simulator : this.startSimulator(options)
  }

  /** Starts a simulator and a flow for it; enough for most tests. */
  async start(part: FlowPartOptions, options: SimulatorOptions = {}): Promise<StartedFlow> {
    const simulator = await this.startSimulator(options)
    const only = createPart(simulator, part)
    const home = simulator.world.panel('A1B2C3')
    return { simulator, home, part: only, flow: await this.startParts([only]) }
  }

  /** Starts a flow for a simulator that is already running. */
  startAt(simulator: Simulator, part: FlowPartOptions): Promise<RunningFlow> {
    return this.startParts([createPart(simulator, part)])
  }

  /** Starts a flow of several parts; only one flow runs at a time. */
  async startParts(
    parts: readonly FlowPart[],
    options: Parameters<RunningFlow['start']>[1] = {},
  ): Promise<RunningFlow> {
    const flow = new RunningFlow()
    this.#flow = flow
    await flow.start(parts, options)
    return flow
  }

  /** Stops the flow before the end of the test. */
  async stopFlow(): Promise<void> {
    const flow = this.#flow
    this.#flow = undefined
    await flow?.stop()
  }

  /** Stops the flow and the simulators. */
  async close(): Promise<void> {
    processTime.endWaits()
    try {
      await this.stopFlow()
    } finally {
      for (const hide of this.#hideRequests.splice(0)) hide()
      const simulators = this.#simulators.splice(0)
      await Promise.all(simulators.map((simulator) => simulator.close()))
      for (const simulator of simulators) runningSimulators.delete(simulator)
    }
  }
}

/**
 * Returns a harness for the tests of a `describe`, which closes after each test. During these tests the whole process
 * uses a fake clock, which `processTime` advances.
 */
export function useFlowHarness(): FlowHarness {
  const harness = new FlowHarness()
  before(installFakeClock)
  after(restoreSystemClock)
  afterEach(() => harness.close())
  return harness
}

/** Waits on the fake clock until a condition holds that no message reports, such as the arrival of a request. */
export function until(condition: () => boolean): Promise<void> {
  return processTime.until(condition)
}
