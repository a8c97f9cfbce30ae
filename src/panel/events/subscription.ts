import type { EventGlimpse } from './event-history.ts'
import { isYounger } from './event-order.ts'
import type { FeedEvent } from './new-events.ts'

/** A node's policy for events that happened in its absence. */
export interface EventPolicy {
  /** Events of the list on the node's very first run. */
  first: 'skip' | 'deliver'
  /** Events that happened while the flow was not running. */
  missed: 'deliver' | 'skip'
}

/** The state of a node before a list. */
interface NodeProgress {
  policy: EventPolicy
  /** The highest sequence that the node received or skipped; undefined on its very first run. */
  position: number | undefined
  /** The highest sequence of the first list of the node's first run; undefined once that run is over. */
  firstRun: number | undefined
  /** The highest sequence of the first list since the node started; undefined before that list. */
  start: number | undefined
  /** True while lists may show less than there is, so that later ones add events of the time before the start. */
  isSettling: boolean
  /** Sequences of events that the node missed because a list did not show them; it receives them later. */
  owed: ReadonlySet<number>
  /** Returns true if the event happened after an earlier list of this start, which was empty. */
  happenedSince(event: FeedEvent): boolean
  /** Returns true if the event was in flight when the flow stopped. */
  wasInFlight(event: FeedEvent): boolean
}

/** The part of a list that a node receives. */
export interface EventShare {
  events: readonly FeedEvent[]
  /** The listed events that happened before the node started. */
  ofBefore: ReadonlySet<FeedEvent>
  /** The listed events that happened before the node's very first run. */
  ofFirstRun: ReadonlySet<FeedEvent>
  /** The events of the share that happened while the flow was not running. */
  late: ReadonlySet<FeedEvent>
  /** The node's position before: the highest sequence that it received or skipped, or needs no longer. */
  before: number
  /** The node's position afterwards. */
  position: number
  /** True if the node missed events between its positions that the list does not show. */
  hasGap: boolean
}

/**
 * Returns a node's part of the panel's list: the events beyond its own position.
 *
 * First lists are not believed whole, because they are thin right after a sign-in (field fact). Events that
 * later lists add, but that are older than the newest event of the first list, count like those of the first
 * list: on the very first run the `first` policy applies to them, otherwise the `missed` policy. An empty list
 * is not believed either, unless it stays empty: of the next one, only what happened since is live. Events in
 * flight when the flow stopped are always delivered.
 * @param newest the highest sequence of all events of this panel, which a list cut short may not contain
 */
export function eventsFor(listed: readonly FeedEvent[], newest: number, node: NodeProgress): EventShare {
  const { policy, position, start, isSettling, owed, happenedSince, wasInFlight } = node
  const isFirst = position === undefined
  const from = position ?? 0
  const beyond = listed.filter(({ sequence }) => sequence > from)
  const candidates =
    owed.size === 0 ? beyond : listed.filter(({ sequence }) => sequence > from || owed.has(sequence))
  const ofBefore =
    start === undefined
      ? new Set(candidates.filter((event) => !happenedSince(event)))
      : upTo(start, listed, isSettling)
  const ofFirstRun = isFirst ? ofBefore : upTo(node.firstRun, listed, isSettling)
  const isLate = (event: FeedEvent) =>
    !ofFirstRun.has(event) && (ofBefore.has(event) || owed.has(event.sequence))
  const isWanted = (event: FeedEvent) => {
    if (ofFirstRun.has(event)) return policy.first === 'deliver'
    return !isLate(event) || policy.missed === 'deliver'
  }
  const events = candidates.filter((event) => isWanted(event) || (!isFirst && wasInFlight(event)))
  const after = isFirst ? newest : beyond.reduce((highest, { sequence }) => Math.max(highest, sequence), from)
  return {
    events,
    ofBefore,
    ofFirstRun,
    late: new Set(events.filter(isLate)),
    before: isFirst ? Math.min(after, ...events.map(({ sequence }) => sequence - 1)) : from,
    position: after,
    hasGap: !isFirst && beyond.length < after - Math.max(0, from),
  }
}

