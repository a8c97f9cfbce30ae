import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { type Credentials, type FlowOptions, houseFlows } from './node-red/house-flows.ts'
import { MessageServer } from './node-red/message-server.ts'
import { type Launch, NodeRedProcess } from './node-red/node-red-process.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'
import {
  fillUserDirectory,
  linkCoreNodes,
  linkPalette,
  paletteName,
  removeDirectory,
  temporaryDirectory,
  type UserDirectoryContent,
  unusedNodes,
} from './node-red/user-directory.ts'
import { showRequests } from './simulator.ts'

/** The files of Node-RED's nodes that few tests use and that make a start much longer, by the beginning of their types. */
const costlyNodes = { mqtt: '10-mqtt.js', 'http request': '21-httprequest.js' }

/** Additions to settings.js, and the differences from the Node-RED of most tests. */
export interface NodeRedHarnessOptions extends Pick<UserDirectoryContent, 'settings' | 'code'> {
  /** The folder of the palette; that of this project by default. */
  palette?: string
  /** True for a test of the editor or of what it gets; without it, Node-RED starts faster. */
  hasEditor?: boolean
}

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
  readonly #hideRequests: () => void

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
    this.#hideRequests = showRequests(simulator)
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
    const { settings, code = '', hasEditor = false } = this.#options
    const isUsed = (kind: string) => flows.some(({ type }) => type.startsWith(kind))
    const unused = Object.entries(costlyNodes).flatMap(([kind, file]) => (isUsed(kind) ? [] : [file]))
    const nodesExcludes = [...unusedNodes, ...unused]
    const fewer = hasEditor ? {} : { disableEditor: true, coreNodesDir: await linkCoreNodes(this.userDir) }
    const all = { keyholderPanelPollFloor: 0.01, nodesExcludes, ...fewer, ...settings }
    await fillUserDirectory(this.userDir, { flows, credentials, settings: all, code })
  }

  /** Starts Node-RED; `close` ends it. */
  startNodeRed(launch: Launch = {}): NodeRedProcess {
    const process = new NodeRedProcess(this.userDir, launch)
    this.#processes.push(process)
    return process
  }

  async close(): Promise<void> {
    this.#hideRequests()
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
