import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import nodeRed, { type Node, type NodeAPI, type NodeDef } from 'node-red'
import helper from 'node-red-node-test-helper'
import { type FlowReport, startFlowReport } from '../../nodes/rehearsal/flow-report.ts'
import type { Clock } from '../../src/clock.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'
import type { FlowMessage } from '../recorder.ts'

const load = createRequire(import.meta.url)

const { log } = nodeRed as unknown as {
  log: Record<'addHandler' | 'removeHandler', (handler: object) => void>
}

const loadCore = (file: string) => load(`@node-red/nodes/core/${file}.js`) as (RED: NodeAPI) => void

/** The nodes of Node-RED itself that flows use, without those that show or send something, or that the helper may load. */
export const coreNodes = [
  ...[
    'common/05-junction',
    'common/60-link',
    'common/90-comment',
    'function/10-function',
    'function/10-switch',
    'function/15-change',
  ],
  ...[
    'function/80-template',
    'function/89-delay',
    'function/89-trigger',
    'function/rbe',
    'sequence/17-split',
  ],
].map(loadCore)

/** The types that these nodes and the runtime register. */
export const isOfNodeRed =
  /^(tab|group|subflow.*|junction|debug|complete|catch|status|link .+|comment|function|switch|change|template|delay|trigger|rbe|split|join|http request)$/

/** Types of other nodes, each with what it does with a message; those that the flows name besides get it and are done. */
export type Behaviors = Record<
  string,
  (done: (error?: Error) => void, send: (message: FlowMessage) => void) => void
>

/** Turns of the event loop; a switch node needs one for each message, and never says that it is done. */
const quietTurns = 50

/** The steps after which a flow counts as endless. */
const maxSteps = 2000

/** A flow in a real Node-RED in this process, in which a test plays the nodes of a panel. */
export class RehearsedFlow {
  #clock: FakeClock | undefined
  readonly #RED: NodeAPI
  readonly #flow: readonly FlowNode[]
  readonly #handlers: readonly object[]
  readonly #waiting = new Map<string, () => void>()
  /** The number of messages that nodes have received and finished. */
  #steps = 0

  private constructor(RED: NodeAPI, flow: readonly FlowNode[], handlers: readonly object[]) {
    this.#RED = RED
    this.#flow = flow
    this.#handlers = handlers
  }

  /** Starts the flow; stop it after the test. */
  static async start(flow: readonly FlowNode[], behaviors: Behaviors = {}): Promise<RehearsedFlow> {
    ;(nodeRed as unknown as { settings: { init(settings: object): void } }).settings.init({})
    let api: NodeAPI | undefined
    const others = new Set(flow.map(({ type }) => type).filter((type) => !isOfNodeRed.test(type)))
    const register = (RED: NodeAPI) => {
      // The helper lacks them.
      api = Object.assign(RED, { hooks: nodeRed.hooks })
      for (const type of others) {
        RED.nodes.registerType(type, function (this: Node, def: NodeDef) {
          RED.nodes.createNode(this, def)
          const behavior = behaviors[type] ?? ((done) => done())
          this.on('input', (_message, send, done) => behavior(done, send))
        })
      }
    }
    helper.settings({ functionTimeout: 0 })
    // Without a place it would be a config node.
    const placed = flow.map((node) => (node.wires === undefined ? node : { x: 100, y: 100, ...node }))
    const shown = [
      ...['common/21-debug', 'network/21-httprequest', 'common/24-complete', 'common/25-catch'],
      'common/25-status',
    ].map(loadCore)
    const handlers = await loadWithHandlers(() => helper.load([...coreNodes, ...shown, register], [], {}))
    const RED = api ?? assert.fail('no types were registered')
    // The helper itself waits only 0.3 seconds for the flows to start, and cannot load two Catch nodes.
    const started = once(RED.events, 'flows:started')
    helper.setFlows(placed, 'full', {}).catch(() => {})
    await started
    const rehearsed = new RehearsedFlow(RED, flow, handlers)
    rehearsed.#count()
    return rehearsed
  }

  /** The clock of the report, unless a test gives another one. */
  get clock(): FakeClock {
    this.#clock ??= new FakeClock()
    return this.#clock
  }

  /** The hooks of the report that Node-RED has now. */
  get hooks(): string[] {
    return ['onSend', 'preDeliver', 'onReceive', 'onComplete'].filter((hook) =>
      this.#RED.hooks.has(`${hook}.keyholder-rehearsal`),
    )
  }

  /** The ids of the running nodes of the panel. */
  get sources(): string[] {
    return this.#nodes.map(({ id }) => id)
  }

  /**
   * Plays messages, each from all nodes of its type, and returns the report when the nodes have finished.
   * @param messages in order, with the name of the type after `keyholder-`
   * @param during called after the messages; the report ends after it
   * @param clock the system clock for a flow that opens sockets
   */
  async rehearse(
    messages: readonly (readonly [type: string, message: FlowMessage])[],
    during: () => unknown = () => {},
    clock: Clock = this.clock,
  ): Promise<FlowReport> {
    const nodes = this.#nodes
    const report = startFlowReport(this.#RED, {
      panelNode: { id: 'panel' },
      nodes,
      clock,
    })
    report.beginScene()
    report.noteDeed()
    for (const [type, message] of messages)
      for (const node of nodes.filter((one) => one.type === `keyholder-${type}`))
        node.send([[structuredClone({ ...message, rehearsal: true })]] as never)
    await during()
    await this.#quiet()
    return report.finish()
  }

  /** Returns a running node. */
  node(id: string): { receive(message: object): void } {
    return helper.getNode(id) ?? assert.fail(`there is no node ${id}`)
  }

  /** Resolves when a node is done with a message. */
  done(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  async stop(): Promise<void> {
    this.#RED.hooks.remove('*.test')
    for (const handler of this.#handlers) log.removeHandler(handler)
    await helper.unload()
  }

  #count(): void {
    const { hooks } = this.#RED
    hooks.add('onReceive.test', (_event: unknown) => {
      this.#steps += 1
    })
    hooks.add('onComplete.test', ({ node }: { node: { id: string } }) => {
      this.#steps += 1
      this.#waiting.get(node.id)?.()
    })
  }

  /** Waits until no node has got or finished a message for many turns of the event loop, or the flow is endless. */
  async #quiet(): Promise<void> {
    for (let turns = 0, seen = -1; turns < quietTurns && this.#steps < maxSteps; turns += 1) {
      if (seen !== this.#steps) turns = 0
      seen = this.#steps
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  get #nodes(): Node[] {
    return this.#flow.flatMap(({ id, type, panel }) => {
      const node = type.startsWith('keyholder-') && panel !== undefined ? this.#RED.nodes.getNode(id) : null
      return node ? [node] : []
    })
  }
}

/**
 * Loads nodes, and returns the handlers of the log that they add. That of the Debug node changes the lines for all handlers after it, also
 * those of later tests in the same process.
 */
async function loadWithHandlers(load: () => Promise<unknown>): Promise<object[]> {
  const { addHandler } = log
  const handlers: object[] = []
  let isLoading = true
  // The object RED of the nodes keeps this function.
  log.addHandler = (handler) => {
    if (isLoading) handlers.push(handler)
    addHandler(handler)
  }
  try {
    await load()
  } finally {
    isLoading = false
    log.addHandler = addHandler
  }
  return handlers
}
