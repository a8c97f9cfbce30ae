import assert from 'node:assert/strict'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import helper from 'node-red-node-test-helper'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { processTime } from '../clock/process-fake-clock.ts'
import type { FlowPart } from '../flow/flow-part.ts'
import type { RunningFlow } from '../flow/running-flow.ts'
import type { FlowHarness } from '../flow.ts'
import { readExample } from '../node-red/imported-examples.ts'
import type { FlowMessage } from '../recorder.ts'
import { coreNodes, isOfNodeRed } from './rehearsed-flow.ts'

/** A message that an example has given to a node that shows or sends it. */
export interface GivenMessage {
  /** The name of the node, or its type. */
  to: string
  type: string
  message: FlowMessage
}

/** The types of nodes that pass on what comes from a network. */
export const isNetworkInput = /^(http in|mqtt in|websocket in|tcp in|udp in|telegram .+)$/

/** Of the real panel, a poll every ten seconds is enough. */
const seldom = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }

/** A simulated house with the flows of an example, all of them enabled; a receiver answers each request as it should. */
export class ExampleHouse {
  readonly simulator: Simulator
  #flow: RunningFlow | undefined
  /** The messages that came to nodes that show or send something, the oldest first. */
  readonly given: GivenMessage[] = []
  readonly #harness: FlowHarness
  readonly #part: FlowPart

  private constructor(harness: FlowHarness, simulator: Simulator, part: FlowPart) {
    this.#harness = harness
    this.simulator = simulator
    this.#part = part
  }

  /** @param open the number of a zone that is open from the begin */
  static async start(harness: FlowHarness, example: string, open?: number): Promise<ExampleHouse> {
    const simulator = await harness.startSimulator({ speed: 1 })
    const house = new ExampleHouse(harness, simulator, partOf(simulator, renamed(await readExample(example))))
    if (open !== undefined) house.simulator.world.panels[0]?.open(open)
    await house.#start()
    return house
  }

  get #running(): RunningFlow {
    return this.#flow ?? assert.fail('the flow does not run')
  }

  async #start(): Promise<void> {
    this.#flow = await this.#harness.startParts([this.#part], { types: typesOf(this.#part, this.given) })
    await processTime.pass(10_000)
  }

  /** Gives a node a message; one of a network passes it on. */
  receive(id: string, message: object): void {
    const node = helper.getNode(id) ?? assert.fail(`there is no node ${id}`)
    node.receive(message)
  }

  /** Plays a scene to its end, and returns the payload of the message about it. */
  async rehearse(scene: string): Promise<FlowMessage> {
    this.#running.output('rehearser').skip()
    this.#running.input('rehearser', { rehearse: { scene, faster: true } })
    const { payload } = await this.#running
      .output('rehearser')
      .next(({ topic }) => /\/rehearsal$/.test(topic))
    return payload
  }

  /** Starts a scene, ends it after some seconds, and returns what was given until then, and after it. */
  async interrupt(scene: string, seconds: number, how: 'stop' | 'restart') {
    const begin = this.given.length
    this.#running.input('rehearser', { rehearse: { scene, faster: true } })
    await processTime.pass(seconds * 1000)
    const end = this.given.length
    if (how === 'stop') this.#running.input('rehearser', { rehearse: false })
    else {
      await this.#harness.stopFlow()
      await this.#start()
    }
    await processTime.pass(10_000)
    return { before: this.given.slice(begin, end), after: this.given.slice(end) }
  }
}

let houses = 0

/** Returns an example with another account and another panel, so that no state of another house is used again. */
function renamed(example: FlowPart['nodes']): FlowPart['nodes'] {
  houses += 1
  const ids = example
    .filter(({ type }) => /^keyholder-(account|panel)$/.test(String(type)))
    .map(({ id }) => id)
  const rename = (text: string, id: string) => text.replaceAll(`"${id}"`, `"${id}.${houses}"`)
  return JSON.parse(ids.reduce(rename, JSON.stringify(example)))
}

/** Returns the nodes of an example for a simulator, with one that starts rehearsals on a tab of its own. */
function partOf(simulator: Simulator, example: FlowPart['nodes']): FlowPart {
  const { url, serials, email, password, userCode } = simulator
  const [account = '', panel = ''] = ['keyholder-account', 'keyholder-panel'].map(
    (type) => example.find((node) => node.type === type)?.id ?? type,
  )
  const fields: Record<string, object> = {
    'keyholder-account': { source: 'service', url, requestsPerMinute: 6000 },
    'keyholder-panel': {
      ...{ name: 'House', serial: serials[0], allowCommands: true, allowRehearsal: true },
      ...seldom,
    },
  }
  const nodes = example.map(({ d, ...node }) => ({ ...node, ...fields[String(node.type)] }))
  const place = { z: 'rehearsals', x: 100, y: 100 }
  return {
    account,
    panel,
    ids: new Map([['rehearser', 'rehearser']]),
    credentials: { [account]: { email, password }, [panel]: { userCode } },
    nodes: [
      ...nodes,
      { id: 'rehearsals', type: 'tab', label: 'Rehearsals' },
      { id: 'rehearser', type: 'keyholder-command', panel, ...place, wires: [['out rehearser']] },
      { id: 'out rehearser', type: 'recorder', ...place, wires: [] },
    ],
  }
}

/** Returns the types of an example that are not of this package: those of Node-RED, and what stands for the others. */
function typesOf({ nodes }: FlowPart, given: GivenMessage[]): ((RED: NodeAPI) => void)[] {
  const stood = new Set(nodes.map(({ type }) => String(type)).filter(isStoodFor))
  const standIns = (RED: NodeAPI) => {
    for (const type of stood)
      RED.nodes.registerType(type, function (this: Node, def: NodeDef) {
        RED.nodes.createNode(this, def)
        this.on('input', (message, send, done) => {
          if (isNetworkInput.test(type)) send(message)
          else given.push({ to: this.name || type, type, message: structuredClone(message) as FlowMessage })
          if (type === 'http request')
            send({ ...message, statusCode: 200, payload: { ok: true, result: { message_id: 1 } } } as never)
          done()
        })
      })
  }
  return [...coreNodes, standIns]
}

function isStoodFor(type: string): boolean {
  return (
    ['debug', 'http request'].includes(type) ||
    !(isOfNodeRed.test(type) || /^keyholder-|^recorder$/.test(type))
  )
}
