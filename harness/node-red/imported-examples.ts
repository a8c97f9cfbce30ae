import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { FlowMessage } from '../recorder.ts'
import { startTabHarness } from '../tab.ts'
import type { Credentials } from './house-flows.ts'
import type { MessageServer } from './message-server.ts'
import type { FlowNode } from './recorded-flow.ts'

/** The name of the example whose heartbeats measure the time in the Node-RED process. */
export const silent = 'Panel silent'

/** The zone number of the front door. */
export const frontDoor = 1

/** The zone number of a window. */
export const kitchenWindow = 2

/** The zone number of another window. */
export const bedroomWindow = 3

/** The reason for not arming while the kitchen window is open. */
export const kitchenOpen =
  'House (partition 1) is not ready to arm. Close or bypass: Kitchen window (zone 2).'

/**
 * The delays of trigger nodes in seconds, instead of half a minute and five minutes. The tests depend only on the
 * order, not on the delays; two heartbeats arrive within the delay after which a panel counts as silent.
 */
const triggerSeconds: Record<string, number> = {
  'Arm when the last phone leaves': 1,
  'Light when the door opens': 1,
  [silent]: 2,
}

/**
 * Returns nodes that a test adds to the flows of an example. One with the id of a node of the example replaces it, and one
 * can contain its `credentials`.
 */
export type Addition = (flows: readonly FlowNode[]) => FlowNode[]

/** The serial of the first panel of a simulator: a house with three partitions. */
const house = 'A1B2C3'

/** The serial of its second panel, which has no partitions. */
export const cottage = '012345'

/** The Node-RED in which examples run, with its simulator and the server that records their messages. */
export interface ExampleSite {
  readonly simulator: Simulator
  readonly messages: MessageServer
  /** Deploys flows, and waits until they have started. */
  deploy(flows: readonly FlowNode[], credentials: Credentials): Promise<void>
  /** Presses the button of an inject node. */
  press(inject: string, message?: Record<string, unknown>): Promise<void>
  /** Returns the log of Node-RED so far, as far as it is about these flows. */
  log(): Promise<string>
  close(): Promise<void>
}

/** The panel of imported examples, and where they run. */
export interface ExampleOptions {
  /** The serial of the panel; by default that of a house with three partitions. */
  serial?: string
  /** By default, tabs of the Node-RED that test files share. */
  site?: ExampleSite
}

/** Examples, imported into a real Node-RED and set up for a panel of a simulator. */
export class ImportedExamples {
  readonly harness: ExampleSite
  readonly #flows: ReadonlyMap<string, readonly FlowNode[]>
  readonly #serial: string

  private constructor(harness: ExampleSite, flows: ReadonlyMap<string, readonly FlowNode[]>, serial: string) {
    this.harness = harness
    this.#serial = serial
    this.#flows = flows
  }

  /** Imports examples; close it after the tests. */
  static async open(
    names: readonly string[],
    additions: Readonly<Record<string, Addition>> = {},
    { serial = house, site }: ExampleOptions = {},
  ): Promise<ImportedExamples> {
    const harness = site ?? (await startTabHarness())
    const { email, password, userCode } = harness.simulator
    const flows = new Map<string, FlowNode[]>()
    const credentials: Credentials = {}
    for (const name of names) {
      const shipped = await readExample(name)
      const added = (additions[name]?.(shipped) ?? []).map(({ credentials: secrets, ...node }) => {
        if (secrets !== undefined) credentials[node.id] = secrets as Record<string, string>
        return node as FlowNode
      })
      const own = adapt(name, shipped, harness, serial).filter(({ id }) =>
        added.every((node) => node.id !== id),
      )
      flows.set(name, [...own, ...added])
      for (const { id, type } of shipped) {
        if (type === 'keyholder-account') credentials[id] = { email, password }
        if (type === 'keyholder-panel') credentials[id] = { userCode }
      }
    }
    try {
      await harness.deploy(joined([...flows.values()]), credentials)
    } catch (error) {
      if (site === undefined) await harness.close()
      throw error
    }
    return new ImportedExamples(harness, flows, serial)
  }

