import assert from 'node:assert/strict'
import type { NodeAPI, NodeContext, NodeDef } from 'node-red'
import { englishText } from '../../fixtures/english-texts.ts'
import { createFlowFile, type FlowPart } from '../../flow/flow-part.ts'
import type { NodeStatus } from '../../flow/running-flow.ts'
import { type FlowMessage, Recorder } from '../../recorder.ts'
import type { NodeDefinition } from './flow-file.ts'
import type { FlowNode, Message } from './flow-node.ts'
import { type LogLine, logLevels } from './log-line.ts'
import { type DeployKind, NodeRed, type NodeRedOptions } from './node-red.ts'
import type { Credentials } from './stored-credentials.ts'

/** The options of a simulated flow: those of its Node-RED, and the types of its nodes. */
export interface SimulatedFlowOptions
  extends Pick<NodeRedOptions, 'userDir' | 'settings' | 'queue' | 'clock'> {
  types: readonly ((RED: NodeAPI) => void)[]
}

/**
 * A flow in a simulated Node-RED, with recorders for its messages and statuses. It has the methods of `RunningFlow`, but
 * no waits: the simulation itself lets time pass.
 */
export class SimulatedFlow {
  /** The errors that nodes have reported, before they became messages. */
  readonly errors: unknown[] = []
  /** All lines of the log. */
  readonly logged: LogLine[] = []
  readonly #nodeRed: NodeRed
  readonly #ids = new Map<string, string>()
  readonly #outputs = new Map<string, Recorder<FlowMessage>>()
  readonly #statuses = new Map<string, Recorder<NodeStatus>>()

  constructor(parts: readonly FlowPart[], { types, ...options }: SimulatedFlowOptions) {
    this.#rememberIds(parts)
    this.#nodeRed = new NodeRed({
      ...options,
      translate: englishText,
      flows: flowFile(parts),
      credentials: credentialsOf(parts),
      log: (line) => this.logged.push(line),
      onError: (_id, error) => this.errors.push(error),
    })
    this.#addRecorders(this.#nodeRed.RED)
    for (const register of types) register(this.#nodeRed.RED)
  }

  /** The Node-RED that the flow runs in. */
  get nodeRed(): NodeRed {
    return this.#nodeRed
  }

  /** Starts the flow. */
  start(): Promise<void> {
    return this.#nodeRed.start()
  }

  /** Deploys these parts in place of the present ones; nodes that are the same keep running. */
  deploy(...parts: FlowPart[]): Promise<void> {
    return this.deployAs('nodes', ...parts)
  }

  /** Deploys these parts with a deploy of another kind. */
  deployAs(kind: DeployKind, ...parts: FlowPart[]): Promise<void> {
    this.#rememberIds(parts)
    return this.#nodeRed.deploy(flowFile(parts), credentialsOf(parts), kind)
  }

  /** Stops all nodes; resolves when they have closed. */
  stop(): Promise<void> {
    return this.#nodeRed.stop()
  }

  /** The messages of a node. */
  output(name: string): Recorder<FlowMessage> {
    return recorderOf(this.#outputs, `out ${this.#id(name)}`)
  }

  /** The messages of the Catch node. */
  get caught(): Recorder<FlowMessage> {
    return recorderOf(this.#outputs, 'caught')
  }

  /** The messages of the Complete node. */
  get completed(): Recorder<FlowMessage> {
    return recorderOf(this.#outputs, 'completed')
  }

  /** The statuses of a node since its start. */
  status(name: string): Recorder<NodeStatus> {
    return recorderOf(this.#statuses, this.#id(name))
  }

  /** The errors in the log; Node-RED logs an error if no Catch node catches it. */
  get loggedErrors(): LogLine[] {
    return this.logged.filter(({ level }) => level === logLevels.ERROR)
  }

  /** Returns true if a node runs: it is not disabled. */
  has(name: string): boolean {
    return Boolean(this.#nodeRed.getNode(this.#id(name)))
  }

  /** Returns the contexts of a node. */
  context(name: string): NodeContext {
    return this.#node(name).context()
  }

  /** Sends a message to a node. */
  input(name: string, message: object = {}): void {
    this.#node(name).receive(message as Message)
  }

  #node(name: string): FlowNode {
    return this.#nodeRed.getNode(this.#id(name)) ?? assert.fail(`there is no node ${name}`)
  }

  #rememberIds(parts: readonly FlowPart[]): void {
    for (const { ids } of parts) for (const [name, id] of ids) this.#ids.set(name, id)
  }

  #id(name: string): string {
    return this.#ids.get(name) ?? name
  }

  #addRecorders(RED: NodeAPI): void {
    RED.events.on('node-status', ({ id, status }: { id: string; status?: Partial<NodeStatus> }) => {
      // Node-RED clears the status of a deleted node.
      if (status?.text !== undefined)
        recorderOf(this.#statuses, id).add({ fill: '', shape: '', text: '', ...status })
    })
    const outputs = this.#outputs
    RED.nodes.registerType('recorder', function (this: FlowNode, def: NodeDef) {
      RED.nodes.createNode(this as never, def)
      this.on('input', (message: FlowMessage, _send: unknown, done: () => void) => {
        recorderOf(outputs, this.id).add(message)
        done()
      })
    } as never)
  }
}

function recorderOf<T>(recorders: Map<string, Recorder<T>>, id: string): Recorder<T> {
  const recorder = recorders.get(id) ?? new Recorder<T>(id, refuseToWait)
  recorders.set(id, recorder)
  return recorder
}

/** Lets no test wait in a simulation, where only the simulation lets time pass. */
async function refuseToWait(condition: () => boolean, describe: () => string): Promise<void> {
  if (!condition()) throw new Error(`A simulation does not wait for ${describe()}`)
}

function credentialsOf(parts: readonly FlowPart[]): Credentials {
  return Object.assign({}, ...parts.map((part) => part.credentials))
}

function flowFile(parts: readonly FlowPart[]): NodeDefinition[] {
  return createFlowFile(parts) as NodeDefinition[]
}
