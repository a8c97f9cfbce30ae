import type { EventPolicy } from './deal.ts'
import type { FeedEvent, Sighting } from './feed.ts'

/** An event on its way to a node. */
export interface Delivery extends FeedEvent {
  /** It happened while the flow was not running. */
  late: boolean
  /** It may be a repeat: it was on its way when an earlier process ended. */
  redelivered: boolean
}

/** The panel's list no longer reaches back to what is known: events in between are not to be had. */
export type Gap = NonNullable<Sighting['gap']>

/** A node that takes events; none of its functions may throw. */
export interface EventListener<C> {
  policy: EventPolicy
  /** Oldest first. `context` is what `accept` was called with. */
  events(deliveries: readonly Delivery[], context: C): void
  gap(gap: Gap, context: C): void
  /** The cursor cannot be written any more, or can again: see the stream's `error`. */
  cursor?(): void
}
