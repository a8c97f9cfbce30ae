import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts'
import { Machine } from './machine.ts'
import { Network } from './process/network.ts'
import { prepareProduct } from './process/product-nodes.ts'
import { Scheduler } from './scheduler.ts'

/**
 * A service with its panels, and machines with Node-RED, in one process and without any real time, files or connections. All
 * that happens follows from the seed.
 */
export class Simulation {
  readonly scheduler: Scheduler
  readonly simulator: Simulator
  readonly network: Network
  /** The errors and rejections that nothing has handled, each of which would end Node-RED. */
  readonly unhandled: unknown[] = []
  readonly #machines: Machine[] = []
  readonly #noteUnhandled = (reason: unknown) => {
    this.unhandled.push(reason)
  }

  /**
   * Starts the service.
   * @param startsAt milliseconds since 1970
   */
  static async start(seed: number, startsAt: number, options: SimulatorOptions): Promise<Simulation> {
    await prepareProduct()
    const scheduler = new Scheduler(seed, startsAt)
    const simulator = await startSimulator({ scenario: 'calm', ...options, clock: scheduler.clock })
    return new Simulation(scheduler, simulator)
  }

  private constructor(scheduler: Scheduler, simulator: Simulator) {
    this.scheduler = scheduler
    this.simulator = simulator
    this.network = new Network(scheduler, simulator)
    process.on('unhandledRejection', this.#noteUnhandled)
  }

  /** Adds a machine, on which Node-RED is not started yet. */
  addMachine(): Machine {
    const machine = new Machine(`machine ${this.#machines.length + 1}`, this.scheduler, this.network)
    this.#machines.push(machine)
    return machine
  }

  /** Ends all. */
  async close(): Promise<void> {
    for (const machine of this.#machines) machine.kill()
    await this.simulator.close()
    process.off('unhandledRejection', this.#noteUnhandled)
  }
}
