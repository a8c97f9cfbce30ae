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
import { labTime } from '../clock/process-fake-clock.ts'
import { word } from '../fixtures/english-texts.ts'
import { flowFile, type Part } from './flow-part.ts'
import { Inbox, patience } from './inbox.ts'

/** A message as a flow sees it. */
// biome-ignore lint/suspicious/noExplicitAny: a flow may ask anything of a message, and so may a test
export type Seen = Record<string, any>

/** What stands below a node in the editor. */
export interface Light {
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
const lab = { userDir, keyholderPanelPollFloor: 0.05, nodeCloseTimeout: 2 ** 31 - 1 }

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
export class Flow {
  readonly #ids = new Map<string, string>()
  readonly #outputs = new Map<string, Inbox<Seen>>()
  readonly #lights = new Map<string, Inbox<Light>>()
  readonly #unhandled: unknown[] = []
  /** What nodes gave to `error` and `done`, as it was before Node-RED made a message of it. */
  readonly errors: unknown[] = []
  readonly #note = (reason: unknown) => this.#unhandled.push(reason)
  #events = new EventEmitter()
  #forgetLights = () => {}

  /** Starts Node-RED with these parts; `stop` it after the test. */
  async start(
    parts: readonly Part[],
    { settings = {}, types = [] }: { settings?: object; types?: readonly Register[] } = {},
  ): Promise<void> {
    process.on('unhandledRejection', this.#note)
    this.#learn(parts)
    helper.settings({ ...lab, ...settings })
    const own = [account, panel, state, readings, events, query, command, health]
    const surroundings = [(RED: NodeAPI) => this.#surround(RED)]
    await helper.load([...surroundings, ...own, ...types], flowFile(parts), credentials(parts))
    for (const { account, panel, ids } of parts) {
      for (const id of [account, panel, ...ids.values()]) {
        helper.getNode(id)?.on('call:error', ({ args: [error] }) => this.errors.push(error))
      }
    }
  }

  /** Deploys these parts instead; what is the same goes on, what is gone is removed. */
  async deploy(...parts: Part[]): Promise<void> {
    this.#learn(parts)
    const deployed = helper.setFlows(flowFile(parts), 'nodes', credentials(parts)).catch(unlessImpatient)
    await Promise.all([
      deployed,
      once(this.#events, 'flows:started', { signal: AbortSignal.timeout(patience) }),
    ])
  }

  /** What the node sent. */
  out(name: string): Inbox<Seen> {
    return this.#output(`out ${this.#id(name)}`)
  }

  /** What reached the Catch node. */
  get caught(): Inbox<Seen> {
    return this.#output('caught')
  }

  /** What reached the Complete node. */
  get completed(): Inbox<Seen> {
    return this.#output('completed')
  }

  /** What the node showed, from its first moment on. */
  light(name: string): Inbox<Light> {
    return this.#lightOf(this.#id(name))
  }

  /** All lights of all nodes. */
  get lights(): Light[] {
    return [...this.#lights.values()].flatMap(({ all }) => all)
  }

  /** All that was logged. */
  get logged(): unknown[] {
    return helper.log().args.flat()
  }

  /** The errors that were logged, because no Catch node heard them. */
  get errorsLogged(): unknown[] {
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
    this.#forgetLights()
    // Node.js tells of a rejection after the turn in which nobody handled it.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', this.#note)
    assert.deepEqual(this.#unhandled, [])
    for (const { text } of this.lights) assert.ok(text.length <= 20, `"${text}" is too long for a status`)
  }

  #learn(parts: readonly Part[]): void {
    for (const { ids } of parts) for (const [name, id] of ids) this.#ids.set(name, id)
  }

  #id(name: string): string {
    return this.#ids.get(name) ?? name
  }

  #output(id: string): Inbox<Seen> {
    const inbox = this.#outputs.get(id) ?? new Inbox<Seen>(id, labTime)
    this.#outputs.set(id, inbox)
    return inbox
  }

  #lightOf(id: string): Inbox<Light> {
    const inbox = this.#lights.get(id) ?? new Inbox<Light>(`status of ${id}`, labTime)
    this.#lights.set(id, inbox)
    return inbox
  }

  /** What a real Node-RED has and the helper has not, a version and the texts of the catalogue; and our ears. */
  #surround(RED: NodeAPI): void {
    Object.assign(RED, { _: word, version })
    const note = ({ id, status }: { id: string; status?: Partial<Light> }) => {
      // A deleted node is put out by Node-RED.
      if (status?.text !== undefined) this.#lightOf(id).add({ fill: '', shape: '', text: '', ...status })
    }
    this.#events = RED.events
    RED.events.on('node-status', note)
    this.#forgetLights = () => RED.events.off('node-status', note)
    const output = (id: string) => this.#output(id)
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

function credentials(parts: readonly Part[]): object {
  return Object.assign({}, ...parts.map((part) => part.credentials))
}
