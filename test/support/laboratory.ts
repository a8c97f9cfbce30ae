import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts'
import { type FlowNode, withSink } from './flow-with-sink.ts'
import { MessageSink } from './message-sink.ts'
import { NodeRedProcess } from './node-red-process.ts'
import { fillUserDirectory, linkPalette, removeDirectory, temporaryDirectory } from './user-directory.ts'

/** Id of the panel node that the laboratory's flows may use. */
export const panelId = 'panel'

/**
 * A simulated service in this process, a real Node-RED in another, and a sink for what its flows say.
 *
 * The account may ask a hundred times a second and panels are polled five times a second, so that little is waited for.
 */
export class Laboratory {
  simulator: Simulator
  readonly sink: MessageSink
  readonly userDir: string
  readonly #processes: NodeRedProcess[] = []

  private constructor(simulator: Simulator, sink: MessageSink, userDir: string) {
    this.simulator = simulator
    this.sink = sink
    this.userDir = userDir
  }

  /** Opens one; close it after the test. */
  static async open(options: SimulatorOptions = {}): Promise<Laboratory> {
    const simulator = await startSimulator({ requestLogLimit: 1_000_000, ...options })
    const userDir = await temporaryDirectory()
    await linkPalette(userDir)
    return new Laboratory(simulator, await MessageSink.open(), userDir)
  }

  /**
   * Writes the flows down for the next start: account, panel, and one tab with the given nodes.
   * @param options.every seconds between polls
   * @returns all of it, as it can be deployed
   */
  async furnish(
    nodes: readonly FlowNode[],
    { password = this.simulator.password, every = 0.2 }: { password?: string; every?: number } = {},
  ): Promise<FlowNode[]> {
    const tab = { id: 'tab', type: 'tab', label: 'Laboratory' }
    const placed = nodes.map((node) => ({ panel: panelId, wires: [[]], ...node, z: tab.id }))
    const flows = withSink([tab, this.#account(), this.#panel(every), ...placed], this.sink.url)
    const { email, userCode } = this.simulator
    await this.furnishWith(flows, { account: { email, password }, [panelId]: { userCode } })
    return flows
  }

  /** Writes any flows and credentials down for the next start. */
  async furnishWith(
    flows: readonly FlowNode[],
    credentials: Record<string, Record<string, string>> = {},
  ): Promise<void> {
    await fillUserDirectory(this.userDir, { flows, credentials, settings: { keyholderPanelPollFloor: 0.01 } })
  }

  /** Starts a Node-RED; it is ended with the laboratory at the latest. */
  start(): NodeRedProcess {
    const process = new NodeRedProcess(this.userDir)
    this.#processes.push(process)
    return process
  }

  /** How many requests went to an operation, by the end of its path. */
  requestsTo(operation: string): number {
    return this.simulator.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()))
    await Promise.all([this.sink.close(), this.simulator.close(), removeDirectory(this.userDir)])
  }

  #account(): FlowNode {
    return {
      id: 'account',
      type: 'keyholder-account',
      source: 'service',
      url: this.simulator.url,
      requestsPerMinute: 6000,
    }
  }

  #panel(every: number): FlowNode {
    const [serial = ''] = this.simulator.serials
    const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
    return { id: panelId, type: 'keyholder-panel', name: 'House', account: 'account', serial, ...intervals }
  }
}
