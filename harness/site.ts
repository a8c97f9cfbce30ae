import { isDeepStrictEqual } from 'node:util'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import type { FlowMessage, MessageServer } from './node-red/message-server.ts'
import type { NodeRedProcess } from './node-red/node-red-process.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'

const longestDeploy = 20_000

/** In what a site differs from others. */
export interface SiteOptions {
  /** Seconds between polls. */
  every?: number
  /** What its query node asks. */
  operation?: string
}

/** The nodes that ask the service when its button is pressed, and answer with what it says. */
const answeringNodes = ['state', 'readings', 'query']

/** What those nodes said, in that order. */
export type SiteAnswer = readonly Pick<FlowMessage, 'topic' | 'payload'>[]

/** Whether an answer is the same as an earlier one, but for lists that have grown. */
export function isSameAnswer(before: SiteAnswer, now: SiteAnswer): boolean {
  return before.every(({ topic, payload }, place) => {
    const { topic: topicNow, payload: payloadNow } = now[place] ?? {}
    if (!Array.isArray(payload)) return isDeepStrictEqual({ topic, payload }, now[place])
    const entries = new Set((payloadNow as unknown[]).map((entry) => JSON.stringify(entry)))
    return topic === topicNow && payload.every((entry) => entries.has(JSON.stringify(entry)))
  })
}

/**
 * One account at a service of its own, with a panel, and every node type on a tab of its own.
 *
 * A press of its button gives each node a message, and each answers with one: its readings are of one thermometer.
 */
export class Site {
  readonly name: string
  readonly simulator: Simulator
  readonly #sink: MessageServer
  readonly #options: SiteOptions

  private constructor(name: string, simulator: Simulator, sink: MessageServer, options: SiteOptions) {
    this.name = name
    this.simulator = simulator
    this.#sink = sink
    this.#options = options
  }

  /** Opens one; its nodes tell their messages to `sink`. Close it after the test. */
  static async open(name: string, sink: MessageServer, options: SiteOptions = {}): Promise<Site> {
    return new Site(name, await startSimulator(), sink, options)
  }

  /** The panel that its nodes look at. */
  get panel(): Simulator['world']['panels'][number] {
    const [serial = ''] = this.simulator.serials
    return this.simulator.world.panel(serial)
  }

  /** The types of all its nodes, config nodes too. */
  get types(): readonly string[] {
    return this.flows.map(({ type }) => type)
  }

  /** Its piece of a flow file with the credentials in it, as the editor deploys it. */
  get flows(): FlowNode[] {
    const { every = 1 } = this.#options
    const { url, email, password, userCode } = this.simulator
    const z = `tab ${this.name}`
    const nodes = this.#nodes.map((node) => ({ ...node, id: this.#id(node.id), z, wires: [[]] }))
    return [
      { id: z, type: 'tab', label: this.name },
      {
        id: this.#id('account'),
        type: 'keyholder-account',
        source: 'service',
        url,
        requestsPerMinute: 6000,
        timeout: 0.5,
        credentials: { email, password },
      },
      {
        id: this.#id('panel'),
        type: 'keyholder-panel',
        name: 'House',
        account: this.#id('account'),
        serial: this.panel.serial,
        stateEvery: every,
        eventsEvery: every,
        devicesEvery: every,
        allowCommands: true,
        credentials: { userCode },
      },
      ...nodes,
      {
        id: this.#id('button'),
        type: 'inject',
        z,
        props: [{ p: 'asked', v: '', vt: 'date' }],
        wires: [nodes.map(({ id }) => id)],
      },
    ]
  }

  /** Presses its button; messages that answer it have the moment as `asked`. */
  async press(nodeRed: NodeRedProcess): Promise<void> {
    const deadline = performance.now() + longestDeploy
    for (;;) {
      try {
        return await nodeRed.press(this.#id('button'))
      } catch (error) {
        // While its tab is deployed there is no button.
        if (performance.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  /** What its nodes answered to a press since then (milliseconds since 1970); nothing until all have, and are well. */
  answerSince(moment: number): SiteAnswer | undefined {
    const since = ({ asked }: FlowMessage) => asked >= moment
    if (this.from('health').findLast(since)?.payload.status !== 'ok') return undefined
    const answers = answeringNodes.map((node) => this.from(node).findLast(since))
    if (!answers.every((answer) => answer !== undefined && !answer.stale)) return undefined
    return answers.map(({ topic, payload }) => ({ topic, payload }))
  }

  /** What one of its nodes sent, `state`, `readings`, `events`, `query` or `health`; oldest first. */
  from(node: string): FlowMessage[] {
    return this.#sink.from(this.#id(node))
  }

  close(): Promise<void> {
    return this.simulator.close()
  }

  get #nodes(): FlowNode[] {
    const { operation = 'devices' } = this.#options
    const thermometer = this.panel.report().devices.find(({ traits }) => traits.meteo_info?.temperature)
    const only = { devices: [thermometer?.id], kinds: ['temperature'] }
    const panel = this.#id('panel')
    return [
      { id: 'state', type: 'keyholder-state', panel, partitions: [1] },
      { id: 'readings', type: 'keyholder-readings', panel, ...only },
      { id: 'events', type: 'keyholder-events', panel, first: 'deliver' },
      { id: 'query', type: 'keyholder-query', panel, operation },
      // What is so already: it looks at everything, and changes nothing.
      { id: 'command', type: 'keyholder-command', panel, action: 'bypass', zone: 2, enabled: false },
      { id: 'health', type: 'keyholder-health', panel, account: this.#id('account') },
    ]
  }

  #id(part: string): string {
    return `${part} ${this.name}`
  }
}
