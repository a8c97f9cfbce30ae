import type { Node, NodeAPI } from 'node-red'
import { guard } from './guard.ts'

let next: Promise<void> | undefined

/**
 * Has a node of the flows that are being started say something once they are all there; nothing when it is closed by
 * then.
 *
 * What a node says before, in its constructor or soon after it, reaches no Catch and no Status node: they may not
 * exist yet. Call it in the constructor, and the answer with what there is to say.
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

/** Waits until the flows that are being started are all there. */
function flowsStarted(RED: NodeAPI): Promise<void> {
  next ??= new Promise((resolve) => {
    RED.events.once('flows:started', () => {
      next = undefined
      resolve()
    })
  })
  return next
}
