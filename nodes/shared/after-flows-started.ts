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
