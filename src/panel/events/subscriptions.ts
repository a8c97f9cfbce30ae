import type { Clock } from '../../clock.ts'
import { minute } from '../../duration.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import type { InFlightEvents } from './cursor/cursor-commit.ts'
import type { CursorState } from './cursor/cursor-format.ts'
import { type EventHistory, sequencesOf } from './event-history.ts'
import type { FeedEvent } from './new-events.ts'
import {
  type Batch,
  type DeliveredEvent,
  type EventShare,
  type EventSubscriber,
  eventsFor,
  type NodeNotes,
} from './subscription.ts'

/** The progress of a subscription since it joined. */
interface Progress {
  /** The time of the first list after joining, on both clocks, if it was empty. */
  emptyAt: { wall: number; monotonic: number } | undefined
  /** The highest sequence of the first list after joining that was not empty; undefined before it. */
  start: number | undefined
  /** Milliseconds of the monotonic clock: the time of that list. */
  startedAt: number
  /** The first list after joining while it is sent in portions. `isFirst` is true on the node's very first run. */
  firstList: { isFirst: boolean } | undefined
  /** Sequences of events that the node missed, or wants of its first run, and that may be shown again. */
  owed: Set<number>
  /** True once the node was given back its notes. */
  isRecalled: boolean
}

/** A node that listens, and its progress. */
interface Subscription<C> extends Progress {
  readonly subscriber: EventSubscriber<C>
}

/** A node's part of a list, with the subscription that it is for. */
export interface SubscribedBatch<C> extends Batch {
  subscription: Subscription<C>
  deliveries: readonly DeliveredEvent[]
}

/** The circumstances that decide the parts of a list. */
interface ListContext {
  state: CursorState | undefined
  inFlight: InFlightEvents
  /** True if the events of before the start may be repeats. */
  isPastDoubtful: boolean
}

/** Milliseconds in which lists may show less than there is: they are thin right after a sign-in (field fact). */
export const settlingTime = 10 * minute

/** Milliseconds by which the panel's clock may be behind ours. */
const clockTolerance = 5 * minute

/** The events that are sent at once of a list with many, if another process may go on: at first and at most. */
export const firstPortion = 2
const maxPortion = 10

/** Milliseconds that a portion should keep the flow busy, so that few events come again if this process is killed. */
const portionTime = 60

/** Returns the number of events to send at once after a portion that kept the flow busy for a time. */
export function portionAfter(portion: number, milliseconds: number): number {
  return Math.min(maxPortion, Math.max(1, Math.floor((portion * portionTime) / Math.max(1, milliseconds))))
}

/** The first of the nodes' parts of a list. */
interface Portion<C> {
  batches: SubscribedBatch<C>[]
  /** The list up to the last event of the portion. */
  listed: readonly FeedEvent[]
  /** `eventKey` of each event of the whole list that is to be flagged; empty if this is the last portion. */
  flaggedKeys: readonly string[]
  isLast: boolean
}

/** Returns the progress of a subscription before its first list. */
function unstarted(): Progress {
  return {
    emptyAt: undefined,
    start: undefined,
    startedAt: Number.POSITIVE_INFINITY,
    firstList: undefined,
    owed: new Set(),
    isRecalled: false,
  }
}

/** The nodes that listen to the events of a panel, and what of a list is for each of them. */
export class Subscriptions<C> {
  readonly #clock: Clock
  readonly #timeZone: string
  readonly #byNode = new Map<string, Subscription<C>>()

  /** @param timeZone the zone of the times in the events */
  constructor(clock: Clock, timeZone: string) {
    this.#clock = clock
    this.#timeZone = timeZone
  }

