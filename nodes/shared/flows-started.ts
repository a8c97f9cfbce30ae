import type { NodeAPI } from 'node-red'

let next: Promise<void> | undefined

/**
 * Waits until the flows that are being started are all there.
 *
 * What a node says before, in its constructor or soon after it, reaches no Catch and no Status node: they may not
 * exist yet.
 */
export function flowsStarted(RED: NodeAPI): Promise<void> {
  next ??= new Promise((resolve) => {
    RED.events.once('flows:started', () => {
      next = undefined
      resolve()
    })
  })
  return next
}
