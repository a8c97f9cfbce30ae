import { type Simulator, type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts'

const addresses = new Set<string>()

/** The simulators that a test starts, ended together. */
export class Simulators {
  readonly #all: Simulator[] = []

  /** Starts one at an address that no other has had in this run: Node-RED remembers what was rejected, and where. */
  async start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await startSimulator(options)
    this.#all.push(simulator)
    if (addresses.has(simulator.url)) return this.start(options)
    addresses.add(simulator.url)
    return simulator
  }

  /** Ends all that were started. */
  async close(): Promise<void> {
    await Promise.all(this.#all.splice(0).map((simulator) => simulator.close()))
  }
}
