import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { type Credentials, type FlowOptions, houseFlows } from './node-red/house-flows.ts'
import { MessageServer } from './node-red/message-server.ts'
import { type Launch, NodeRedProcess } from './node-red/node-red-process.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'
import {
  fillUserDirectory,
  linkPalette,
  paletteName,
  removeDirectory,
  temporaryDirectory,
  type UserDirectoryContent,
  unusedNodes,
} from './node-red/user-directory.ts'

/** The files of Node-RED's nodes that few tests use and that make a start much longer, by the beginning of their types. */
const costlyNodes = { mqtt: '10-mqtt.js', 'http request': '21-httprequest.js' }

/** Additions to settings.js, and the folder of the palette; the folder of this project by default. */
export type NodeRedHarnessOptions = Pick<UserDirectoryContent, 'settings' | 'code'> & { palette?: string }

export { type FlowOptions, panelId } from './node-red/house-flows.ts'

/**
 * A simulator in this process, Node-RED in another process, and a server that records the messages of its flows.
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
  async writeFlows(nodes: readonly FlowNode[], options: FlowOptions = {}): Promise<FlowNode[]> {
    const { flows, credentials } = houseFlows(this.simulator, this.messages, nodes, options)
    await this.writeFlowFile(flows, credentials)
    return flows
  }

  /**
   * Writes any flows and credentials for the next start. Node-RED then has the nodes for MQTT and for HTTP requests, which make
   * a start a tenth and a quarter longer, only if these flows do.
   */
  async writeFlowFile(flows: readonly FlowNode[], credentials: Credentials = {}): Promise<void> {
    const { settings, code = '' } = this.#options
    const isUsed = (kind: string) => flows.some(({ type }) => type.startsWith(kind))
    const unused = Object.entries(costlyNodes).flatMap(([kind, file]) => (isUsed(kind) ? [] : [file]))
    const nodesExcludes = [...unusedNodes, ...unused]
    const all = { keyholderPanelPollFloor: 0.01, nodesExcludes, ...settings }
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
