import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts'

const addresses = new Set<string>()

/** The simulators of a test, closed together. */
export class Simulators {
  readonly #all: Simulator[] = []

  /** Starts a simulator at an address that this run has not used: Node-RED remembers rejected secrets by address. */
  async start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = await startSimulator(options)
    this.#all.push(simulator)
    if (addresses.has(simulator.url)) return this.start(options)
    addresses.add(simulator.url)
    return simulator
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await Promise.all(this.#all.splice(0).map((simulator) => simulator.close()))
  }
}