  /** The ids of all nodes that listen. */
  get nodeIds(): string[] {
    return [...this.#byNode.keys()]
  }

  /** The functions of all nodes that listen. */
  get subscribers(): EventSubscriber<C>[] {
    return [...this.#byNode.values()].map(({ subscriber }) => subscriber)
  }

  /** Adds a node, in the place of an earlier one with its id. */
  add(nodeId: string, subscriber: EventSubscriber<C>): Subscription<C> {
    const subscription = { subscriber, ...unstarted() }
    this.#byNode.set(nodeId, subscription)
    return subscription
  }

  /** Returns the subscription of a node; undefined if it does not listen. */
  get(nodeId: string): Subscription<C> | undefined {
    return this.#byNode.get(nodeId)
  }

  /** Removes a node. */
  remove(nodeId: string): void {
    this.#byNode.delete(nodeId)
  }

  /** Begins anew with all nodes, because another process has delivered to them. */
  restart(): void {
    for (const subscription of this.#byNode.values()) {
      Object.assign(subscription, unstarted())
      subscription.subscriber.forget?.()
    }
  }

  /** Gives their notes back to the nodes that have not got them since they joined, or since the lease was gained. */
  recallNotes(notes: NodeNotes = {}): void {
    for (const [nodeId, subscription] of this.#byNode) {
      if (subscription.isRecalled) continue
      subscription.isRecalled = true
      subscription.subscriber.recall?.(notes[nodeId] ?? null)
    }
  }

  /** Returns the nodes' parts of a list; an empty one is not believed to be the first before the settling time. */
  batchesOf(listed: readonly FeedEvent[], newest: number, context: ListContext): SubscribedBatch<C>[] {
    const clock = this.#clock
    const { state, inFlight } = context
    return [...this.#byNode].flatMap(([nodeId, subscription]) => {
      const { subscriber, start, startedAt, emptyAt, owed } = subscription
      if (listed.length === 0) {
        subscription.emptyAt ??= { wall: clock.wall(), monotonic: clock.monotonic() }
        const isBelieved = clock.monotonic() - subscription.emptyAt.monotonic >= settlingTime
        if (start !== undefined || !isBelieved) return []
      }
      // The wall clock may have been set since; the monotonic clock stands still while the machine sleeps.
      const emptySince =
        emptyAt && Math.min(emptyAt.wall, clock.wall() - (clock.monotonic() - emptyAt.monotonic))
      const position = state?.positions[nodeId]
      const isSettling = start === undefined || clock.monotonic() - startedAt < settlingTime
      const share = eventsFor(listed, newest, {
        policy: subscriber.policy,
        position,
        firstRun: state?.firstRuns?.[nodeId],
        start,
        isSettling,
        owed,
        happenedSince: ({ event }) =>
          emptySince !== undefined && this.timeOf(event) >= emptySince - clockTolerance,
        wasInFlight: (event) => inFlight.wasInFlight(nodeId, event),
      })
      const deliveries = deliveriesOf(nodeId, share, context)
      const isFirst = position === undefined
      const isFirstList = isFirst || subscription.firstList?.isFirst === true
      const batch = { ...share, nodeId, subscription, deliveries }
      return { ...batch, isFirst, isFirstList, isSettling, boundary: newest }
    })
  }

  /** Returns the nodes' parts of a list up to a number of events; the same list again gives the next ones. */
  portionOf(listed: readonly FeedEvent[], newest: number, context: ListContext, size: number): Portion<C> {
    const batches = this.batchesOf(listed, newest, context)
    if (size === Number.POSITIVE_INFINITY) return { batches, listed, flaggedKeys: [], isLast: true }
    const sequences = new Set(batches.flatMap(({ events }) => events.map(({ sequence }) => sequence)))
    const end = [...sequences].sort((one, other) => one - other)[size - 1]
    if (end === undefined || sequences.size <= size) return { batches, listed, flaggedKeys: [], isLast: true }
    const shown = listed.filter(({ sequence }) => sequence <= end)
    const flagged = batches.flatMap(({ deliveries }) => deliveries.filter(({ redelivered }) => redelivered))
    const flaggedKeys = flagged.map(({ key }) => key)
    const boundaries = new Map(batches.map((batch) => [batch.nodeId, boundaryIn(batch, listed, newest)]))
    const portion = this.batchesOf(shown, end, context).map((batch) => ({
      ...batch,
      boundary: boundaries.get(batch.nodeId) ?? newest,
    }))
    return { batches: portion, listed: shown, flaggedKeys, isLast: false }
  }

  /** Notes what a node has received of a list or of a portion of it, and what it may still receive of it. */
  noteSent(
    { subscription, isFirst, before, position, hasGap, boundary }: SubscribedBatch<C>,
    listed: readonly FeedEvent[],
    memory: EventHistory,
    isLast: boolean,
  ): void {
    const { subscriber, owed, start, firstList } = subscription
    if (start === undefined) subscription.startedAt = this.#clock.monotonic()
    if (start === undefined || firstList !== undefined) {
      subscription.start = boundary
      subscription.firstList = isLast ? undefined : (firstList ?? { isFirst })
    }
    for (const { sequence } of listed) owed.delete(sequence)
    if (hasGap || (isFirst && subscriber.policy.first === 'deliver')) {
      const shown = new Set(listed.map(({ sequence }) => sequence))
      const from = isFirst ? 0 : before
      const missing = sequencesOf(memory).filter((sequence) => sequence > from && sequence <= position)
      for (const sequence of missing) if (!shown.has(sequence)) owed.add(sequence)
    }
  }

  /** Returns milliseconds since 1970. An event without a valid time is taken for a new one. */
  timeOf(event: PanelEvent): number {
    const time = eventTime(event, this.#timeZone)
    return time === null ? Number.POSITIVE_INFINITY : Date.parse(time)
  }

  /** Returns the time of an event, the second one of two if the clocks have shown it twice: milliseconds since 1970. */
  latestTimeOf(event: PanelEvent): number {
    return this.timeOf({ ...event, isRepeatedTime: true })
  }
}

/**
 * Returns the highest sequence of what happened before a node joined, as long as the rest of a list is still to be sent: of
 * the events after an empty list, those that happened since are live in each portion.
 */
function boundaryIn<C>(
  { subscription, ofBefore, isFirst, before }: SubscribedBatch<C>,
  listed: readonly FeedEvent[],
  newest: number,
): number {
  if (subscription.start !== undefined) return subscription.start
  const from = isFirst ? 0 : before
  const isLive = (event: FeedEvent) => event.sequence > from && !ofBefore.has(event)
  if (!listed.some(isLive)) return newest
  return Math.max(from, ...[...ofBefore].map(({ sequence }) => sequence))
}

function deliveriesOf(
  nodeId: string,
  { events, ofBefore, ofFirstRun, late }: EventShare,
  { inFlight, isPastDoubtful }: ListContext,
): DeliveredEvent[] {
  return events.map((event): DeliveredEvent => {
    const mayBeRepeat = isPastDoubtful && ofBefore.has(event)
    const isOfFirstRun = ofFirstRun.has(event)
    const isReturned = event.isReturned === true && !isOfFirstRun
    const redelivered = mayBeRepeat || isReturned || inFlight.wasInFlight(nodeId, event)
    const { sequence, key } = event
    return { event: event.event, key, sequence, isOfFirstRun, late: late.has(event), redelivered }
  })
}
