import type { Clock } from '../../clock.ts'
import { asKeyholderError, type KeyholderError } from '../../service/error.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { Cursor, CursorState } from './cursor.ts'
import { CursorCommit, type CursorCommitReports } from './cursor-commit.ts'
import { InFlightEvents } from './in-flight.ts'
import { type EventHistory, type FeedEvent, findNewEvents } from './new-events.ts'
import { type EventSubscriber, eventsFor, positionsBefore } from './subscription.ts'

export type { DeliveredEvent, EventSubscriber, Gap } from './subscription.ts'

/** The reports about the cursor of an event delivery; the functions must not throw. */
export interface DeliveryReports extends CursorCommitReports {
  /** Reports a sentence about a damaged cursor. */
  notice(sentence: string): void
}

interface Subscription<C> {
  subscriber: EventSubscriber<C>
  /** False until the first list after joining: events that are new in that list were missed. */
  hasSeenAList: boolean
}

/**
 * Delivers every event of a panel once to each listening node, over restarts, redeploys and kills.
 *
 * The order is intent, send, cursor: keys are recorded before the events are sent, and the cursor is saved
 * after the flow had time to handle them. Events that were intended and not confirmed are sent again,
 * flagged. Each node has its own position, so that a node that was away for a moment or a week gets the
 * events that it has not received yet. Events still in flight when a node stops are recalled and delivered
 * again.
 */
export class EventDelivery<C> {
  readonly #serial: string
  readonly #cursor: Cursor
  readonly #cursorCommit: CursorCommit
  readonly #reports: DeliveryReports
  readonly #subscriptions = new Map<string, Subscription<C>>()
  readonly #inFlight = new InFlightEvents()
  #isLoaded = false
  #hasBegun = false
  #state: CursorState | undefined
  #isRepeat = false
  #queue: Promise<void> = Promise.resolve()
  /** True if something was recalled since the cursor was last saved. */
  #hasRecalled = false
  #isClosed = false

