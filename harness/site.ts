import { isDeepStrictEqual } from 'node:util'
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts'
import type { MessageServer } from './node-red/message-server.ts'
import type { NodeRedProcess } from './node-red/node-red-process.ts'
import type { FlowNode } from './node-red/recorded-flow.ts'
import type { FlowMessage } from './recorder.ts'

/** Milliseconds. */
const maxDeployTime = 20_000

/** The options of a site. */
export interface SiteOptions {
  /** Seconds between polls. */
  every?: number
  /** The operation of the query node. */
  operation?: string
}

/** The nodes that answer the button with data of the service. */
const answeringNodes = ['state', 'readings', 'query']

/** The answers of those nodes, in that order. */
export type SiteAnswer = readonly { topic: string; payload: unknown }[]

/** Returns true if an answer equals an earlier one, apart from new entries in lists and from ages. */
export function isSameAnswer(before: SiteAnswer, now: SiteAnswer): boolean {
  return before.every(({ topic, payload }, place) => {
    const { topic: topicNow, payload: payloadNow }: Partial<SiteAnswer[number]> = now[place] ?? {}
    if (topic !== topicNow) return false
    if (!Array.isArray(payload)) return isDeepStrictEqual(withoutAges(payload), withoutAges(payloadNow))
    const entries = new Set((payloadNow as unknown[]).map((entry) => JSON.stringify(withoutAges(entry))))
    return payload.every((entry) => entries.has(JSON.stringify(withoutAges(entry))))
  })
}

function withoutAges(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAges)
  if (typeof value !== 'object' || value === null) return value
  const others = Object.entries(value).filter(([name]) => name !== 'ageMs')
  return Object.fromEntries(others.map(([name, member]) => [name, withoutAges(member)]))
}

/**
 * One of several accounts in one Node-RED process: its own simulator, account, panel, and a tab with every node type.
 *
 * The button of the tab sends each node a message, and each node answers with one message; the readings node reports one
 * thermometer.
 */
export class SiteHarness {
  readonly name: string
  readonly simulator: Simulator
  readonly #messages: MessageServer
  readonly #options: SiteOptions

  constructor(name: string, simulator: Simulator, messages: MessageServer, options: SiteOptions) {
    this.name = name
    this.simulator = simulator
    this.#messages = messages
    this.#options = options
  }

  /** The panel of its nodes. */
  get panel(): Simulator['world']['panels'][number] {
    const [serial = ''] = this.simulator.serials
    return this.simulator.world.panel(serial)
  }

  /** The types of all its nodes, including config nodes. */
  get types(): readonly string[] {
    return this.flows.map(({ type }) => type)
  }

  /** Its part of the flow file, with the credentials, as the editor deploys it. */
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
        // Long enough for a busy machine: a first sign-in without an answer is not repeated for a minute.
        timeout: 1.5,
        credentials: { email, password },
      },
      // No account selects it.
      { id: this.#id('cluster'), type: 'keyholder-cluster', address: 'redis://localhost' },
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

  /** Presses the button; the answers contain the time as `asked`. */
  async press(nodeRed: NodeRedProcess): Promise<void> {
    const deadline = performance.now() + maxDeployTime
    for (;;) {
      try {
        return await nodeRed.press(this.#id('button'))
      } catch (error) {
        // There is no button while the tab is deployed.
        if (performance.now() > deadline) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  /**
   * Returns the answers to a press at or after `moment`, in milliseconds since 1970; undefined until all nodes have
   * answered with current data.
   */
  answerSince(moment: number): SiteAnswer | undefined {
    const since = ({ asked }: FlowMessage) => asked >= moment
    if (this.from('health').findLast(since)?.payload.status !== 'ok') return undefined
    const answers = answeringNodes.map((node) => this.from(node).findLast(since))
    if (!answers.every((answer) => answer !== undefined && !answer.stale)) return undefined
    return answers.map((answer) => ({ topic: answer?.topic, payload: answer?.payload }))
  }

  /** The messages of one of its nodes, the oldest first: `state`, `readings`, `events`, `query` or `health`. */
  from(node: string): FlowMessage[] {
    return this.#messages.from(this.#id(node)).all
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
      // The zone is not bypassed, so this command reads everything and changes nothing.
      { id: 'command', type: 'keyholder-command', panel, action: 'bypass', zone: 2, enabled: false },
      { id: 'health', type: 'keyholder-health', panel, account: this.#id('account') },
      { id: 'home', type: 'keyholder-home-assistant', panel },
      { id: 'incident', type: 'keyholder-incident', panel },
      { id: 'conditions', type: 'keyholder-conditions', panel },
      { id: 'chain', type: 'keyholder-chain-test', panel },
    ]
  }

  #id(part: string): string {
    return `${part} ${this.name}`
  }
}

/** Starts a simulator for a site whose nodes post their messages to `messages`; close the site after the test. */
export async function startSiteHarness(
  name: string,
  messages: MessageServer,
  options: SiteOptions = {},
): Promise<SiteHarness> {
  return new SiteHarness(name, await startSimulator(), messages, options)
}
