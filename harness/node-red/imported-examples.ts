import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type NodeRedHarness, startNodeRedHarness } from '../node-red.ts'
import type { FlowMessage } from '../recorder.ts'
import type { NodeRedProcess } from './node-red-process.ts'
import type { FlowNode } from './recorded-flow.ts'

/** Name of the example whose heartbeats come every second: they measure time on the clock of that Node-RED. */
export const silent = 'Panel silent'

/** Number of the zone of the front door. */
export const frontDoor = 1

/** Number of a zone that is a window. */
export const kitchenWindow = 2

/** Number of another zone that is a window. */
export const bedroomWindow = 3

/** The reason why a panel with an open kitchen window is not armed. */
export const kitchenOpen = 'Not ready to arm: House (partition 1). Open: Kitchen window (zone 2).'

/**
 * Seconds of the trigger nodes, which wait for half a minute and for five minutes as shipped. No test depends on how
 * long they wait, only on which comes first; two heartbeats come in the time that counts as silence.
 */
const triggerSeconds: Record<string, number> = { 'Arm when the last phone leaves': 1, [silent]: 2 }

/** Adds nodes of a test to the flows of an example. */
export type Addition = (flows: readonly FlowNode[]) => FlowNode[]

/** Examples as somebody imports them into a real Node-RED, with the first panel of a simulator. */
export class ImportedExamples {
  readonly harness: NodeRedHarness
  nodeRed: NodeRedProcess
  readonly #flows: ReadonlyMap<string, readonly FlowNode[]>

  private constructor(harness: NodeRedHarness, flows: ReadonlyMap<string, readonly FlowNode[]>) {
    this.harness = harness
    this.#flows = flows
    this.nodeRed = harness.startNodeRed()
  }

  /** Imports examples and starts Node-RED with them; close them after the tests. */
  static async open(
    names: readonly string[],
    additions: Readonly<Record<string, Addition>> = {},
  ): Promise<ImportedExamples> {
    const harness = await startNodeRedHarness()
    const { email, password, userCode } = harness.simulator
    const flows = new Map<string, FlowNode[]>()
    const credentials: Record<string, Record<string, string>> = {}
    for (const name of names) {
      const shipped = await read(name)
      const added = additions[name]?.(shipped) ?? []
      flows.set(name, [...adapt(name, shipped, harness), ...added])
      for (const { id, type } of shipped) {
        if (type === 'keyholder-account') credentials[id] = { email, password }
        if (type === 'keyholder-panel') credentials[id] = { userCode }
      }
    }
    await harness.writeFlowFile([...flows.values()].flat(), credentials)
    const examples = new ImportedExamples(harness, flows)
    await examples.nodeRed.url
    return examples
  }

  /** The panel that all examples look at. */
  get panel() {
    return this.harness.simulator.world.panel('A1B2C3')
  }

  /** The service's words for the states of the partitions. */
  get states(): string[] {
    return this.panel.partitions.map(({ state }) => state)
  }

  /** The first notification of an example that fits, there already or still to come. */
  async waitForNotification(example: string, fits: RegExp): Promise<string> {
    const from = `${example}: notification`
    return textOf(await this.harness.messages.from(from).first((message) => fits.test(textOf(message))))
  }

  /** All notifications of an example so far. */
  notifications(example: string): string[] {
    return this.texts(`${example}: notification`)
  }

  /** The payloads that one debug node would have shown so far. */
  texts(from: string): string[] {
    return this.harness.messages.from(from).all.map(textOf)
  }

  /** Waits for so many more heartbeats of the panel. */
  async waitForHeartbeats(count: number, status = 'ok'): Promise<void> {
    const { messages } = this.harness
    const heard = () =>
      messages.from(`${silent}: heartbeats`).all.filter(({ payload }) => payload.status === status).length
    const before = heard()
    await messages.until(() => heard() >= before + count, 'further heartbeats')
  }

  /** Presses the button of an inject node by its name. */
  async press(example: string, name: string, message?: Record<string, unknown>): Promise<void> {
    const inject = this.#flows.get(example)?.find((node) => node.type === 'inject' && node.name === name)
    await this.nodeRed.press(inject?.id ?? assert.fail(`${name} is not there`), message)
  }

  /** Brings the house to rest after a test, and fails where an error was caught. */
  reset(): void {
    const { panel } = this
    panel.goOnline()
    for (const zone of [frontDoor, kitchenWindow, bedroomWindow]) {
      panel.close(zone)
      panel.bypass(zone, false)
    }
    if (!panel.disarmed) panel.disarm(-1)
    const errors = this.harness.messages.all.filter(({ from }) => from.endsWith(': errors'))
    assert.deepEqual(errors, [])
    assert.doesNotMatch(this.nodeRed.output, /\[error\]|^\s+at /m)
  }

  close(): Promise<void> {
    return this.harness.close()
  }
}

async function read(example: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(new URL(`../../examples/${example}.json`, import.meta.url), 'utf8'))
}

function textOf({ payload }: FlowMessage): string {
  return String(payload)
}

/** The example as somebody imports it who has an account and little time; what its debug nodes show goes to the sink. */
function adapt(example: string, flows: readonly FlowNode[], harness: NodeRedHarness): FlowNode[] {
  const { simulator, messages } = harness
  const seconds = triggerSeconds[example]
  // Ten panel nodes are polled, and all within one allowance.
  const often = { stateEvery: 0.5, eventsEvery: 0.5, devicesEvery: 0.5 }
  const ofType: Record<string, object> = {
    'keyholder-account': { source: 'service', url: simulator.url, requestsPerMinute: 6000 },
    'keyholder-panel': { name: 'Our house', serial: simulator.serials[0], ...often },
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
  // What would go to a broker is seen as well.
  const isShown = ({ type }: FlowNode) => type === 'debug' || type === 'mqtt out'
  return [
    ...flows.map((node) => (isShown(node) ? shown(node) : { ...node, ...ofType[node.type] })),
    { id: post, type: 'http request', z: tab, ...request, wires: [[]] },
  ]
}
