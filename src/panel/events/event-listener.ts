import type { FeedDiff, FeedEvent } from './new-events.ts'
import type { EventPolicy } from './subscription.ts'

/** An event that is delivered to a node. */
export interface DeliveredEvent extends FeedEvent {
  /** It happened while the flow was not running. */
  late: boolean
  /** It may be a repeat, for example because it was in flight when an earlier process ended. */
  redelivered: boolean
}

/**
 * A gap: the panel's list no longer reaches back to the known events, and those in between cannot be
 * obtained.
 */
export type Gap = NonNullable<FeedDiff['gap']>

/** A node that receives events; its functions must not throw. */
export interface EventListener<C> {
  policy: EventPolicy
  /** Oldest first. `context` is the argument of `accept`. */
  events(deliveries: readonly DeliveredEvent[], context: C): void
  gap(gap: Gap, context: C): void
  /**
   * Reports that the cursor can no longer be written, or can be again: see the `error` of the event delivery.
   */
  cursor?(): void
}