  /** The panel of all examples. */
  get panel() {
    return this.harness.simulator.world.panel(this.#serial)
  }

  /** The states of the partitions, in the words of the service. */
  get states(): string[] {
    return this.panel.partitions.map(({ state }) => state)
  }

  /** Waits for the first notification of an example that matches; it may have been recorded already. */
  async waitForNotification(example: string, fits: RegExp): Promise<string> {
    const from = `${example}: notification`
    return textOf(await this.harness.messages.from(from).first((message) => fits.test(textOf(message))))
  }

  /** Returns all notifications of an example so far. */
  notifications(example: string): string[] {
    return this.texts(`${example}: notification`)
  }

  /** Returns the payloads of a debug node so far. */
  texts(from: string): string[] {
    return this.harness.messages.from(from).all.map(textOf)
  }

  /** Waits for `count` more heartbeats of the panel. */
  async waitForHeartbeats(count: number, status = 'ok'): Promise<void> {
    const { messages } = this.harness
    const heard = () =>
      messages.from(`${silent}: heartbeats`).all.filter(({ payload }) => payload.status === status).length
    const before = heard()
    await messages.until(() => heard() >= before + count, 'further heartbeats')
  }

  /** Presses the button of the inject node with this name. */
  async press(example: string, name: string, message?: Record<string, unknown>): Promise<void> {
    const inject = this.#flows.get(example)?.find((node) => node.type === 'inject' && node.name === name)
    await this.harness.press(inject?.id ?? assert.fail(`${name} is not there`), message)
  }

  /** Resets the house after a test, and fails if an error was caught or logged. */
  async reset(): Promise<void> {
    const { panel } = this
    panel.goOnline()
    for (const zone of [frontDoor, kitchenWindow, bedroomWindow]) {
      panel.close(zone)
      panel.bypass(zone, false)
    }
    if (!panel.disarmed) panel.disarm(-1)
    const errors = this.harness.messages.all.filter(({ from }) => from.endsWith(': errors'))
    assert.deepEqual(errors, [])
    assert.doesNotMatch(await this.harness.log(), /\[error\]|^\s+at /m)
  }

  close(): Promise<void> {
    return this.harness.close()
  }
}

/** Returns the nodes of an example. */
export async function readExample(example: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(new URL(`../../examples/${example}.json`, import.meta.url), 'utf8'))
}

function textOf({ payload }: FlowMessage): string {
  return String(payload)
}

/**
 * Returns the flows of several examples in one list. The editor keeps the account and the panel of the first example that is
 * imported, and does not import those of the others, because they have the same ids.
 */
export function joined(examples: readonly (readonly FlowNode[])[]): FlowNode[] {
  const byId = new Map<string, FlowNode>()
  for (const node of examples.flat()) {
    const isShared = node.type === 'keyholder-account' || node.type === 'keyholder-panel'
    assert.ok(isShared || !byId.has(node.id), `${node.type} ${node.id} is there twice`)
    if (!byId.has(node.id)) byId.set(node.id, node)
  }
  return [...byId.values()]
}

/**
 * Returns the flows of an example, set up for the simulator, with short intervals, and with recorders in place of its
 * debug nodes.
 */
function adapt(
  example: string,
  flows: readonly FlowNode[],
  harness: ExampleSite,
  serial: string,
): FlowNode[] {
  const { simulator, messages } = harness
  const seconds = triggerSeconds[example]
  const often = { stateEvery: 0.5, eventsEvery: 0.5, devicesEvery: 0.5 }
  const ofType: Record<string, object> = {
    'keyholder-account': { source: 'service', url: simulator.url, requestsPerMinute: 6000 },
    'keyholder-panel': { name: 'Our house', serial, allowCommands: true, ...often },
    'keyholder-health': { every: 0.3 },
    trigger: seconds === undefined ? {} : { duration: `${seconds}`, units: 's' },
  }
  const [tab = ''] = flows.flatMap(({ type, id }) => (type === 'tab' ? [id] : []))
  const post = `post ${tab}`
  const request = { method: 'POST', ret: 'txt', paytoqs: 'ignore', url: messages.url, headers: [] }
  const shown = (node: FlowNode): FlowNode => {
    const from = JSON.stringify(`${example}: ${node.name}`)
    const func = `return { payload: { from: ${from}, message: msg } }`
    return { id: node.id, type: 'function', z: tab, func, outputs: 1, wires: [[post]] }
  }
  // Messages to an MQTT broker are recorded as well.
  const isShown = ({ type }: FlowNode) => type === 'debug' || type === 'mqtt out'
  return [
    ...flows.map((node) => (isShown(node) ? shown(node) : { ...node, ...ofType[node.type] })),
    { id: post, type: 'http request', z: tab, ...request, wires: [[]] },
  ]
}
