/** A flow node as far as Catch nodes tell one from another. */
export interface Placed {
  id: string
  /** The tab, or the instance of a subflow. */
  z?: string
  /** The group. */
  g?: string
}

/** A tab, a group or a Catch node, as it stands in the flow file. */
export interface Layout extends Placed {
  type: string
  /** What a Catch node listens to: ids of nodes, `group`, or else its whole tab. */
  scope?: unknown
}

/** Who hands a config node's trouble on, and whether a Catch node hears it. */
export interface Spokesmen<N> {
  nodes: N[]
  isCaught: boolean
}

/**
 * Through whom the Catch nodes hear of a config node's trouble: every one that hears any of its users, once.
 *
 * Node-RED hands an error of a config node on through each of its users, so that one outage would otherwise be as many
 * messages as there are nodes. Only where the choices of two Catch nodes overlap does one of them hear it again.
 * Inside a subflow, whose Catch nodes the flow file tells under other ids, everybody speaks.
 * @param users the flow nodes that use the config node
 * @param layout the tabs, groups and Catch nodes of the flow file
 */
export function spokesmen<N extends Placed>(users: readonly N[], layout: readonly Layout[]): Spokesmen<N> {
  const tabs = new Set(layout.filter(({ type }) => type === 'tab').map(({ id }) => id))
  const catches = layout.filter(({ type }) => type === 'catch')
  const nodes = users.filter(({ z = '' }) => !tabs.has(z))
  const letSpeak = (isHeard: (user: N) => boolean) => {
    const one = nodes.some(isHeard) ? undefined : users.find(isHeard)
    if (one !== undefined) nodes.push(one)
    return one !== undefined || nodes.some(isHeard)
  }
  // Those who listen to few first: they have the least choice.
  const heard = [isChosen, isGroup, isTab].flatMap((listens) =>
    catches.filter(listens).map((one) => letSpeak((user) => hears(one, user, layout))),
  )
  for (const tab of tabs) letSpeak(({ z }) => z === tab)
  return { nodes, isCaught: heard.includes(true) }
}

const isChosen = ({ scope }: Layout) => Array.isArray(scope)
const isGroup = ({ scope }: Layout) => scope === 'group'
const isTab = (one: Layout) => !isChosen(one) && !isGroup(one)

/** Whether a Catch node hears a node, as Node-RED decides it. */
function hears({ scope, z, g }: Layout, node: Placed, layout: readonly Layout[]): boolean {
  if (node.z !== z) return false
  if (Array.isArray(scope)) return scope.includes(node.id)
  return scope !== 'group' || g === undefined || isWithin(g, node.g, layout)
}

/** Whether a node in group `inner` is in group `outer` too: groups lie within groups. */
function isWithin(outer: string, inner: string | undefined, layout: readonly Layout[]): boolean {
  const passed = new Set<string>()
  for (let group = inner; group !== undefined && !passed.has(group); ) {
    if (group === outer) return true
    passed.add(group)
    group = layout.find(({ id }) => id === group)?.g
  }
  return false
}
