import type { Clock } from '../../clock.ts'
import { asKeyholderError, type KeyholderError } from '../../service/error.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { type Lease, LeaseLost } from '../lease.ts'
import {
  CursorCommit,
  type CursorCommitReports,
  InFlightEvents,
  portionDelay,
  turnsInFlight,
} from './cursor/cursor-commit.ts'
import { type CursorState, newestBefore, stateAfter, stateBefore } from './cursor/cursor-format.ts'
import type { CursorStore } from './cursor/cursor-store.ts'
import { type EventHistory, glimpse } from './event-history.ts'
import { LostPosition } from './lost-position.ts'
import { type FeedEvent, findNewEvents } from './new-events.ts'
import { type EventSubscriber, type Gap, withNotes } from './subscription.ts'
import {
  firstPortion,
  portionAfter,
  type SubscribedBatch,
  Subscriptions,
  settlingTime,
} from './subscriptions.ts'

/** The reports about the cursor of an event delivery; the functions must not throw. */
export interface DeliveryReports extends CursorCommitReports {
  /** Reports a sentence about a damaged cursor. */
  notice(sentence: string): void
}

/** The state of an event delivery that the next process needs. */
export interface DeliveryStores {
  /** Only its holder delivers. */
  readonly lease: Lease
  readonly cursor: CursorStore
}

/** Something that a node tells besides events, such as that an incident is over. */
export interface Telling {
  /** Returns the notes of the node. `isTold` is false as long as the message may be lost. */
  notes(isTold: boolean): string
  send(): void
}

/**
 * Delivers every event of a panel once to each listening node, over restarts, redeploys and kills.
 *
 * The order is intent, send, cursor: keys are recorded before the events are sent, and the cursor is saved
 * after the flow had time to handle them. Events that were intended and not confirmed are sent again,
 * flagged. Each node has its own position, so that a node that was away for a moment or a week gets the
 * events that it has not received yet. Events still in flight when a node stops are recalled and delivered
 * again.
 *
 * Only the holder of the panel's lease delivers. It begins with what the holder before it has saved, and forgets all
 * of it when the lease is lost.
 */
export class EventDelivery<C> {
  readonly #serial: string
  readonly #clock: Clock
  readonly #lease: Lease
  readonly #cursor: CursorStore
  readonly #cursorCommit: CursorCommit
  readonly #reports: DeliveryReports
  readonly #subscriptions: Subscriptions<C>
  #inFlight = new InFlightEvents()
  /** The number of losses of the lease. */
  #losses = 0
  #ignoreLease = () => {}
  #isLoaded = false
  #hasBegun = false
  #state: CursorState | undefined
  /** The time until which events of before the start may be repeats, because a part of the cursor is lost. */
  #doubtfulUntil = Number.NEGATIVE_INFINITY
  /** Exists until then if the positions of all nodes are lost. */
  #lost: LostPosition | undefined
  #queue: Promise<void> = Promise.resolve()
  /** The nodes with a telling that waits for its turn: it tells all that is known then. */
  readonly #waiting = new Set<unknown>()
  /** True if something was recalled since the cursor was last saved. */
  #hasRecalled = false
  #isClosed = false