/**
 * Returns the events up to a sequence, and those that were found later although they are older.
 *
 * An event is older than the newest of these events if the list shows it before, its id or time is lower and
 * neither is higher: a panel that was reset or put back its clock has new events with low ids or early times.
 */
function upTo(
  boundary: number | undefined,
  listed: readonly FeedEvent[],
  isSettling: boolean,
): Set<FeedEvent> {
  if (boundary === undefined || !isSettling) return new Set()
  const newestAt = listed.findLastIndex(({ sequence }) => sequence <= boundary)
  const newest = listed[newestAt]?.event
  const isOlder = ({ event }: FeedEvent, at: number) =>
    newest !== undefined && at < newestAt && isYounger(newest, event) && !isYounger(event, newest)
  return new Set(listed.filter((event, at) => event.sequence <= boundary || isOlder(event, at)))
}

/** A node and its part of a list. */
export interface Batch extends EventShare {
  nodeId: string
  /** True on the node's very first run. */
  isFirst: boolean
  isSettling: boolean
  /** True on the node's very first run, also in the later portions of its first list. */
  isFirstList: boolean
  /** The highest sequence of what counts like the first list after joining, if this is it. */
  boundary: number
}

/** An event that is delivered to a node. */
export interface DeliveredEvent extends FeedEvent {
  /** It happened before the node's very first run. */
  isOfFirstRun?: boolean
  /** It happened while the flow was not running. */
  late: boolean
  /** It may be a repeat, for example because it was in flight when an earlier process ended. */
  redelivered: boolean
}

/** A gap: the list no longer shows events that the node has not received, and they cannot be obtained. */
export interface Gap {
  /** The newest event known before the gap; null if it is not known any more. */
  lastKnown: EventGlimpse | null
  /** The oldest event that the list shows behind the gap. */
  oldestShown: EventGlimpse | null
}

/** A node that receives events; its functions must not throw. */
export interface EventSubscriber<C> {
  policy: EventPolicy
  /** Oldest first. `context` is the argument of `accept`. */
  events(deliveries: readonly DeliveredEvent[], context: C): void
  gap(gap: Gap, context: C): void
  /**
   * Gives back the notes that the node has kept, before its first events and after each takeover; null if it has none.
   */
  recall?(notes: string | null): void
  /** Notes that another process goes on: what the node knows will be old when the notes are given back. */
  forget?(): void
  /**
   * Returns the notes of the node after these events, which are about to be sent: they are saved before, and after a kill
   * the events come again, flagged. Returns undefined if the notes stay.
   */
  note?(deliveries: readonly DeliveredEvent[], context: C): string | undefined
  /**
   * Reports that the cursor can no longer be written, or can be again: see the `error` of the event delivery.
   */
  cursor?(): void
}

/** The notes of nodes, by node id: those that have changed least recently come first. */
export type NodeNotes = Readonly<Record<string, string>>

/** Nodes that are away, such as in a disabled flow, whose notes are kept. Those of deleted nodes go with time. */
const maxAway = 5

/** Returns the notes with those that have changed. */
export function withNotes(notes: NodeNotes, changed: Iterable<readonly [string, string]>): NodeNotes {
  const known = new Map(Object.entries(notes))
  for (const [nodeId, text] of changed) {
    known.delete(nodeId)
    known.set(nodeId, text)
  }
  return Object.fromEntries(known)
}

/** Returns the notes to keep, so that a cursor does not grow with each node that is deleted. */
export function keptNotes(notes: NodeNotes, present: ReadonlySet<string>): NodeNotes {
  const nodeIds = Object.keys(notes)
  const away = nodeIds.filter((nodeId) => !present.has(nodeId))
  if (away.length <= maxAway) return notes
  const forgotten = new Set(away.slice(0, -maxAway))
  return Object.fromEntries(Object.entries(notes).filter(([nodeId]) => !forgotten.has(nodeId)))
}
