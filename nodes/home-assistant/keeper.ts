import type { Node, NodeAPI } from 'node-red'
import { digest } from '../../src/account/account-registry.ts'

/** The ids of all Home Assistant nodes of this process so far, also of those that are deleted. */
const nodeIds = new Set<string>()

/** Returns the name of a Home Assistant node in the list of what it has announced: `<Node-RED>/<node>`. */
export function keeperOf(RED: NodeAPI, { id }: Pick<Node, 'id'>): string {
  nodeIds.add(id)
  return `${nodeRedOf(RED)}/${id}`
}

/**
 * Tells if a keeper is a node of this Node-RED, of now or of before. The id of the node tells it in a new user directory
 * with the flows of a backup, but not in a cluster: there, other instances have the same flows.
 */
export function isOwnKeeper(RED: NodeAPI, keeper: string): boolean {
  const end = keeper.indexOf('/')
  if (end < 0) return false
  const nodeRed = nodeRedOf(RED)
  if (nodeRed !== '' && keeper.slice(0, end) === nodeRed) return true
  return nodeIds.has(keeper.slice(end + 1)) && !isInCluster(RED)
}

/** Returns a name of this Node-RED that stays over restarts; an empty text if it can keep none. */
function nodeRedOf(RED: NodeAPI): string {
  try {
    const settings = RED.settings as unknown as { get(name: string): unknown }
    const id = settings.get('instanceId')
    return typeof id === 'string' && id !== '' ? digest(id) : ''
  } catch {
    return ''
  }
}

function isInCluster(RED: NodeAPI): boolean {
  let isFound = false
  RED.nodes.eachNode(({ type }) => {
    isFound ||= type === 'keyholder-cluster'
  })
  return isFound
}