  constructor(serial: string, cursor: Cursor, clock: Clock, reports: DeliveryReports) {
    this.#serial = serial
    this.#cursor = cursor
    this.#reports = reports
    const notifySubscribers = () => {
      for (const { subscriber } of this.#subscriptions.values()) subscriber.cursor?.()
    }
    this.#cursorCommit = new CursorCommit(cursor, clock, {
      outage: (error) => {
        reports.outage(error)
        notifySubscribers()
      },
      recovery: () => {
        reports.recovery()
        notifySubscribers()
      },
    })
  }

  /** The reason why the cursor cannot be written; undefined while it can. */
  get error(): KeyholderError | undefined {
    return this.#cursorCommit.error
  }

  /**
   * Adds a node and returns a function that removes it. The position of a removed node is kept for its
   * return.
   */
  subscribe(nodeId: string, subscriber: EventSubscriber<C>): () => void {
    const subscription = { subscriber, hasSeenAList: false }
    this.#subscriptions.set(nodeId, subscription)
    return () => {
      if (this.#subscriptions.get(nodeId) !== subscription) return
      this.#subscriptions.delete(nodeId)
      this.#recall([nodeId])
    }
  }

  /**
   * Processes the panel's current list and delivers to each node the events that are new to it; never
   * rejects.
   * @param signal aborted when the source of the list stops: a list that still waits for earlier ones is then
   * skipped
   */
  accept(list: readonly PanelEvent[], context: C, signal?: AbortSignal): Promise<void> {
    this.#queue = this.#queue
      .then(() => this.#cursorCommit.saved())
      // After a redeploy another event delivery writes the same cursor.
      .then(() => (this.#isClosed || signal?.aborted ? undefined : this.#deliver(list, context)))
      .catch((thrown) => this.#reports.outage(asKeyholderError(thrown)))
    return this.#queue
  }

  /**
   * Accepts no further list, and confirms at once the events that were sent; nothing is written after this is
   * done. Events in flight are recalled, so that they are sent again, flagged.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#recall(this.#inFlight.nodesInFlight)
    // At once, because the queued lists wait for this.
    this.#cursorCommit.end()
    await this.#queue
    // A list that was being processed may have been sent meanwhile.
    this.#recall(this.#inFlight.nodesInFlight)
    this.#cursorCommit.end()
    await this.#cursorCommit.saved()
    if (this.#state === undefined || !(this.#hasRecalled || this.error)) return
    await this.#cursorCommit.write(...this.#confirmation(this.#state))
  }

  async #deliver(list: readonly PanelEvent[], context: C): Promise<void> {
    if (!this.#isLoaded) await this.#load()
    const state = this.#state
    // If part of the history is lost, a list that is empty by chance must not be taken for the first one.
    if (this.#isRepeat && list.length === 0) return
    const { memory, listed, fresh, gap } = findNewEvents(state?.memory ?? null, this.#serial, list)
    this.#inFlight.noteListed(listed)
    const positions = new Map(Object.entries(state?.positions ?? {}))
    const newest = memory.next - 1
    const batches = [...this.#subscriptions].map(([nodeId, { subscriber, hasSeenAList }]) => {
      const before = positions.get(nodeId)
      const wasInFlight = (event: FeedEvent) => this.#inFlight.wasInFlight(nodeId, event)
      const share = eventsFor(listed, newest, before, subscriber.policy, hasSeenAList, wasInFlight)
      return { ...share, nodeId, subscriber, before }
    })
    const keys = new Set(batches.flatMap(({ events }) => events.map(({ key }) => key)))
    if (keys.size > 0) {
      if (batches.some(({ before }) => before === undefined)) {
        // Before anything is sent: after a kill, the next run of the node must not be its first one.
        const noted = this.#stateOf(memory, [...positions, ...positionsBefore(batches)])
        await this.#cursorCommit.write(noted, [...this.#inFlight.unconfirmedKeys(noted), ...keys])
      }
      await this.#cursorCommit.intend([...keys])
    }
    // Events that were in flight are known, although no cursor contains them yet.
    const isGap = gap !== undefined && !listed.some((event) => this.#inFlight.isRecalled(event))
    for (const { nodeId, subscriber, events, late, position, before } of batches) {
      const subscription = this.#subscriptions.get(nodeId)
      // Removed while the intent was written: the node keeps its position, and gets all events when it
      // returns.
      if (subscription?.subscriber !== subscriber) continue
      positions.set(nodeId, position)
      subscription.hasSeenAList = true
      if (isGap) subscriber.gap(gap, context)
      const deliveries = events.map((share) => {
        const { event, key, sequence } = share
        const redelivered = this.#isRepeat || this.#inFlight.wasInFlight(nodeId, share)
        return { event, key, sequence, late, redelivered }
      })
      if (deliveries.length === 0) continue
      this.#inFlight.noteSent(nodeId, before ?? 0, events)
      subscriber.events(deliveries, context)
    }
    const known = this.#stateOf(memory, positions)
    this.#state = known
    const hasMoved = batches.some(({ before, position }) => before !== position)
    // The first state after a start is always saved, so that an unwritable cursor is noticed before it
    // matters.
    if (!this.#hasBegun || fresh.length > 0 || hasMoved || this.error !== undefined) {
      this.#cursorCommit.save(() => this.#confirmation(this.#state ?? known), keys.size > 0)
    }
    this.#hasBegun = true
    this.#isRepeat = false
  }

  #stateOf(memory: EventHistory, positions: Iterable<readonly [string, number]>): CursorState {
    return { serial: this.#serial, memory, positions: Object.fromEntries(positions) }
  }

  #confirmation(state: CursorState): [CursorState, string[]] {
    this.#hasRecalled = false
    return [state, this.#inFlight.unconfirmedKeys(state)]
  }

  /**
   * Recalls the in-flight events of nodes that stop, because Node-RED drops them; they are new to the
   * nodes again.
   */
  #recall(nodeIds: readonly string[]): void {
    const before = nodeIds.flatMap((nodeId) => this.#inFlight.recallFrom(nodeId))
    if (before.length === 0 || this.#state === undefined) return
    this.#hasRecalled = true
    this.#state = this.#stateOf(this.#state.memory, [...Object.entries(this.#state.positions), ...before])
  }

  async #load(): Promise<void> {
    const { state, intended, warning, doubtful } = await this.#cursor.load(this.#serial)
    if (warning !== undefined) this.#reports.notice(warning)
    this.#state = state ?? undefined
    this.#inFlight.recall(intended)
    this.#isRepeat = doubtful
    this.#isLoaded = true
  }
}