  /** @param timeZone the zone of the times in the events */
  constructor(
    serial: string,
    { lease, cursor }: DeliveryStores,
    clock: Clock,
    reports: DeliveryReports,
    timeZone = 'UTC',
  ) {
    this.#serial = serial
    this.#clock = clock
    this.#subscriptions = new Subscriptions(clock, timeZone)
    this.#lease = lease
    this.#ignoreLease = lease.onChange(() => {
      if (!lease.isHeld) this.#forget()
    })
    this.#cursor = cursor
    this.#reports = reports
    const notifySubscribers = () => {
      for (const subscriber of this.#subscriptions.subscribers) subscriber.cursor?.()
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
    const subscription = this.#subscriptions.add(nodeId, subscriber)
    return () => {
      if (this.#subscriptions.get(nodeId) !== subscription) return
      this.#subscriptions.remove(nodeId)
      this.#recall([nodeId])
    }
  }

  /**
   * Processes the panel's current list and delivers to each node the events that are new to it, if this process
   * has the lease; never rejects. If another process may go on, a long list is sent in portions: each is confirmed before
   * the next one, so that a slow flow neither keeps the heartbeats back nor gets much of the list again.
   * @param signal aborted when the source of the list stops: a list that still waits for earlier ones is then
   * skipped
   */
  accept(list: readonly PanelEvent[], context: C, signal?: AbortSignal): Promise<void> {
    this.#queue = this.#queue
      .then(async () => {
        let portion = this.#cursor.isShared ? firstPortion : Number.POSITIVE_INFINITY
        while (portion > 0) {
          await this.#cursorCommit.saved()
          // After a redeploy another event delivery writes the same cursor.
          const isOver = this.#isClosed || signal?.aborted || !this.#lease.isHeld
          portion = isOver ? 0 : await this.#deliver(list, context, portion)
        }
      })
      .catch((thrown) => {
        if (!(thrown instanceof LeaseLost)) this.#reports.outage(asKeyholderError(thrown))
      })
    return this.#queue
  }

  /**
   * Has a node tell something that no event causes: its notes are saved before, as not told, and after it as told. Does
   * nothing without the lease, because another process tells it. Never rejects.
   */
  tell(nodeId: string, telling: Telling): Promise<void> {
    const subscription = this.#subscriptions.get(nodeId)
    // Polls that come while the cursor is saved would queue faster than they are told, and hold back the events.
    if (subscription === undefined || this.#waiting.has(subscription)) return this.#queue
    this.#waiting.add(subscription)
    this.#queue = this.#queue
      .then(() => this.#cursorCommit.saved())
      .finally(() => this.#waiting.delete(subscription))
      .then(async () => {
        const isThere = () =>
          this.#subscriptions.get(nodeId) === subscription && subscription.isRecalled && !this.#isClosed
        const note = (isTold: boolean) => {
          if (this.#state === undefined || !isThere()) return undefined
          const notes = withNotes(this.#state.notes ?? {}, [[nodeId, telling.notes(isTold)]])
          this.#state = { ...this.#state, notes }
          return this.#state
        }
        const losses = this.#losses
        const noted = note(false)
        if (noted === undefined) return
        await this.#cursorCommit.prepare(...this.#confirmation(noted))
        if (this.#losses !== losses || !this.#lease.isHeld || !isThere()) return
        telling.send()
        // Until then Node-RED drops the message if the flow stops.
        await turnsInFlight()
        if (this.#losses === losses && note(true) !== undefined && this.#state !== undefined) {
          const known = this.#state
          this.#cursorCommit.save(() => this.#confirmation(this.#state ?? known), true)
        }
      })
      .catch((thrown) => {
        if (!(thrown instanceof LeaseLost)) this.#reports.outage(asKeyholderError(thrown))
      })
    return this.#queue
  }

  /**
   * Confirms at once the events that were sent, before another process goes on. Events in flight to nodes that have
   * left are sent again, flagged. Never rejects.
   */
  confirm(): Promise<void> {
    // At once, because the queued lists wait for this.
    this.#cursorCommit.end()
    this.#queue = this.#queue.then(async () => {
      this.#cursorCommit.end()
      await this.#cursorCommit.saved()
      if (!this.#isClosed) await this.#writeLast()
    })
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
    this.#ignoreLease()
    await this.#writeLast()
  }

  /** Saves what was recalled since the cursor was last saved, or could not be saved. */
  async #writeLast(): Promise<void> {
    if (this.#state === undefined || !(this.#hasRecalled || this.error)) return
    await this.#cursorCommit.write(...this.#confirmation(this.#state))
  }

  /**
   * Delivers the events of a list, but no more than a number of them. Returns the number of those that should follow; 0 if
   * none is left.
   */
  async #deliver(list: readonly PanelEvent[], context: C, portion: number): Promise<number> {
    const losses = this.#losses
    if (!this.#isLoaded) await this.#load()
    // If part of the history is lost, a list that is empty by chance must not be taken for the first one.
    if (this.#doubtfulUntil === Number.POSITIVE_INFINITY && list.length === 0) return 0
    const lost = this.#clock.monotonic() < this.#doubtfulUntil ? this.#lost : undefined
    const { nodeIds } = this.#subscriptions
    if (lost !== undefined)
      this.#state =
        this.#hasBegun && this.#state !== undefined
          ? lost.stateWithNodes(this.#state, nodeIds)
          : lost.stateBefore(list, this.#serial, nodeIds)
    const state = this.#state
    const { unlistedKeys } = this.#inFlight
    const { memory, listed: all } = findNewEvents(state?.memory ?? null, this.#serial, list, unlistedKeys)
    this.#subscriptions.recallNotes(state?.notes)
    const isPastDoubtful = this.#clock.monotonic() < this.#doubtfulUntil
    const circumstances = { state, inFlight: this.#inFlight, isPastDoubtful }
    const partOf = (context: typeof circumstances) =>
      this.#subscriptions.portionOf(all, memory.next - 1, context, portion)
    const part = partOf(circumstances)
    const { listed, flaggedKeys, isLast } = part
    let batches = lost?.partsAfter(part.batches, this.#hasBegun ? undefined : memory.next - 1) ?? part.batches
    const isUnwritten = !isPastDoubtful && state !== undefined && !this.#cursorCommit.hasWritten
    const ifUnwritable = isUnwritten ? partOf({ ...circumstances, isPastDoubtful: true }).batches : batches
    // What this process would flag later, the next one must flag too.
    this.#inFlight.recall(flaggedKeys)
    this.#inFlight.noteListed(all)
    const notes = new Map<string, string>()
    const keys = new Set<string>()
    for (const { nodeId, subscription, deliveries } of batches) {
      for (const { key } of deliveries) keys.add(key)
      const text = deliveries.length > 0 ? subscription.subscriber.note?.(deliveries, context) : undefined
      if (text !== undefined) notes.set(nodeId, text)
    }
    if (keys.size > 0) {
      if (notes.size > 0 || batches.some(({ isFirst, hasGap }) => isFirst || hasGap)) {
        // Before anything is sent: after a kill, the next run of the node must not be its first one, and its
        // gap must be told again.
        const noted = stateBefore(this.#serial, memory, state, batches, notes)
        await this.#cursorCommit.prepare(noted, [...this.#inFlight.unconfirmedKeys(noted), ...keys])
      }
      await this.#cursorCommit.intend([...new Set([...keys, ...flaggedKeys])])
      if (isUnwritten && !this.#cursorCommit.hasWritten) {
        // A process before this one may have sent these events too, and not noted it.
        this.#doubtfulUntil = Number.POSITIVE_INFINITY
        batches = ifUnwritable
      }
    }
    if (this.#losses !== losses || !this.#lease.isHeld) throw new LeaseLost()
    // A node that was removed while the intent was written keeps its position, and gets all events when it
    // returns.
    const sent = batches.filter(
      ({ nodeId, subscription }) => this.#subscriptions.get(nodeId) === subscription,
    )
    const sentAt = this.#clock.monotonic()
    for (const batch of sent) this.#send(batch, listed, memory, context, isLast)
    const known = stateAfter(this.#serial, memory, state, sent, notes)
    this.#state = known
    const hasNewEvents = memory.next !== state?.memory.next
    const hasMoved = batches.some(({ isFirst, before, position }) => isFirst || before !== position)
    // The first state after a start is always saved, so that an unwritable cursor is noticed before it
    // matters.
    if (!this.#hasBegun || hasNewEvents || hasMoved || this.error !== undefined) {
      const wasSent = keys.size > 0 || sent.some(({ hasGap }) => hasGap)
      const flowTime = isLast ? undefined : portionDelay
      this.#cursorCommit.save(() => this.#confirmation(this.#state ?? known), wasSent, flowTime)
      // The next process would send again what is not confirmed.
      const release = wasSent ? this.#lease.keep?.() : undefined
      if (release !== undefined) void this.#cursorCommit.saved().then(release)
    }
    this.#hasBegun = true
    this.#doubtfulUntil = Math.min(this.#doubtfulUntil, this.#clock.monotonic() + settlingTime)
    if (isLast) return 0
    await turnsInFlight()
    return portionAfter(portion, this.#clock.monotonic() - sentAt)
  }

  #send(
    batch: SubscribedBatch<C>,
    listed: readonly FeedEvent[],
    memory: EventHistory,
    context: C,
    isLast: boolean,
  ): void {
    const { nodeId, events, deliveries, before, hasGap } = batch
    const { subscriber } = batch.subscription
    this.#subscriptions.noteSent(batch, listed, memory, isLast)
    if (hasGap) subscriber.gap(this.#gapOf(nodeId, before, listed), context)
    if (events.length > 0 || hasGap) this.#inFlight.noteSent(nodeId, before, events)
    if (events.length > 0) subscriber.events(deliveries, context)
  }

  #gapOf(nodeId: string, before: number, listed: readonly FeedEvent[]): Gap {
    if (this.#lost !== undefined && !this.#hasBegun) return this.#lost.gapIn(listed)
    const oldest = listed.find(({ sequence }) => sequence > before)
    return {
      lastKnown: this.#state === undefined ? null : newestBefore(this.#state, nodeId, before),
      oldestShown: oldest === undefined ? null : glimpse(oldest.event),
    }
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
    this.#state = {
      ...this.#state,
      positions: Object.fromEntries([...Object.entries(this.#state.positions), ...before]),
    }
  }

  /** Forgets what it knows, because another process goes on from what was saved. */
  #forget(): void {
    this.#losses += 1
    this.#isLoaded = false
    this.#hasBegun = false
    this.#state = undefined
    this.#doubtfulUntil = Number.NEGATIVE_INFINITY
    this.#lost = undefined
    this.#inFlight = new InFlightEvents()
    this.#hasRecalled = false
    this.#cursorCommit.drop()
    this.#subscriptions.restart()
  }

  async #load(): Promise<void> {
    const losses = this.#losses
    const { state, intended, warning, doubtful, lostAt } = await this.#cursor.load(this.#serial)
    if (this.#losses !== losses) throw new LeaseLost()
    if (warning !== undefined) this.#reports.notice(warning)
    this.#state = state ?? undefined
    this.#inFlight.recall(intended)
    if (doubtful) this.#doubtfulUntil = Number.POSITIVE_INFINITY
    if (lostAt !== undefined)
      this.#lost = new LostPosition(lostAt, (event) => this.#subscriptions.latestTimeOf(event))
    this.#isLoaded = true
  }
}
