import type { NodeAPI } from 'node-red'
import { FlowGraph } from '../rehearsal/flow-graph.ts'

/**
 * Returns, for each way of a chain test, the names of the nodes in which it ends: those that tell somebody, else those that
 * show or store something, else those that are connected; none for a way without nodes.
 */
export function wayNames(RED: NodeAPI, nodeId: string): readonly (readonly string[])[] {
  const graph = new FlowGraph(RED)
  const [first = [], second = []] = graph.outputs(nodeId)
  return [first, second].map((starts) => {
    // What comes back to the node goes no further as the message of this way.
    const isLast = (id: string) => id === nodeId
    const reached = [...new Set(starts.flatMap((id) => [id, ...graph.downstream(id, isLast)]))]
    const notifications = reached.filter((id) => graph.isNotification(id))
    const ends = notifications.length > 0 ? notifications : reached.filter((id) => graph.isEnd(id))
    const named = (ends.length > 0 ? ends : starts).map((id) => graph.name(id))
    return [...new Set(named.map(({ name, type }) => name || type))]
  })
}
