import type { Node } from 'node-red'
import type { EventSubscriber } from '../../src/panel/events/subscription.ts'
import { asKeyholderError } from '../../src/service/error.ts'

/**
 * Runs a callback of Node-RED, of a timer or of a subscription, and catches everything that it throws.
 *
 * An unhandled rejection ends the Node-RED process with all its flows, so every entry point of our code is a
 * call of this function. An error goes to `failed`; the default is the node's log and its Catch nodes.
 * @param node the node, or another object with a log (e.g. for a route)
 */
export function guard(
  node: Pick<Node, 'error'>,
  work: () => void | Promise<void>,
  failed: (error: Error) => void = (error) => node.error(error, {}),
): void {
  const report = (thrown: unknown) => {
    try {
      failed(asKeyholderError(thrown))
    } catch (again) {
      node.error(asKeyholderError(again))
    }
  }
  try {
    Promise.resolve(work()).catch(report)
  } catch (thrown) {
    report(thrown)
  }
}

/**
 * Returns a subscriber to events whose functions cannot throw, for a node that keeps notes with its position.
 * @param cursor called when the position can or cannot be saved
 */
export function guardedSubscriber<C>(
  node: Node,
  { policy, recall, forget, note, events, gap }: EventSubscriber<C>,
  cursor: () => void,
): EventSubscriber<C> {
  return {
    policy,
    gap,
    recall: (notes) => guard(node, () => recall?.(notes)),
    forget: () => guard(node, () => forget?.()),
    note: (deliveries, list) => {
      let notes: string | undefined
      guard(node, () => {
        notes = note?.(deliveries, list)
      })
      return notes
    },
    events: (deliveries, list) => guard(node, () => events(deliveries, list)),
    cursor: () => guard(node, cursor),
  }
}
