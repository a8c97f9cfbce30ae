import { EventEmitter } from 'node:events'
import type { NodeAPI } from 'node-red'
import { registerCoreNodes } from './core-nodes.ts'
import { Flow } from './flow.ts'
import { changesBetween, type FlowChanges } from './flow-changes.ts'
import { copied, type FlowFile, type NodeDefinition, readFlowFile } from './flow-file.ts'
import type { FlowNode, NodeOwner } from './flow-node.ts'
import { type LogLine, logLevels } from './log-line.ts'
import { MessageHooks } from './message-hooks.ts'
import { type AdminRoute, createNodeApi } from './node-api.ts'
import { NodeContexts } from './node-contexts.ts'
import { RegisteredTypes } from './registered-types.ts'
import type { Runtime } from './runtime.ts'
import { type Credentials, StoredCredentials } from './stored-credentials.ts'

/** The part of the flows that a deploy starts anew; `reload` starts all of them from what is stored. */
export type DeployKind = 'full' | 'flows' | 'nodes' | 'reload'

/** The options with which a process of Node-RED starts. */
export interface NodeRedOptions {
  userDir: string
  /** The settings of settings.js; `instanceId` names this Node-RED. */
  settings?: Record<string, unknown>
  /** Lets a piece of work happen in a later step; it stands for `setImmediate`. */
  queue: (work: () => void) => void
  /** The time of log lines, and of the timeout of nodes that close. Without it both are missing. */
  clock?: { wall(): number; after(ms: number, callback: () => void): () => void }
  /** Gets each line of the log. */
  log?: (line: LogLine) => void
  /** Gets each error that a node reports, before it becomes a message. */
  onError?: (id: string, error: unknown) => void
  /** Returns the text of a key; see `RED._`. */
  translate?: (key: string, values?: Record<string, string>) => string
  environment?: Readonly<Record<string, string>>
  /** The flow file, and the secrets of its nodes. */
  flows: readonly NodeDefinition[]
  credentials: Credentials
}

/** The flows and secrets that a Node-RED has stored: its next process starts with it. */
export interface StoredFlows {
  flows: NodeDefinition[]
  credentials: Credentials
}

const noChanges: FlowChanges = {
  added: [],
  changed: [],
  removed: [],
  rewired: [],
  linked: [],
  flowChanged: [],
}

/** Milliseconds that Node-RED gives each node to close, without a setting. */
const usualCloseTimeout = 15_000

/**
 * One Node-RED process in a simulation: the object RED for nodes, and what nodes notice of Node-RED. It has no timers, no
 * files and no state that it shares with other ones. A test compares it with the real Node-RED.
 */
export class NodeRed implements Runtime {
  readonly RED: NodeAPI
  readonly events = new EventEmitter().setMaxListeners(0)
  readonly hooks = new MessageHooks()
  readonly contexts = new NodeContexts()
  /** The routes that nodes have added to the admin API. */
  readonly routes: AdminRoute[] = []
  readonly #options: NodeRedOptions
  readonly #credentials: StoredCredentials
  readonly #types: RegisteredTypes
  readonly #logHandlers = new Set<Pick<EventEmitter, 'emit'>>()
  readonly #flows = new Map<string, Flow>()
  #stored: StoredFlows
  #file: FlowFile = readFlowFile([], () => true)
  #isStarted = false
  #ids = 0

