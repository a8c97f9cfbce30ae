import type { Node } from 'node-red'
import type { EventSubscriber } from '../../src/panel/events/subscription.ts'
import { guard } from './guard.ts'

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
