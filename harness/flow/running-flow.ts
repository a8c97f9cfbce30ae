import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeRed, { type Node, type NodeAPI, type NodeContext, type NodeDef } from 'node-red'
import helper from 'node-red-node-test-helper'
import { registrations } from '../../nodes/keyholder.ts'
import { maxStatusLength } from '../../nodes/shared/node-status.ts'
import { showInVain } from '../clock/in-vain.ts'
import { processTime } from '../clock/process-fake-clock.ts'
import { englishText } from '../fixtures/english-texts.ts'
import { type FlowMessage, Recorder, type Until } from '../recorder.ts'
import { createFlowFile, type FlowPart } from './flow-part.ts'

/** The status that the editor shows below a node. */
export interface NodeStatus {
  fill: string
  shape: string
  text: string
}

/** The user directory of this process; as in a real Node-RED, sign-ins and rate limits survive a redeploy. */
export const userDir = mkdtempSync(join(tmpdir(), 'keyholder-nodes-'))
process.once('exit', () => rmSync(userDir, { recursive: true, force: true }))

/**
 * Settings for intervals of less than a second, and without a timeout for closing nodes: the clock stands still while
 * a flow stops, so a node that waits for the clock never closes and its test fails.
 */
const testSettings = { userDir, keyholderPanelPollFloor: 0.05, nodeCloseTimeout: 2 ** 31 - 1 }

// A real Node-RED does this before it loads nodes; without it no node can declare a setting.
const { log, nodes, settings, version } = nodeRed as unknown as {
  log: Record<'addHandler' | 'removeHandler', (handler: EventEmitter) => void>
  nodes: { loadFlows(forceStart: boolean): Promise<unknown> }
  settings: { init(settings: object): void }
  version(): string
}
settings.init({})

// The helper registers such a type again for each of its nodes, and fails at the second one.
for (const [type, register] of Object.entries(helper._nodeModules)) {
  const registered = new WeakSet<NodeAPI>()
  helper._nodeModules[type] = (RED) => {
    if (!registered.has(RED)) register(RED)
    registered.add(RED)
  }
}

/** The level of errors in Node-RED's log. */
const errorLevel = 20

/** The methods of which the helper notes each call with all that was passed, and nobody reads these notes. */
const { log: logOf, status, warn, debug, trace, send } = helper._NodePrototype
const unread = { log: logOf, status, warn, debug, trace, send }

/** Milliseconds of real time, longer than a deploy takes on a slow machine. */
const maxDeployTime = 20_000

type Register = (RED: NodeAPI) => void

const waitInProcessTime: Until = (condition, describe) => processTime.until(condition, describe)

/** The flow that runs in Node-RED inside this process, with recorders for its messages and statuses. */
export class RunningFlow {
  readonly #ids = new Map<string, string>()
  readonly #outputs = new Map<string, Recorder<FlowMessage>>()
  readonly #statuses = new Map<string, Recorder<NodeStatus>>()
  readonly #unhandled: unknown[] = []
  /** The errors that nodes passed to `error` or `done`, before Node-RED converts them to messages. */
  readonly errors: unknown[] = []
  /** All lines of the log. */
  readonly logged: unknown[] = []
  readonly #logHandler = new EventEmitter().on('log', (line) => this.logged.push(line))
  readonly #noteRejection = (reason: unknown) => this.#unhandled.push(reason)
  #events = new EventEmitter()
  #stopStatuses = () => {}
  #hideStatuses = () => {}

