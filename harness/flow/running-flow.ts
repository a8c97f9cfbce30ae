import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeRed, { type Node, type NodeAPI, type NodeDef } from 'node-red'
import helper from 'node-red-node-test-helper'
import account from '../../nodes/account.ts'
import command from '../../nodes/command.ts'
import events from '../../nodes/events.ts'
import health from '../../nodes/health.ts'
import panel from '../../nodes/panel.ts'
import query from '../../nodes/query.ts'
import readings from '../../nodes/readings.ts'
import state from '../../nodes/state.ts'
import { processTime } from '../clock/process-fake-clock.ts'
import { englishText } from '../fixtures/english-texts.ts'
import { createFlowFile, type FlowPart } from './flow-part.ts'
import { Inbox, patience } from './inbox.ts'

/** A message as a flow sees it. */
// biome-ignore lint/suspicious/noExplicitAny: a flow may ask anything of a message, and so may a test
export type Seen = Record<string, any>

/** What stands below a node in the editor. */
export interface NodeStatus {
  fill: string
  shape: string
  text: string
}

/** One user directory for the process, as in a real Node-RED: sign-ins and budgets outlast a redeploy. */
export const userDir = mkdtempSync(join(tmpdir(), 'keyholder-nodes-'))
process.once('exit', () => rmSync(userDir, { recursive: true, force: true }))

/**
 * Intervals of less than a second are for a lab only. The time stands still while a flow stops: a node that waits for
 * it would never close, and its test fails.
 */
const settingsOfTests = { userDir, keyholderPanelPollFloor: 0.05, nodeCloseTimeout: 2 ** 31 - 1 }

// A real Node-RED has done this by the time it loads nodes; without it none can declare a setting.
const { settings, version } = nodeRed as unknown as {
  settings: { init(settings: object): void }
  version(): string
}
settings.init({})

/** Of Node-RED's log. */
const errorLevel = 20

type Register = (RED: NodeAPI) => void

/** What runs in Node-RED now, and what came out of it. */
export class RunningFlow {
  readonly #ids = new Map<string, string>()
  readonly #outputs = new Map<string, Inbox<Seen>>()
  readonly #statuses = new Map<string, Inbox<NodeStatus>>()
  readonly #unhandled: unknown[] = []
  /** What nodes gave to `error` and `done`, as it was before Node-RED made a message of it. */
  readonly errors: unknown[] = []
  readonly #noteRejection = (reason: unknown) => this.#unhandled.push(reason)
  #events = new EventEmitter()
  #stopStatuses = () => {}

  /** Starts Node-RED with these parts; `stop` it after the test. */
  async start(
    parts: readonly FlowPart[],
    { settings = {}, types = [] }: { settings?: object; types?: readonly Register[] } = {},
  ): Promise<void> {
    process.on('unhandledRejection', this.#noteRejection)
    this.#rememberIds(parts)
    helper.settings({ ...settingsOfTests, ...settings })
    const own = [account, panel, state, readings, events, query, command, health]
    const surroundings = [(RED: NodeAPI) => this.#addRecorders(RED)]
    await helper.load([...surroundings, ...own, ...types], createFlowFile(parts), credentials(parts))
    for (const { account, panel, ids } of parts) {
      for (const id of [account, panel, ...ids.values()]) {
        helper.getNode(id)?.on('call:error', ({ args: [error] }) => this.errors.push(error))
      }
    }
  }

  /** Deploys these parts instead; what is the same goes on, what is gone is removed. */
  async deploy(...parts: FlowPart[]): Promise<void> {
    this.#rememberIds(parts)
    const deployed = helper
      .setFlows(createFlowFile(parts), 'nodes', credentials(parts))
      .catch(unlessImpatient)
    await Promise.all([
      deployed,
      once(this.#events, 'flows:started', { signal: AbortSignal.timeout(patience) }),
    ])
  }

  /** What the node sent. */
  output(name: string): Inbox<Seen> {
    return this.#outputOf(`out ${this.#id(name)}`)
  }

  /** What reached the Catch node. */
  get caught(): Inbox<Seen> {
    return this.#outputOf('caught')
  }

  /** What reached the Complete node. */
  get completed(): Inbox<Seen> {
    return this.#outputOf('completed')
  }

  /** What the node showed, from its first moment on. */
  status(name: string): Inbox<NodeStatus> {
    return this.#statusOf(this.#id(name))
  }

  /** All lights of all nodes. */
  get statuses(): NodeStatus[] {
    return [...this.#statuses.values()].flatMap(({ all }) => all)
  }

  /** All that was logged. */
  get logged(): unknown[] {
    return helper.log().args.flat()
  }

  /** The errors that were logged, because no Catch node heard them. */
  get loggedErrors(): unknown[] {
    return this.logged.filter((line) => (line as { level: number }).level === errorLevel)
  }

  /** Gives the node a message. */
  input(name: string, message: object = {}): void {
    const node = helper.getNode(this.#id(name))
    assert.ok(node, `${name} is not there`)
    node.receive(message)
  }

  /** Stops Node-RED, as its end does; fails if a rejection went unhandled meanwhile. */
  async stop(): Promise<void> {
    await helper.unload()
    this.#stopStatuses()
    // Node.js tells of a rejection after the turn in which nobody handled it.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', this.#noteRejection)
    assert.deepEqual(this.#unhandled, [])
    for (const { text } of this.statuses) assert.ok(text.length <= 20, `"${text}" is too long for a status`)
  }

  #rememberIds(parts: readonly FlowPart[]): void {
    for (const { ids } of parts) for (const [name, id] of ids) this.#ids.set(name, id)
  }

  #id(name: string): string {
    return this.#ids.get(name) ?? name
  }

  #outputOf(id: string): Inbox<Seen> {
    const inbox = this.#outputs.get(id) ?? new Inbox<Seen>(id, processTime)
    this.#outputs.set(id, inbox)
    return inbox
  }

  #statusOf(id: string): Inbox<NodeStatus> {
    const inbox = this.#statuses.get(id) ?? new Inbox<NodeStatus>(`status of ${id}`, processTime)
    this.#statuses.set(id, inbox)
    return inbox
  }

  /** What a real Node-RED has and the helper has not, a version and the texts of the catalogue; and our ears. */
  #addRecorders(RED: NodeAPI): void {
    Object.assign(RED, { _: englishText, version })
    const note = ({ id, status }: { id: string; status?: Partial<NodeStatus> }) => {
      // A deleted node is put out by Node-RED.
      if (status?.text !== undefined) this.#statusOf(id).add({ fill: '', shape: '', text: '', ...status })
    }
    this.#events = RED.events
    RED.events.on('node-status', note)
    this.#stopStatuses = () => RED.events.off('node-status', note)
    const output = (id: string) => this.#outputOf(id)
    RED.nodes.registerType('recorder', function (this: Node, def: NodeDef) {
      RED.nodes.createNode(this, def)
      this.on('input', (message, _send, done) => {
        output(this.id).add(message)
        done()
      })
    })
  }
}

/** The helper waits 0.3 seconds for the flows to start, which is not enough where the machine stands still. */
function unlessImpatient(thrown: Error): void {
  if (thrown.message !== 'timeout waiting event') throw thrown
}

function credentials(parts: readonly FlowPart[]): object {
  return Object.assign({}, ...parts.map((part) => part.credentials))
}
