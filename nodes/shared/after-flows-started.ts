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
