import type { Node, NodeAPI } from 'node-red'
import { guard } from './guard.ts'

let next: Promise<void> | undefined

/**
 * Returns a function that runs a callback when all flows have started, unless the node is closed by then.
 *
 * An error or status sent earlier, in the constructor or soon after it, reaches no Catch and no Status node:
 * they may not exist yet. Call `whenFlowsStarted` in the constructor, and the function it returns with each
 * callback.
 */
export function whenFlowsStarted(RED: NodeAPI, node: Node): (say: () => void) => void {
  const started = flowsStarted(RED)
  let isClosed = false
  node.on('close', () => {
    isClosed = true
  })
  return (say) =>
    guard(node, async () => {
      await started
      if (!isClosed) say()
    })
}

/**
 * Returns a function that returns what `make` has made of the present flows: it makes it once, and anew after a deploy,
 * because many panels may ask for it in the same moment.
 */
export function oncePerDeploy<T>(make: (RED: NodeAPI) => T): (RED: NodeAPI) => T {
  let made: { value: T } | undefined
  return (RED) => {
    if (made === undefined) {
      made = { value: make(RED) }
      const forget = () => {
        made = undefined
      }
      // A deploy changes what Node-RED tells of the flows just before it stops them, or while they are stopped.
      RED.events.once('flows:stopping', forget)
      RED.events.once('flows:started', forget)
    }
    return made.value
  }
}

/** Waits until all the flows of the current start, or else of the next one, have started. */
export function flowsStarted(RED: NodeAPI): Promise<void> {
  next ??= new Promise((resolve) => {
    RED.events.once('flows:started', () => {
      next = undefined
      resolve()
    })
  })
  return next
}

/** The part of Node-RED's event `flows:stopping` that tells which nodes end. */
interface Stopping {
  /** `nodes` and `flows`: a deploy of changed nodes or flows; `full`: all nodes end. */
  type?: string
  /** The ids of what is deleted or disabled: nodes, tabs, instances of subflows, nodes of a subflow itself. */
  diff?: { removed?: readonly string[] }
}

/** The callbacks before nodes end; one listener serves all of them. */
const callbacks = new Map<Node, () => void>()

const heard = new WeakSet<NodeAPI['events']>()

/**
 * Calls back before a node ends: with all flows, or because it is deleted or disabled. A node that a deploy of changed
 * nodes replaces goes on. Returns a function that cancels it.
 *
 * All nodes still work then. Once a node is closed, Node-RED may have closed the nodes that it is wired to.
 */
export function beforeEnd(RED: NodeAPI, node: Node, callback: () => void): () => void {
  if (!heard.has(RED.events)) {
    heard.add(RED.events)
    RED.events.on('flows:stopping', callEnding)
  }
  callbacks.set(node, callback)
  return () => callbacks.delete(node)
}

function callEnding({ type, diff: { removed = [] } = {} }: Stopping = {}): void {
  const isPart = type === 'nodes' || type === 'flows'
  for (const [node, callback] of [...callbacks])
    if (!isPart || removed.some((id) => isWithin(node, id))) guard(node, callback)
}

/** Tells if an id is that of a node, of its tab, or of its subflow, as an instance or as the node in the subflow itself. */
function isWithin(node: Node & { _alias?: string }, id: string): boolean {
  return [node.id, node.z, node._alias].includes(id) || (node.z ?? '').startsWith(`${id}-`)
}

/**
 * Tells if the flows of the latest deploy have a node, or the subflow and the instance that it belongs to; those that are
 * disabled count, because they may come back.
 */
export function isInFlows(RED: NodeAPI, { id, z = '', _alias }: Node & { _alias?: string }): boolean {
  const ids = new Set<string>()
  RED.nodes.eachNode((one) => ids.add(one.id))
  if (_alias === undefined) return ids.has(id)
  return ids.has(_alias) && [...ids].some((one) => z === one || z.startsWith(`${one}-`))
}

/**
 * Sends messages to the nodes that a node is wired to, at once. Node-RED sends in the next turn of the event loop, when the
 * nodes of a stopping flow are closed. What these nodes send further is lost then.
 */
export function sendAtOnce(RED: NodeAPI, node: Node, messages: readonly object[]): void {
  const { wires = [] } = node as { wires?: readonly (readonly string[])[] }
  for (const id of wires.flat())
    for (const message of messages) RED.nodes.getNode(id)?.receive({ ...message })
}
