import type { FlowChanges } from './flow-changes.ts'
import { type FlowPlace, type NodeDefinition, referringFields } from './flow-file.ts'
import type { FlowNode, Message, NodeOwner, SendEvent } from './flow-node.ts'
import { ListeningNodes } from './listening-nodes.ts'
import type { LogLine } from './log-line.ts'
import { sendOnWires } from './message-route.ts'
import type { Runtime } from './runtime.ts'

/** The running nodes of a tab, or the config nodes outside of all tabs. */
export class Flow implements NodeOwner {
  readonly path: string
  readonly #runtime: Runtime
  #place: FlowPlace
  readonly #nodes = new Map<string, FlowNode>()
  readonly #listeners: ListeningNodes

  constructor(runtime: Runtime, place: FlowPlace) {
    this.#runtime = runtime
    this.#place = place
    this.path = place.id
    this.#listeners = new ListeningNodes(runtime.events, place.id === 'global')
  }

  get hooks() {
    return this.#runtime.hooks
  }

  get contexts() {
    return this.#runtime.contexts
  }

  /** The ids of the running nodes. */
  get ids(): string[] {
    return [...this.#nodes.keys()]
  }

  /** Takes another version of the tab, without an effect on what runs. */
  update(place: FlowPlace): void {
    this.#place = place
  }

  /** Starts the nodes that do not run: config nodes first, each one after those that it refers to. */
  async start(changes: FlowChanges | undefined): Promise<void> {
    this.#listeners.replace([])
    await this.#startConfigs()
    for (const id of changes?.rewired ?? [])
      this.#nodes.get(id)?.updateWires(this.#place.nodes.get(id)?.wires ?? [])
    for (const definition of this.#place.nodes.values()) await this.#startNode(definition)
    this.#listeners.replace([...this.#nodes.values()])
  }

  async #startConfigs(): Promise<void> {
    const { configs } = this.#place
    const waiting = [...configs.values()]
    let postponed = 0
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const definition: NodeDefinition = next
      const isReady = referringFields(definition).every((field) => {
        const used = configs.get(String(definition[field]))
        return !used || used.d === true || this.#nodes.has(used.id)
      })
      if (isReady || definition.d === true || this.#nodes.has(definition.id)) {
        postponed = 0
        await this.#startNode(definition)
      } else {
        waiting.push(definition)
        postponed += 1
        if (postponed > waiting.length)
          throw new Error(`Circular config node dependency detected: ${definition.id}`)
      }
    }
  }

  async #startNode(definition: NodeDefinition): Promise<void> {
    const { id, d } = definition
    if (d === true || this.#nodes.has(id)) return
    // Node-RED waits here too: what a node has already settled goes on before the next node is created.
    const node = await this.#runtime.createNode(definition, this)
    if (node) this.#nodes.set(id, node)
  }

  /** Stops the given nodes, or all: config nodes last. Resolves when all have closed, or had the time for it. */
  async stop(ids: readonly string[] | undefined, removed: readonly string[]): Promise<void> {
    const isConfig = (id: string) => this.#place.configs.has(id)
    const all = ids ?? this.ids
    const inOrder = [...all.filter((id) => !isConfig(id)), ...all.filter(isConfig)]
    const closed: Promise<void>[] = []
    for (const id of inOrder) {
      const node = this.#nodes.get(id)
      if (!node) continue
      this.#nodes.delete(id)
      const isRemoved = removed.includes(id)
      closed.push(this.#close(node, isRemoved))
      if (isRemoved) this.#runtime.events.emit('node-status', { id })
    }
    await Promise.all(closed)
  }

  async #close(node: FlowNode, isRemoved: boolean): Promise<void> {
    let cancel = () => {}
    const timeout = new Promise<string>((resolve) => {
      cancel = this.#runtime.after(this.#runtime.closeTimeout, () => resolve('Close timed out'))
    })
    const failure = await Promise.race([node.close(isRemoved), timeout])
    cancel()
    if (failure) node.error(`Error stopping node: ${failure}`)
  }

  /** Tells if a node belongs to this flow, running or not. */
  has(id: string): boolean {
    return this.#place.configs.has(id) || this.#place.nodes.has(id)
  }

  /** Returns a running node. */
  getNode(id: string): FlowNode | undefined {
    return this.#nodes.get(id)
  }

  /** Returns the value of an environment variable for `${…}` in a node. */
  getSetting(name: string): string | undefined {
    if (name === 'NR_FLOW_NAME') return this.#place.label
    if (name === 'NR_FLOW_ID') return this.#place.id
    return this.#runtime.environment(name)
  }

  nextId(): string {
    return this.#runtime.nextId()
  }

  log(line: LogLine): void {
    this.#runtime.log(line)
  }

  noteError(id: string, error: unknown): void {
    this.#runtime.noteError(id, error)
  }

  handleStatus(node: FlowNode, status: Message, reporter?: FlowNode): void {
    this.#listeners.handleStatus(node, status, reporter)
  }

  handleError(node: FlowNode, error: unknown, message: Message, reporter?: FlowNode): boolean {
    return this.#listeners.handleError(node, error, message, reporter)
  }

  handleComplete(node: FlowNode, message: Message): void {
    this.#listeners.handleComplete(node, message)
  }

  send(events: SendEvent[]): void {
    sendOnWires(events, this.#runtime, (id) =>
      this.has(id) ? this.#nodes.get(id) : this.#runtime.getNode(id),
    )
  }
}
