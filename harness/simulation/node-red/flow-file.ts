/** A node, a config node or a tab as a flow file has it. */
export interface NodeDefinition {
  id: string
  type: string
  /** The id of the tab. */
  z?: string
  /** True if the node is disabled. */
  d?: boolean
  /** The ids of the nodes that each output is wired to. */
  wires?: string[][]
  [field: string]: unknown
}

/** The nodes of a tab, or the config nodes outside of all tabs. */
export interface FlowPlace {
  id: string
  label?: string
  isDisabled: boolean
  nodes: ReadonlyMap<string, NodeDefinition>
  configs: ReadonlyMap<string, NodeDefinition>
}

/** A flow file, sorted by its tabs. */
export interface FlowFile {
  /** All that the file has, tabs included. */
  all: ReadonlyMap<string, NodeDefinition>
  /** The config nodes outside of tabs, whose id is `global`. */
  global: FlowPlace
  tabs: ReadonlyMap<string, FlowPlace>
}

interface OpenPlace extends FlowPlace {
  nodes: Map<string, NodeDefinition>
  configs: Map<string, NodeDefinition>
}

/**
 * Returns a flow file, sorted by its tabs; a node without a position is a config node.
 * @throws Error for a subflow or a type that is not registered, which Node-RED would not start
 */
export function readFlowFile(
  definitions: readonly NodeDefinition[],
  isRegistered: (type: string) => boolean,
): FlowFile {
  const global = createPlace('global')
  const tabs = new Map<string, OpenPlace>()
  for (const { id, type, label, disabled } of definitions)
    if (type === 'tab') tabs.set(id, { ...createPlace(id, label), isDisabled: disabled === true })
  for (const definition of definitions) {
    const { id, type, z } = definition
    if (type === 'tab' || type === 'group') continue
    if (!isRegistered(type)) throw new Error(`The node ${id} has the type ${type}, which is not registered.`)
    const place = z ? (tabs.get(z) ?? createPlace(z)) : global
    if (z) tabs.set(z, place)
    if (!('x' in definition && 'y' in definition)) place.configs.set(id, definition)
    else if (z) place.nodes.set(id, definition)
  }
  return { all: new Map(definitions.map((one) => [one.id, one])), global, tabs }
}

/** Returns the fields that can name another node: all but those of the place of a node and of its wires. */
export function referringFields(definition: NodeDefinition): string[] {
  return Object.keys(definition).filter((field) => field !== 'id' && field !== 'wires')
}

/** Returns a deep copy of what JSON can express, as Node-RED copies definitions and credentials. */
export function copied<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

function createPlace(id: string, label?: unknown): OpenPlace {
  return {
    id,
    ...(typeof label === 'string' && { label }),
    isDisabled: false,
    nodes: new Map(),
    configs: new Map(),
  }
}