  constructor(options: NodeRedOptions) {
    this.#options = options
    this.#stored = copied({ flows: [...options.flows], credentials: options.credentials })
    this.#credentials = new StoredCredentials(options.credentials)
    this.#types = new RegisteredTypes(this.#credentials)
    this.RED = createNodeApi({
      settings: { ...options.settings, userDir: options.userDir },
      events: this.events,
      hooks: this.hooks,
      types: this.#types,
      credentials: this.#credentials,
      handlers: this.#logHandlers,
      routes: this.routes,
      translate: options.translate ?? ((key) => key),
      getNode: (id) => this.getNode(id),
      eachNode: (callback) => {
        for (const definition of this.#file.all.values()) callback(definition)
      },
      log: (line) => this.log(line),
      nextId: () => this.nextId(),
    })
    registerCoreNodes(this.RED)
  }

  /** The flows and secrets that the latest deploy has stored. */
  get stored(): StoredFlows {
    return copied(this.#stored)
  }

  get closeTimeout(): number {
    return Number(this.#options.settings?.nodeCloseTimeout ?? usualCloseTimeout)
  }

  /** Starts all that is stored; the types of its nodes must be registered. */
  async start(): Promise<void> {
    this.#load()
    this.events.emit('runtime-event', { id: 'runtime-deploy', payload: {}, retain: true })
    await this.#startFlows('full', undefined)
  }

  /** Stops all nodes, as before the end of the process. */
  async stop(): Promise<void> {
    await this.#stopFlows('full', noChanges)
  }

  /** Stores and starts other flows in place of the present ones; resolves when they have started. */
  async deploy(
    definitions: readonly NodeDefinition[],
    credentials?: Credentials,
    kind: DeployKind = 'full',
  ): Promise<void> {
    const changes = kind === 'reload' ? this.#load() : this.#store(definitions, credentials)
    const type = kind === 'reload' ? 'full' : kind
    if (this.#isStarted) {
      await this.#stopFlows(type, changes ?? noChanges, true)
      this.contexts.clean(this.#file.all)
      await this.#startFlows(type, changes, true)
    }
    this.events.emit('runtime-event', { id: 'runtime-deploy', payload: {}, retain: true })
  }

  #load(): undefined {
    this.#credentials.load(this.#stored.credentials)
    this.events.emit('runtime-event', { id: 'runtime-state', retain: true })
    this.#file = this.#read(this.#stored.flows)
  }

  #store(definitions: readonly NodeDefinition[], credentials: Credentials | undefined): FlowChanges {
    const flows = copied([...definitions])
    // A node with credentials from the editor counts as changed.
    const changes = changesBetween(this.#file, this.#read(flows))
    this.#credentials.takeFrom(flows)
    for (const [id, ofNode] of Object.entries(credentials ?? {})) this.#credentials.add(id, copied(ofNode))
    this.#stored = { flows, credentials: this.#credentials.all }
    this.#file = this.#read(flows)
    return changes
  }

  #read(flows: readonly NodeDefinition[]): FlowFile {
    return readFlowFile(copied([...flows]), (type) => this.#types.has(type))
  }

  async #stopFlows(type: string, diff: FlowChanges, deploy?: true): Promise<void> {
    if (!this.#isStarted) return
    this.#isStarted = false
    const { added, changed, removed, linked, rewired, flowChanged } = diff
    const ids = {
      nodes: [...changed, ...removed],
      flows: [...changed, ...removed, ...linked, ...rewired],
    }[type]
    this.events.emit('flows:stopping', { config: { flows: this.#stored.flows }, type, diff })
    const inOrder = [...this.#flows].sort(([a], [b]) => Number(a === 'global') - Number(b === 'global'))
    const closed = inOrder.map(([id, flow]) => {
      const isOther = [flowChanged, added, removed].some((list) => list.includes(id))
      if (type === 'full' || isOther) this.#flows.delete(id)
      return flow.stop(isOther ? undefined : ids, removed)
    })
    await Promise.all(closed)
    this.events.emit('flows:stopped', { config: { flows: this.#stored.flows }, type, diff })
    this.#tellState('stop', deploy)
    this.events.emit('nodes-stopped')
  }

  async #startFlows(type: string, diff: FlowChanges | undefined, deploy?: true): Promise<void> {
    this.#isStarted = true
    this.events.emit('flows:starting', { config: { flows: this.#stored.flows }, type, diff })
    for (const place of [this.#file.global, ...this.#file.tabs.values()]) {
      const flow = this.#flows.get(place.id)
      if (flow) flow.update(place)
      else if (!place.isDisabled) this.#flows.set(place.id, new Flow(this, place))
    }
    for (const flow of [...this.#flows.values()]) {
      try {
        await flow.start(diff)
      } catch (thrown) {
        this.log({ level: logLevels.ERROR, msg: thrown })
      }
    }
    this.events.emit('flows:started', { config: { flows: this.#stored.flows }, type, diff })
    this.events.emit('nodes-started')
    this.#tellState('start', deploy)
  }

  #tellState(state: 'start' | 'stop', deploy: true | undefined): void {
    this.events.emit('runtime-event', { id: 'runtime-state', payload: { state, deploy }, retain: true })
  }

  getNode(id: string): FlowNode | null | undefined {
    for (const flow of this.#flows.values()) {
      const node = flow.getNode(id)
      if (node) return node
    }
    return null
  }

  createNode(definition: NodeDefinition, flow: NodeOwner): FlowNode | undefined {
    try {
      return this.#types.create(definition, flow)
    } catch (thrown) {
      const { id, type } = definition
      this.log({ level: logLevels.ERROR, id, type, msg: thrown })
      return undefined
    }
  }

  queue(work: () => void): void {
    this.#options.queue(work)
  }

  after(ms: number, callback: () => void): () => void {
    return this.#options.clock?.after(ms, callback) ?? (() => {})
  }

  nextId(): string {
    this.#ids += 1
    return this.#ids.toString(16).padStart(16, '0')
  }

  environment(name: string): string | undefined {
    return this.#options.environment?.[name]
  }

  log(line: LogLine): void {
    const timestamp = this.#options.clock?.wall()
    if (timestamp !== undefined) line.timestamp = timestamp
    this.#options.log?.(line)
    for (const handler of [...this.#logHandlers]) handler.emit('log', line)
  }

  noteError(id: string, error: unknown): void {
    this.#options.onError?.(id, error)
  }
}
