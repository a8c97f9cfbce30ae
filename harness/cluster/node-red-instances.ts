import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { RawSettings } from '../../src/settings.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { MessageServer } from '../node-red/message-server.ts'
import type { NodeRedProcess } from '../node-red/node-red-process.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'
import { withRecorder } from '../node-red/recorded-flow.ts'
import { linkPalette, temporaryDirectory } from '../node-red/user-directory.ts'
import { NodeRedHarness } from '../node-red.ts'
import type { RedisServer } from '../redis-server.ts'
import { ClusterInstances } from './cluster-instances.ts'

/** The header of each HTTP request of an instance, with its name. */
const nameHeader = 'x-instance'

/** A request of an instance to the service. */
export interface InstanceRequest {
  /** The name of the instance. */
  by: string
  /** Without query. */
  path: string
  /** Milliseconds of the monotonic clock of this process. */
  at: number
}

/** Node-RED processes that work as one through a Redis server. */
export class NodeRedInstances {
  readonly simulator: NodeRedHarness['simulator']
  /** The messages of all instances. */
  readonly messages: MessageServer
  /** The requests of all instances to the service, by their arrival. */
  readonly requests: InstanceRequest[] = []
  readonly #server: RedisServer
  readonly #harnesses: NodeRedHarness[] = []
  readonly #limit: number

  private constructor(server: RedisServer, { simulator, messages }: Surroundings, limit: number) {
    this.#server = server
    this.simulator = simulator
    this.messages = messages
    this.#limit = limit
    subscribe('http.server.request.start', this.#noteRequest)
  }

  /**
   * Prepares the instances; close them after the test.
   * @param limit requests per minute
   */
  static async prepare(server: RedisServer, limit = 6000): Promise<NodeRedInstances> {
    // A server that knows nothing of a cluster would let the instances wait for 72 seconds.
    const first = new ClusterInstances(server)
    await first.add('handshake')
    await first.close()
    const simulator = await startSimulator({ maxLoggedRequests: 1_000_000 })
    return new NodeRedInstances(server, { simulator, messages: await MessageServer.start() }, limit)
  }

  /**
   * Starts an instance with this name and these nodes, and resolves when its flows have started.
   * @param own its settings of the cluster that are not those of the others
   * @param panel the id of its panel node, which is another one in another flow
   */
  async start(
    instance: string,
    nodes: readonly FlowNode[],
    own: RawSettings = {},
    panel = 'panel',
  ): Promise<NodeRedProcess> {
    const userDir = await temporaryDirectory()
    await linkPalette(userDir)
    const harness = new NodeRedHarness(this.simulator, this.messages, userDir, { code: namingCode(instance) })
    this.#harnesses.push(harness)
    const { email, password, userCode } = this.simulator
    const credentials = { account: { email, password }, [panel]: { userCode } }
    const flow = this.#flow(instance, nodes, own, panel)
    await harness.writeFlowFile(withRecorder(flow, this.messages.url), credentials)
    const nodeRed = harness.startNodeRed()
    await nodeRed.url
    return nodeRed
  }

  async close(): Promise<void> {
    unsubscribe('http.server.request.start', this.#noteRequest)
    for (const harness of this.#harnesses) await harness.close()
    if (this.#harnesses.length === 0) await Promise.all([this.simulator.close(), this.messages.close()])
  }

  readonly #noteRequest = (message: unknown): void => {
    const { headers, url = '', socket } = (message as { request: IncomingMessage }).request
    const by = headers[nameHeader]
    if (typeof by !== 'string' || `${socket.localPort}` !== new URL(this.simulator.url).port) return
    this.requests.push({ by, path: url.split('?')[0] ?? '', at: performance.now() })
  }

  #flow(instance: string, nodes: readonly FlowNode[], own: RawSettings, panel: string): FlowNode[] {
    const { address } = this.#server
    const { url, serials } = this.simulator
    const often = { stateEvery: 0.4, eventsEvery: 0.4, devicesEvery: 0.4, allowCommands: true }
    return [
      { id: 'cluster', type: 'keyholder-cluster', address, clusterName: 'test', instance, ...own },
      { id: 'account', type: 'keyholder-account', cluster: 'cluster', url, requestsPerMinute: this.#limit },
      {
        id: panel,
        type: 'keyholder-panel',
        name: 'House',
        account: 'account',
        serial: serials[0],
        ...often,
      },
      { id: 'tab', type: 'tab', label: 'Test' },
      ...nodes.map((node) => ({ panel, wires: [[]], ...node, z: 'tab' })),
    ]
  }
}

/** Returns JavaScript for settings.js that writes the name of an instance into each HTTP request of its Node-RED. */
function namingCode(instance: string): string {
  return `
const { Agent } = require('node:http')
const { addRequest } = Agent.prototype
Agent.prototype.addRequest = function (request, ...rest) {
  request.setHeader('${nameHeader}', ${JSON.stringify(instance)})
  return addRequest.call(this, request, ...rest)
}
`
}

type Surroundings = Pick<NodeRedHarness, 'simulator' | 'messages'>
