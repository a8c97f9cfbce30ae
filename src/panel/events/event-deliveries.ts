import type { Clock } from '../../clock.ts'
import { KeyholderError } from '../../service/error.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { DeliveringNode, Lease, PolledWork, PollLease } from '../lease.ts'
import type { CursorStore } from './cursor/cursor-store.ts'
import { type DeliveryReports, EventDelivery, type Telling } from './event-delivery.ts'
import type { EventSubscriber } from './subscription.ts'

/** The state that all processes share that deliver the events of a panel. */
export interface EventStores {
  /** Returns the lease whose holder polls a part of the panel. */
  pollLease(work: PolledWork): PollLease
  /** Returns the lease whose holder delivers a part of the panel to a node. */
  deliveryLease(node: DeliveringNode, work: PolledWork): Lease
  /** Returns the cursor of the events that a node gets; the same object for nodes that have one in common. */
  cursor(node: DeliveringNode): CursorStore
}

/** The reports of the event deliveries of a panel; the functions must not throw. */
interface DeliveriesReports extends DeliveryReports {
  /**
   * Reports that a node now gets its events here and needs the present list, which no view keeps.
   * @param lostAt the time of the monotonic clock until which it got them here before, if it did
   */
  gain(lostAt: number | undefined): void
}

/**
 * The event deliveries of a panel: one for each cursor. A process that is alone has one cursor for all nodes. In a
 * cluster, and after it, each node has one, because each node may get its events on another instance.
 */
export class EventDeliveries<C> {
  readonly #serial: string
  readonly #stores: EventStores
  readonly #clock: Clock
  readonly #reports: DeliveriesReports
  readonly #timeZone: string
  readonly #deliveries = new Map<CursorStore, EventDelivery<C>>()
  readonly #byNode = new Map<string, EventDelivery<C>>()
  readonly #failing = new Set<CursorStore>()
  #isClosed = false

  /** @param timeZone the zone of the times in the events */
  constructor(
    serial: string,
    stores: EventStores,
    clock: Clock,
    reports: DeliveriesReports,
    timeZone?: string,
  ) {
    this.#serial = serial
    this.#stores = stores
    this.#clock = clock
    this.#reports = reports
    this.#timeZone = timeZone ?? 'UTC'
  }

  /** Returns the reason why the cursor of a node cannot be written; undefined while it can. */
  error(node: DeliveringNode): KeyholderError | undefined {
    return this.#byNode.get(node.id)?.error
  }

  /**
   * Adds a node and returns a function that removes it. The position of a removed node is kept for its
   * return.
   */
  subscribe(node: DeliveringNode, subscriber: EventSubscriber<C>): () => void {
    const cursor = this.#stores.cursor(node)
    const lease = this.#stores.deliveryLease(node, 'events')
    const delivery = this.#deliveries.get(cursor) ?? this.#add(node, cursor)
    this.#byNode.set(node.id, delivery)
    let wasHeld = lease.isHeld
    let lostAt: number | undefined
    const ignore = lease.onChange(() => {
      if (lease.isHeld && !wasHeld) this.#reports.gain(lostAt)
      if (!lease.isHeld && wasHeld) lostAt = this.#clock.monotonic()
      wasHeld = lease.isHeld
    })
    // The lease of the polls would take this one along if it was given up first.
    const wishes = [lease.want(), this.#stores.pollLease('events').want()]
    const leave = delivery.subscribe(node.id, subscriber)
    return () => {
      ignore()
      leave()
      const giveUp = () => {
        for (const end of wishes) end()
      }
      // Another process goes on from what is confirmed.
      if (cursor.isShared) void delivery.confirm().then(giveUp)
      else giveUp()
    }
  }

  /** Has a node tell something that no event causes, if this process delivers to it; never rejects. */
  async tell(node: DeliveringNode, telling: Telling): Promise<void> {
    await this.#byNode.get(node.id)?.tell(node.id, telling)
  }

  /**
   * Returns the notes that another process has saved for a node to which it delivers, null if it has saved none; undefined
   * if this process delivers to the node.
   * @throws KeyholderError SHARED_STATE_AWAY if they cannot be read
   */
  async sharedNotes(node: DeliveringNode): Promise<string | null | undefined> {
    if (this.#stores.deliveryLease(node, 'events').isHeld) return undefined
    const state = await this.#stores.cursor(node).peek?.(this.#serial)
    if (state) return state.notes?.[node.id] ?? null
    throw new KeyholderError(
      'SHARED_STATE_AWAY',
      'This instance stands by, and no other one of the cluster has shared yet what it knows of the panel. Try again in a minute.',
    )
  }

  /**
   * Delivers to each node the events of the panel's current list that are new to it, as far as this process has its
   * lease; never rejects.
   * @param signal aborted when the source of the list stops: a list that still waits for earlier ones is then
   * skipped
   */
  async accept(list: readonly PanelEvent[], context: C, signal?: AbortSignal): Promise<void> {
    const deliveries = [...this.#deliveries.values()]
    await Promise.all(deliveries.map((delivery) => delivery.accept(list, context, signal)))
  }

  /** Accepts no further list, and confirms at once the events that were sent. Nothing is written after this is done. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#deliveries.values()].map((delivery) => delivery.close()))
  }

  #add(node: DeliveringNode, cursor: CursorStore): EventDelivery<C> {
    const lease = this.#stores.deliveryLease(node, 'events')
    const delivery = new EventDelivery<C>(
      this.#serial,
      { lease, cursor },
      this.#clock,
      {
        outage: (error) => {
          this.#failing.add(cursor)
          this.#reports.outage(error)
        },
        // One outage for all nodes: it ends with the last of them.
        recovery: () => {
          this.#failing.delete(cursor)
          if (this.#failing.size === 0) this.#reports.recovery()
        },
        notice: (sentence) => this.#reports.notice(sentence),
      },
      this.#timeZone,
    )
    this.#deliveries.set(cursor, delivery)
    // A node that subscribes late gets nothing; its panel is being replaced.
    if (this.#isClosed) void delivery.close()
    return delivery
  }
}
