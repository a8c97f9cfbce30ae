import { setTimeout as pause } from 'node:timers/promises'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { patience } from './flow/inbox.ts'
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

type NodeRedHarnessOptions = Pick<UserDirectoryContent, 'settings' | 'code'> & { palette?: string }

interface FlowOptions {
  password?: string
  every?: number
  timeout?: number
  panels?: readonly string[]
}

/** Id of the panel node that the laboratory's flows may use. */
export const panelId = 'panel'

/**
 * A simulated service in this process, a real Node-RED in another, and a sink for what its flows say.
 *
 * The account may ask a hundred times a second and panels are polled every 0.4 seconds, so that little is waited for.
 */
export class NodeRedHarness {
  simulator: Simulator
  readonly messages: MessageServer
  readonly userDir: string
  readonly #options: NodeRedHarnessOptions
  readonly #processes: NodeRedProcess[] = []

  private constructor(
    simulator: Simulator,
    sink: MessageServer,
    userDir: string,
    surroundings: NodeRedHarnessOptions,
  ) {
    this.simulator = simulator
    this.messages = sink
    this.userDir = userDir
    this.#options = surroundings
  }

  /**
   * Opens one; close it after the test.
   * @param options what else its settings.js is to hold, and where the palette is; this checkout by default
   */
  static async open(
    options: SimulatorOptions = {},
    surroundings: NodeRedHarnessOptions = {},
  ): Promise<NodeRedHarness> {
    const simulator = await startSimulator({ maxLoggedRequests: 1_000_000, ...options })
    const userDir = await temporaryDirectory()
    await linkPalette(userDir, paletteName, surroundings.palette)
    return new NodeRedHarness(simulator, await MessageServer.open(), userDir, surroundings)
  }

  /**
   * Writes the flows down for the next start: account, panel, and one tab with the given nodes.
   * @param options.every seconds between polls
   * @param options.timeout seconds after which the account gives a call up
   * @param options.panels ids of several panel nodes, all of the same panel
   * @returns all of it, as it can be deployed
   */
  async writeFlows(
    nodes: readonly FlowNode[],
    { password = this.simulator.password, every = 0.4, timeout = 10, panels = [panelId] }: FlowOptions = {},
  ): Promise<FlowNode[]> {
    const tab = { id: 'tab', type: 'tab', label: 'Laboratory' }
    const placed = nodes.map((node) => ({ panel: panelId, wires: [[]], ...node, z: tab.id }))
    const configs = [this.#account(timeout), ...panels.map((id) => this.#panel(id, every))]
    const flows = withRecorder([tab, ...configs, ...placed], this.messages.url)
    const { email, userCode } = this.simulator
    const codes = Object.fromEntries(panels.map((id) => [id, { userCode }]))
    await this.writeFlowFile(flows, { account: { email, password }, ...codes })
    return flows
  }

  /** Writes any flows and credentials down for the next start. */
  async writeFlowFile(
    flows: readonly FlowNode[],
    credentials: Record<string, Record<string, string>> = {},
  ): Promise<void> {
    const { settings, code = '' } = this.#options
    const all = { keyholderPanelPollFloor: 0.01, ...settings }
    await fillUserDirectory(this.userDir, { flows, credentials, settings: all, code })
  }

  /** Starts a Node-RED; it is ended with the laboratory at the latest. */
  startNodeRed(launch: Launch = {}): NodeRedProcess {
    const process = new NodeRedProcess(this.userDir, launch)
    this.#processes.push(process)
    return process
  }

  /** How many requests went to an operation, by the end of its path. */
  requestsTo(operation: string): number {
    return this.simulator.requests.filter(({ path }) => path.endsWith(`/${operation}`)).length
  }

  /** Waits until a condition holds that no message tells of. */
  async until(what: string, condition: () => boolean, within = patience): Promise<void> {
    const deadline = performance.now() + within
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`Waited ${within / 1000} s in vain for ${what}.`)
      await pause(20)
    }
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

  #panel(id: string, every: number): FlowNode {
    const [serial = ''] = this.simulator.serials
    const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
    return { id, type: 'keyholder-panel', name: 'House', account: 'account', serial, ...intervals }
  }
}
