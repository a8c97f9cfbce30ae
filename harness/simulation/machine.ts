import { minute } from '../../src/duration.ts'
import type { FlowPart } from '../flow/flow-part.ts'
import { Disk } from './disk/disk.ts'
import { createFileSystem, createSyncFileSystem } from './disk/file-system.ts'
import type { DeployKind } from './node-red/node-red.ts'
import { SimulatedFlow } from './node-red/simulated-flow.ts'
import { MachineClock } from './process/machine-clock.ts'
import type { Network } from './process/network.ts'
import { nodesFor } from './process/product-nodes.ts'
import { SimulatedProcess } from './process/simulated-process.ts'
import type { Scheduler } from './scheduler.ts'

/** The folder of Node-RED's files on the disk of a machine. */
const userDir = '/machine/node-red'

/** Milliseconds for the start or the end of a flow, also of a process that is stalled. */
const longest = 5 * minute

/** A machine with Node-RED: its clocks and its disk stay, and each start of Node-RED is a new process. */
export class Machine {
  readonly clock: MachineClock
  readonly disk: Disk
  /** The flow that runs; undefined while Node-RED does not run. */
  flow: SimulatedFlow | undefined
  /** The latest process. */
  process: SimulatedProcess | undefined
  readonly #processes = new WeakSet<SimulatedProcess>()
  readonly #settings: { readonly instanceId: string }
  readonly #scheduler: Scheduler
  readonly #network: Network

  /** @param name names its Node-RED, as Node-RED does by itself */
  constructor(name: string, scheduler: Scheduler, network: Network) {
    this.#settings = { instanceId: name }
    this.clock = new MachineClock(scheduler)
    this.disk = new Disk(scheduler.clock)
    this.#scheduler = scheduler
    this.#network = network
  }

  /** Returns true for a process of this machine, also one that is over. */
  runs(process: SimulatedProcess): boolean {
    return this.#processes.has(process)
  }

  /** Starts Node-RED with these parts of a flow. */
  async start(...parts: FlowPart[]): Promise<SimulatedFlow> {
    const { random } = this.#scheduler
    const process = new SimulatedProcess(this.#scheduler, this.clock)
    const { queue, clock } = process
    const files = {
      'node:fs': createSyncFileSystem(this.disk, queue),
      'node:fs/promises': createFileSystem(this.disk, queue),
    }
    const types = Object.values(nodesFor(process, this.#network, files, this.disk.root, random))
    const flow = new SimulatedFlow(parts, {
      types,
      userDir,
      settings: this.#settings,
      queue: process.setImmediate,
      clock,
    })
    this.process = process
    this.#processes.add(process)
    this.flow = flow
    await this.#scheduler.waitFor(flow.start(), longest)
    return flow
  }

  /** Deploys these parts in place of those that run. */
  async deploy(kind: DeployKind, ...parts: FlowPart[]): Promise<void> {
    if (this.flow) await this.#scheduler.waitFor(this.flow.deployAs(kind, ...parts), longest)
  }

  /** Stops Node-RED in an orderly way. */
  async stop(): Promise<void> {
    if (this.flow) await this.#scheduler.waitFor(this.flow.stop(), longest)
    this.flow = undefined
    this.process?.exit()
  }

  /** Ends Node-RED at once. */
  kill(): void {
    this.flow = undefined
    this.process?.kill()
  }

  /** Cuts the power: what was not synchronized may be lost. The machine is on again at once, without Node-RED. */
  cutPower(): void {
    this.kill()
    this.disk.cutPower(this.#scheduler.random)
    this.clock.restart()
  }
}