  /** Starts Node-RED with these parts; stop it after the test. */
  async start(
    parts: readonly FlowPart[],
    { settings = {}, types = [] }: { settings?: object; types?: readonly Register[] } = {},
  ): Promise<void> {
    process.on('unhandledRejection', this.#noteRejection)
    log.addHandler(this.#logHandler)
    this.#hideStatuses = showInVain(() => [`Statuses: ${this.#latestStatuses}`])
    this.#rememberIds(parts)
    helper.settings({ ...testSettings, ...settings })
    const own = Object.values(registrations)
    const recorders = [(RED: NodeAPI) => this.#addRecorders(RED)]
    await helper.load([...recorders, ...own, ...types], createFlowFile(parts), credentials(parts))
    Object.assign(helper._NodePrototype, unread)
    helper.log().restore()
    for (const { account, panel, ids } of parts) {
      for (const id of [account, panel, ...ids.values()]) {
        helper.getNode(id)?.on('call:error', ({ args: [error] }) => this.errors.push(error))
      }
    }
  }

  /** Deploys these parts in place of the current ones; nodes that are the same keep running. */
  deploy(...parts: FlowPart[]): Promise<void> {
    return this.deployAs('nodes', ...parts)
  }

  /** Deploys these parts with one of the kinds of deploys that the editor has; `reload` starts the parts of the start anew. */
  async deployAs(kind: 'full' | 'flows' | 'nodes' | 'reload', ...parts: FlowPart[]): Promise<void> {
    this.#rememberIds(parts)
    const deployed =
      kind === 'reload'
        ? nodes.loadFlows(true)
        : helper.setFlows(createFlowFile(parts), kind, credentials(parts)).catch(ignoreTimeout)
    await Promise.all([
      deployed,
      once(this.#events, 'flows:started', { signal: AbortSignal.timeout(maxDeployTime) }),
    ])
  }

  /** The messages of a node. */
  output(name: string): Recorder<FlowMessage> {
    return this.#outputOf(`out ${this.#id(name)}`)
  }

  /** The messages of the Catch node. */
  get caught(): Recorder<FlowMessage> {
    return this.#outputOf('caught')
  }

  /** The messages of the Complete node. */
  get completed(): Recorder<FlowMessage> {
    return this.#outputOf('completed')
  }

  /** The statuses of a node since its start. */
  status(name: string): Recorder<NodeStatus> {
    return this.#statusOf(this.#id(name))
  }

  /** All statuses of all nodes. */
  get statuses(): NodeStatus[] {
    return [...this.#statuses.values()].flatMap(({ all }) => all)
  }

  /** The errors in the log; Node-RED logs an error if no Catch node catches it. */
  get loggedErrors(): unknown[] {
    return this.logged.filter((line) => (line as { level: number }).level === errorLevel)
  }

  /** Returns true if a node runs: it is not disabled. */
  has(name: string): boolean {
    return Boolean(helper.getNode(this.#id(name)))
  }

  /** Returns the contexts of a node. */
  context(name: string): NodeContext {
    return helper.getNode(this.#id(name))?.context() ?? assert.fail(`there is no node ${name}`)
  }

  /** Sends a message to a node. */
  input(name: string, message: object = {}): void {
    const node = helper.getNode(this.#id(name))
    assert.ok(node, `there is no node ${name}`)
    node.receive(message)
  }

  /** Stops Node-RED, and fails if a rejection was not handled or a status is too long. */
  async stop(): Promise<void> {
    this.#hideStatuses()
    await helper.unload()
    this.#stopStatuses()
    // Node.js reports an unhandled rejection after the current turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', this.#noteRejection)
    log.removeHandler(this.#logHandler)
    assert.deepEqual(this.#unhandled, [])
    for (const { text } of this.statuses)
      assert.ok(text.length <= maxStatusLength, `"${text}" is too long for a status`)
  }

  /** The status that the editor shows below each node. */
  get #latestStatuses(): string {
    const names = new Map([...this.#ids].map(([name, id]) => [id, name]))
    const latest = [...this.#statuses].flatMap(([id, { all }]) => {
      const { text } = all.at(-1) ?? {}
      return text === undefined ? [] : [`${names.get(id) ?? id} "${text}"`]
    })
    return latest.join(', ')
  }

  #rememberIds(parts: readonly FlowPart[]): void {
    for (const { ids } of parts) for (const [name, id] of ids) this.#ids.set(name, id)
  }

  #id(name: string): string {
    return this.#ids.get(name) ?? name
  }

  #outputOf(id: string): Recorder<FlowMessage> {
    const recorder = this.#outputs.get(id) ?? new Recorder<FlowMessage>(id, waitInProcessTime)
    this.#outputs.set(id, recorder)
    return recorder
  }

  #statusOf(id: string): Recorder<NodeStatus> {
    const recorder = this.#statuses.get(id) ?? new Recorder<NodeStatus>(`status of ${id}`, waitInProcessTime)
    this.#statuses.set(id, recorder)
    return recorder
  }

  /** Adds the recorders, and the parts of a real Node-RED that the helper lacks: its version, the hooks and the texts. */
  #addRecorders(RED: NodeAPI): void {
    Object.assign(RED, { _: englishText, version, hooks: nodeRed.hooks })
    const note = ({ id, status }: { id: string; status?: Partial<NodeStatus> }) => {
      // Node-RED clears the status of a deleted node.
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

/** Ignores the timeout of the helper: it waits only 0.3 seconds for the flows to start. */
function ignoreTimeout(thrown: Error): void {
  if (thrown.message !== 'timeout waiting event') throw thrown
}

function credentials(parts: readonly FlowPart[]): object {
  return Object.assign({}, ...parts.map((part) => part.credentials))
}
