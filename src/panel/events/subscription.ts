import type { FeedDiff, FeedEvent } from './new-events.ts'

/** A node's policy for events that happened in its absence. */
export interface EventPolicy {
  /** Events of the list on the node's very first run. */
  first: 'skip' | 'deliver'
  /** Events that happened while the flow was not running. */
  missed: 'deliver' | 'skip'
}

/** The part of a list that a node receives. */
export interface EventShare {
  events: readonly FeedEvent[]
  /** True if the events happened while the flow was not running. */
  late: boolean
  /** The node's position afterwards: the highest sequence that it received or skipped. */
  position: number
}

/** A node and its part of a list. */
export interface Batch extends EventShare {
  nodeId: string
  /** The node's position before; undefined on its very first run. */
  before: number | undefined
}

/**
 * Returns a node's part of the panel's list: the events beyond its own position.
 *
 * Events in flight when the flow stopped are always delivered; the `missed` policy does not apply to them.
 * @param position the node's position; undefined on its very first run
 * @param newest the highest sequence of all events of this panel, which a list cut short may not contain
 * @param hasSeenList true if the node has seen a list since it started
 * @param wasInFlight returns true if the event was in flight when the flow stopped
 */
export function eventsFor(
  listed: readonly FeedEvent[],
  newest: number,
  position: number | undefined,
  policy: EventPolicy,
  hasSeenList: boolean,
  wasInFlight: (event: FeedEvent) => boolean = () => false,
): EventShare {
  const from = position ?? (policy.first === 'deliver' ? -1 : newest)
  const late = position !== undefined && !hasSeenList
  const beyond = listed.filter(({ sequence }) => sequence > from)
  return {
    events: late && policy.missed === 'skip' ? beyond.filter(wasInFlight) : beyond,
    late,
    position: beyond.reduce((highest, { sequence }) => Math.max(highest, sequence), from),
  }
}

/**
 * Returns the positions of the nodes before anything is sent: events about to be sent are beyond a node's
 * position.
 */
export function positionsBefore(batches: readonly Batch[]): [nodeId: string, position: number][] {
  return batches.map(({ nodeId, before, events, position }) => [
    nodeId,
    events.length > 0 ? (before ?? 0) : position,
  ])
}

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
export interface EventSubscriber<C> {
  policy: EventPolicy
  /** Oldest first. `context` is the argument of `accept`. */
  events(deliveries: readonly DeliveredEvent[], context: C): void
  gap(gap: Gap, context: C): void
  /**
   * Reports that the cursor can no longer be written, or can be again: see the `error` of the event delivery.
   */
  cursor?(): void
}
