import type { Node, NodeAPI, NodeDef } from 'node-red'
import { oncePerDeploy } from './node-lifecycle.ts'

/** The properties of a flow node that decide which Catch nodes get its errors. */
export interface Placed {
  id: string
  /** Id of the tab, or of the subflow instance. */
  z?: string
  /** Id of the group. */
  g?: string
}

/** A tab, a group or a Catch node, as stored in the flow file. */
export interface Layout extends Placed {
  type: string
  /** Scope of a Catch node: a list of node ids, `group`, or any other value for the whole tab. */
  scope?: unknown
}

/** Nodes that forward the errors of a config node, and if any Catch node gets them. */
interface ErrorRouting<N> {
  nodes: N[]
  isCaught: boolean
}

/** Returns the tabs, groups and Catch nodes that are enabled. */
const layoutOf = oncePerDeploy((RED) => {
  const found: Layout[] = []
  RED.nodes.eachNode((def: NodeDef & { d?: boolean }) => {
    if (['tab', 'group', 'catch'].includes(def.type) && !def.d) found.push(def)
  })
  return found
})

/**
 * Has the errors of a config node go through those of its users that its Catch nodes need. Returns true if any Catch node
 * gets them.
 */
export function routeErrors(
  RED: NodeAPI,
  node: { users: Record<string, Node> },
  users: readonly Node[],
): boolean {
  const { nodes, isCaught } = selectReporters(users, layoutOf(RED))
  node.users = Object.fromEntries(nodes.map((one) => [one.id, one]))
  return isCaught
}

/**
 * Selects the nodes that forward the errors of a config node, so that every Catch node that covers any of its
 * users gets each error once.
 *
 * Node-RED sends an error of a config node through each of its users, so one outage would produce one message
 * for each node. A Catch node gets an error twice only if its selection overlaps with that of another Catch
 * node. Inside a subflow all users forward the error, because the flow file has other ids for the Catch nodes
 * there.
 * @param users the flow nodes that use the config node
 * @param layout the tabs, groups and Catch nodes of the flow file
 */
export function selectReporters<N extends Placed>(
  users: readonly N[],
  layout: readonly Layout[],
): ErrorRouting<N> {
  const tabs = new Set(layout.filter(({ type }) => type === 'tab').map(({ id }) => id))
  const catches = layout.filter(({ type }) => type === 'catch')
  const nodes = users.filter(({ z = '' }) => !tabs.has(z))
  const selectReporter = (isHeard: (user: N) => boolean) => {
    const one = nodes.some(isHeard) ? undefined : users.find(isHeard)
    if (one !== undefined) nodes.push(one)
    return one !== undefined || nodes.some(isHeard)
  }
  // Catch nodes with the narrowest scope first: for them there are the fewest nodes to select from.
  const heard = [isChosen, isGroup, isTab].flatMap((listens) =>
    catches.filter(listens).map((one) => selectReporter((user) => hears(one, user, layout))),
  )
  for (const tab of tabs) selectReporter(({ z }) => z === tab)
  return { nodes, isCaught: heard.includes(true) }
}

const isChosen = ({ scope }: Layout) => Array.isArray(scope)
const isGroup = ({ scope }: Layout) => scope === 'group'
const isTab = (one: Layout) => !isChosen(one) && !isGroup(one)

/** Tells if a Catch node covers a node, by the rules of Node-RED. */
function hears({ scope, z, g }: Layout, node: Placed, layout: readonly Layout[]): boolean {
  if (node.z !== z) return false
  if (Array.isArray(scope)) return scope.includes(node.id)
  return scope !== 'group' || g === undefined || isWithin(g, node.g, layout)
}

/** Tells if group `inner` is `outer` or is nested in it. */
function isWithin(outer: string, inner: string | undefined, layout: readonly Layout[]): boolean {
  const passed = new Set<string>()
  for (let group = inner; group !== undefined && !passed.has(group); ) {
    if (group === outer) return true
    passed.add(group)
    group = layout.find(({ id }) => id === group)?.g
  }
  return false
}
