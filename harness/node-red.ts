import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { MessageServer } from './node-red/message-server.ts'
import { type Launch, NodeRedProcess } from './node-red/node-red-process.ts'
import { type FlowNode, withRecorder } from './node-red/recorded-flow.ts'
import {
  fillUserDirectory,
  linkPalette,
  paletteName,
  removeDirectory,
  temporaryDirectory,
  type UserDirectoryContent,
} from './node-red/user-directory.ts'

/** Additions to settings.js, and the folder of the palette; the folder of this project by default. */
export type NodeRedHarnessOptions = Pick<UserDirectoryContent, 'settings' | 'code'> & { palette?: string }

/** Options of `writeFlows`. */
export interface FlowOptions {
  password?: string
  /** Seconds between polls. */
  every?: number
  /** Seconds until the account gives up a request. */
  timeout?: number
  /** Ids of several panel nodes, all for the same panel. */
  panels?: readonly string[]
  /** True to allow commands to the panels. */
  allowCommands?: boolean
}

/** Id of the panel node, unless `FlowOptions.panels` names others. */
export const panelId = 'panel'

/**
 * A simulator in this process, Node-RED in another process, and a server that records the messages of its flows.
 *
 * The account allows a hundred requests per second and panels are polled every 0.4 seconds, so that tests wait little.
 */
export class NodeRedHarness {
  simulator: Simulator
  readonly messages: MessageServer
  readonly userDir: string
  readonly #options: NodeRedHarnessOptions
  readonly #processes: NodeRedProcess[] = []

  constructor(
    simulator: Simulator,
    messages: MessageServer,
    userDir: string,
    options: NodeRedHarnessOptions,
  ) {
    this.simulator = simulator
    this.messages = messages
    this.userDir = userDir
    this.#options = options
  }

  /**
   * Writes flows for the next start: an account, a panel, and one tab with the given nodes.
   * @returns all nodes, as they can be deployed
   */
  async writeFlows(
    nodes: readonly FlowNode[],
    {
      password = this.simulator.password,
      every = 0.4,
      timeout = 10,
      panels = [panelId],
      allowCommands = false,
    }: FlowOptions = {},
  ): Promise<FlowNode[]> {
    const tab = { id: 'tab', type: 'tab', label: 'Test' }
    const placed = nodes.map((node) => ({ panel: panelId, wires: [[]], ...node, z: tab.id }))
    const configs = [this.#account(timeout), ...panels.map((id) => this.#panel(id, every, allowCommands))]
    const flows = withRecorder([tab, ...configs, ...placed], this.messages.url)
    const { email, userCode } = this.simulator
    const codes = Object.fromEntries(panels.map((id) => [id, { userCode }]))
    await this.writeFlowFile(flows, { account: { email, password }, ...codes })
    return flows
  }

  /** Writes any flows and credentials for the next start. */
  async writeFlowFile(
    flows: readonly FlowNode[],
    credentials: Record<string, Record<string, string>> = {},
  ): Promise<void> {
    const { settings, code = '' } = this.#options
    const all = { keyholderPanelPollFloor: 0.01, ...settings }
    await fillUserDirectory(this.userDir, { flows, credentials, settings: all, code })
  }

  /** Starts Node-RED; `close` ends it. */
  startNodeRed(launch: Launch = {}): NodeRedProcess {
    const process = new NodeRedProcess(this.userDir, launch)
    this.#processes.push(process)
    return process
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()))
    await Promise.all([this.messages.close(), this.simulator.close(), removeDirectory(this.userDir)])
  }

  #account(timeout: number): FlowNode {
    return {
      id: 'account',
      type: 'keyholder-account',
      source: 'service',
      url: this.simulator.url,
      requestsPerMinute: 6000,
      timeout,
    }
  }

  #panel(id: string, every: number, allowCommands: boolean): FlowNode {
    const [serial = ''] = this.simulator.serials
    const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
    return {
      id,
      type: 'keyholder-panel',
      name: 'House',
      account: 'account',
      serial,
      allowCommands,
      ...intervals,
    }
  }
}

/** Starts a simulator and prepares a user directory for Node-RED; close the harness after the test. */
export async function startNodeRedHarness(
  simulatorOptions: SimulatorOptions = {},
  options: NodeRedHarnessOptions = {},
): Promise<NodeRedHarness> {
  const simulator = await startSimulator({ maxLoggedRequests: 1_000_000, ...simulatorOptions })
  const userDir = await temporaryDirectory()
  await linkPalette(userDir, paletteName, options.palette)
  return new NodeRedHarness(simulator, await MessageServer.start(), userDir, options)
}
