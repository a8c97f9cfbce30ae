import type { Node, NodeAPI, NodeDef } from 'node-red'

/** A node, a tab or a group as stored in the flow file, with the fields that decide where messages go. */
interface DeployedNode extends NodeDef {
  /** True if the node is disabled. */
  d?: boolean
  /** True if the tab is disabled. */
  disabled?: boolean
  /** Id of the group. */
  g?: string
  /** Name of a tab. */
  label?: string
  wires?: string[][]
  [field: string]: unknown
}

/** A node by its names in the editor. */
export interface NodeName {
  /** In a subflow, the id of the node in its template. */
  id: string
  type: string
  /** Empty if the user has given it none. */
  name: string
  /** The name of its tab or of its subflow; empty if that has none. */
  tab: string
}

/** The types of Node-RED that have no effect of their own: they pass messages on, perhaps changed or later. */
const passingTypes = new Set([
  ...['catch', 'status', 'complete', 'inject', 'comment', 'junction', 'link in', 'link out', 'link call'],
  ...[
    'function',
    'switch',
    'change',
    'range',
    'template',
    'delay',
    'trigger',
    'rbe',
    'split',
    'join',
    'sort',
  ],
  ...['batch', 'csv', 'html', 'json', 'xml', 'yaml'],
])

/** The types that hold messages back on purpose. */
const holdingTypes = new Set(['delay', 'trigger', 'join', 'batch', 'sort', 'link call'])

/** Types that only show or store what they get: nobody is woken. */
const quietTypes = /^(debug$|ui[-_]|file|http response$)|influx|sql|mongo|postgres|redis/

/** Modules that only calculate, which function nodes load most. */
const harmlessModules =
  /^(?:(?:node:)?(?:assert|buffer|crypto|events|os|path|querystring|string_decoder|url|util|zlib)|date-fns|dayjs|jsonata|lodash|luxon|mathjs|moment(?:-timezone)?|suncalc|uuid)(?:@.*)?$/

/**
 * The nodes of the deployed flows and the ways between them.
 *
 * The ways are those of the running nodes, so copies of a subflow and links are included; those of nodes that do not run are
 * read from the flow file.
 */
export class FlowGraph {
  readonly #RED: NodeAPI
  readonly #stored = new Map<string, DeployedNode>()
  readonly #known = new Map<string, { def: DeployedNode | undefined; outputs: string[][]; runs: boolean }>()

  constructor(RED: NodeAPI) {
    this.#RED = RED
    RED.nodes.eachNode((def) => this.#stored.set(def.id, def as DeployedNode))
  }

  /** All nodes, tabs and groups of the flow file. */
  get stored(): Iterable<DeployedNode> {
    return this.#stored.values()
  }

  /** Returns a node as stored; for a copy in a subflow, the node of the template. */
  def(id: string): DeployedNode | undefined {
    return this.#read(id).def
  }

  /** Returns what a node is set to; nothing for one that is unknown. */
  fields(id: string): Partial<DeployedNode> {
    return this.def(id) ?? {}
  }

  type(id: string): string {
    return this.def(id)?.type ?? ''
  }

  /** Returns the names of a node; those of one that is unknown are empty. */
  name(id: string): NodeName {
    const def = this.def(id)
    const tab = this.#stored.get(def?.z ?? '')
    return {
      id: def?.id ?? id,
      type: def?.type ?? '',
      name: (def?.type === 'tab' ? def.label : def?.name) ?? '',
      tab: tab?.label ?? tab?.name ?? '',
    }
  }

  /** Tells if a node runs: it is there, and neither it nor its tab is disabled. */
  runs(id: string): boolean {
    return this.#read(id).runs
  }

  /** Returns the disabled tab of a node, else the node itself if it is disabled; undefined if neither is. */
  disabledBy(id: string): DeployedNode | undefined {
    const def = this.def(id)
    const tab = this.#stored.get(def?.z ?? '')
    if (tab?.disabled) return tab
    const group = this.#stored.get(def?.g ?? '')
    return def?.d || group?.d ? def : undefined
  }

  /** Returns the ids to which each output of a node leads. */
  outputs(id: string): readonly (readonly string[])[] {
    return this.#read(id).outputs
  }

  /** Returns the ids to which a node leads. */
  next(id: string): string[] {
    return this.outputs(id).flat()
  }

  /**
   * Returns all nodes that messages of a node can reach; the node itself only if it is part of a circle.
   * @param isLast tells if the way ends at a node
   */
  downstream(id: string, isLast: (id: string) => boolean = () => false): Set<string> {
    const found = new Set<string>()
    const waiting = this.next(id)
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (found.has(one)) continue
      found.add(one)
      if (!isLast(one)) waiting.push(...this.next(one))
    }
    return found
  }

  /** Tells if a node of this type only passes messages on. */
  isPassing(id: string): boolean {
    return passingTypes.has(this.type(id)) || this.#isSubflow(id)
  }

  /** Tells if a node keeps messages on purpose, so that it is not late. */
  isHolding(id: string): boolean {
    return holdingTypes.has(this.type(id))
  }

  /** Tells if a node can be the end of an alarm's way: it shows, stores, sends or switches something. */
  isEnd(id: string): boolean {
    if (this.type(id) === '' || this.type(id).startsWith('keyholder-')) return false
    return !this.isPassing(id) || (this.next(id).length === 0 && this.hasEffect(id))
  }

  /** Tells if a node tells or wakes somebody, as a notification or a siren does: an end that does not only show or store. */
  isNotification(id: string): boolean {
    return this.isEnd(id) && !this.isPassing(id) && !quietTypes.test(this.type(id))
  }

  /** Tells if a node that passes messages on does something else too, such as setting a value of a context. */
  hasEffect(id: string): boolean {
    const { type, func, rules, fieldType, libs } = this.fields(id)
    if (this.#isSubflow(id)) return true
    if (type === 'change')
      return Array.isArray(rules) && rules.some(({ pt }) => pt === 'flow' || pt === 'global')
    if (type === 'template') return fieldType === 'flow' || fieldType === 'global'
    if (type !== 'function') return false
    const code = String(func)
    return (
      /\b(flow|global|context)\.|\bnode\.(warn|log|error|status)\b/.test(code) ||
      (Array.isArray(libs) && libs.length > 0) ||
      !/\breturn[ \t]+(?!null\b|undefined\b)\S|\bnode\.send\(/.test(code)
    )
  }

  /** Tells if a node may send or switch something: a notification, or a function that fetches an address or loads a module. */
  mayAct(id: string): boolean {
    if (this.isNotification(id)) return true
    const { type, func, libs } = this.fields(id)
    if (type !== 'function') return false
    const modules = Array.isArray(libs) ? libs.map((lib) => String(lib?.module)) : []
    return /\bfetch\s*\(/.test(String(func)) || modules.some((name) => !harmlessModules.test(name))
  }

  #isSubflow(id: string): boolean {
    return this.type(id).startsWith('subflow:')
  }

  #read(id: string) {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const node = this.#RED.nodes.getNode(id) as (Node & { _alias?: string; wires?: string[][] }) | null
    const def = this.#stored.get(id) ?? this.#stored.get(node?._alias ?? '')
    const links = def?.type === 'link call' ? [[def.links].flat().map(String)] : []
    const wires = (node ?? def)?.wires ?? []
    // A deploy during the rehearsal must not change the picture of it.
    const read = { def, outputs: [...wires.map((one) => [...one]), ...links], runs: Boolean(node) }
    this.#known.set(id, read)
    return read
  }
}
