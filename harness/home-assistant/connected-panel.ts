import { isDeepStrictEqual } from 'node:util'
import type { Mosquitto } from '../mosquitto.ts'
import type { NodeRedProcess } from '../node-red/node-red-process.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'
import {
  type FlowOptions,
  type NodeRedHarness,
  type NodeRedHarnessOptions,
  startNodeRedHarness,
} from '../node-red.ts'
import { BrokerClient, retainedOf } from './broker-client.ts'
import { homeAssistantFlow } from './home-assistant-flow.ts'

/** The retained messages of a broker, by topic, with parsed JSON and without the parts that differ at each start. */
export type Kept = Record<string, unknown>

/** A simulated panel that a real Node-RED announces on a real broker, with a client in the place of Home Assistant. */
export class ConnectedPanel {
  readonly harness: NodeRedHarness
  readonly broker: Mosquitto
  readonly client: BrokerClient
  nodeRed: NodeRedProcess
  flows: FlowNode[]

  private constructor(
    harness: NodeRedHarness,
    broker: Mosquitto,
    client: BrokerClient,
    flows: FlowNode[],
    nodeRed: NodeRedProcess,
  ) {
    this.harness = harness
    this.broker = broker
    this.client = client
    this.flows = flows
    this.nodeRed = nodeRed
  }

  /**
   * Starts a Node-RED with a Home Assistant node; close it after the test.
   * @param fields of the node
   * @param more nodes beside it
   */
  static async open(
    broker: Mosquitto,
    fields: object = {},
    options: FlowOptions = { allowCommands: true },
    nodeRedOptions: NodeRedHarnessOptions = {},
    more: readonly FlowNode[] = [],
  ): Promise<ConnectedPanel> {
    const harness = await startNodeRedHarness({}, nodeRedOptions)
    // Longer than usual, so that no id and no time in what a test searches contains it by chance.
    harness.simulator.accounts.setUserCode('904672153')
    const client = await BrokerClient.connect(broker.port)
    const flows = await harness.writeFlows([...homeAssistantFlow(broker.port, fields), ...more], options)
    const panel = new ConnectedPanel(harness, broker, client, flows, harness.startNodeRed())
    try {
      await panel.nodeRed.url
    } catch (error) {
      await panel.close()
      throw error
    }
    return panel
  }

  /** The first panel of the simulator. */
  get panel() {
    return this.harness.simulator.world.panel('A1B2C3')
  }

  /** Starts Node-RED again, after it was killed. */
  async restart(): Promise<void> {
    this.nodeRed = this.harness.startNodeRed()
    await this.nodeRed.url
  }

  /** Returns what the broker keeps now. */
  async kept(): Promise<Kept> {
    return normal(await retainedOf(this.broker.port))
  }

  /**
   * Waits until the broker keeps what is expected.
   * @param isMeant selects the topics that matter
   */
  async untilKept(expected: Kept, isMeant: (topic: string) => boolean = () => true): Promise<void> {
    const deadline = Date.now() + 40_000
    for (;;) {
      const all = Object.entries(await this.kept())
      const kept = Object.fromEntries(all.filter(([topic]) => isMeant(topic)))
      if (isDeepStrictEqual(kept, expected)) return
      if (Date.now() > deadline)
        throw new Error(`The broker keeps something else: ${difference(kept, expected)}`)
      const { length } = this.client.messages.all
      // Any message can be the one that makes the difference.
      await Promise.race([
        this.client.until(() => this.client.messages.all.length > length).catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 500)),
      ])
    }
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.harness.close()
  }
}

/** Returns what a broker keeps in a form that two starts have in common. */
function normal(kept: ReadonlyMap<string, string>): Kept {
  const entries = [...kept]
    .filter(([topic]) => !topic.startsWith('test/'))
    .map(([topic, payload]) => [topic, /^[[{]/.test(payload) ? JSON.parse(payload) : payload])
    .map(([topic, value]) =>
      topic.endsWith('/diagnostics/state') ? [topic, { ...value, requests_left: 0 }] : [topic, value],
    )
  return Object.fromEntries(entries.toSorted(([one], [other]) => one.localeCompare(other)))
}

function difference(kept: Kept, expected: Kept): string {
  const topics = new Set([...Object.keys(kept), ...Object.keys(expected)])
  const different = [...topics].filter((topic) => !isDeepStrictEqual(kept[topic], expected[topic]))
  return different
    .slice(0, 5)
    .map((topic) => `${topic}: ${JSON.stringify(kept[topic])} instead of ${JSON.stringify(expected[topic])}`)
    .join('\n')
    .slice(0, 4000)
}
