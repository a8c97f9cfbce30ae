import assert from 'node:assert/strict'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { NodeRedHarness } from '../node-red.ts'
import type { FlowMessage } from '../recorder.ts'
import type { MessageServer } from './message-server.ts'

type Panel = Simulator['world']['panels'][number]
type PanelEvent = Panel['events'][number]

/** The errors in the delivery of events; the contract promises 0 for all of them. */
export interface DeliveryCounts {
  /** Events without a message. */
  lost: number
  /** Messages that repeat an event without the flag `redelivered`. */
  repeatedUnflagged: number
  /** Messages about a gap. */
  gaps: number
}

/** The counts if every event was delivered as promised. */
export const noneLost: DeliveryCounts = { lost: 0, repeatedUnflagged: 0, gaps: 0 }

/** A node whose messages are counted. */
export interface Recipient {
  id: string
  /** Returns true for events that the node must get; all events by default. */
  isOwed?(event: PanelEvent): boolean
}

/** Adds events to a simulated panel and counts their deliveries. */
export class EventLoad {
  readonly #panel: Panel
  readonly #server: MessageServer
  readonly #recipients: readonly Recipient[]
  readonly #events: PanelEvent[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param recipients the nodes, or the ids of nodes that must get all events */
  constructor(panel: Panel, server: MessageServer, ...recipients: (Recipient | string)[]) {
    this.#panel = panel
    this.#server = server
    this.#recipients = recipients.map((one) => (typeof one === 'string' ? { id: one } : one))
  }

  /**
   * Adds events every `every` milliseconds, `most` times.
   * @param load.atOnce returns the number of events to add each time; 1 by default
   */
  start({ every, most, atOnce = () => 1 }: { every: number; most: number; atOnce?: () => number }): void {
    this.stop()
    let left = most
    this.#timer = setInterval(() => {
      this.addEvents(atOnce())
      left -= 1
      if (left === 0) this.stop()
    }, every)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Adds events now, all in the same second. */
  addEvents(count = 1): void {
    this.#panel.addEvents(count)
    this.#events.push(...this.#panel.events.slice(-count))
  }

  /** The number of events added. */
  get count(): number {
    return this.#events.length
  }

  /** The number of different events delivered, counted once for each node. */
  get deliveredCount(): number {
    return this.#recipients.reduce((sum, { id }) => sum + this.#idsAt(id).size, 0)
  }

  /** Waits until another event is delivered. */
  async waitForNext(): Promise<void> {
    const before = this.deliveredCount
    await this.#server.until(() => this.deliveredCount > before, 'a new event')
  }

  /** Waits until all events added so far are delivered to all nodes that must get them. */
  async waitForAll(): Promise<void> {
    await this.#server
      .until(() => this.counts.lost === 0, `all ${this.count} events`)
      // The counts report lost events.
      .catch(() => {})
  }

  /** Stops adding events, and waits until all of them and a last one are delivered. */
  async finish(): Promise<void> {
    this.stop()
    await this.waitForAll()
    // A repeated event would be delivered before this one.
    this.addEvents()
    await this.waitForAll()
  }

  /** The counts of all nodes together. */
  get counts(): DeliveryCounts {
    const sum = { ...noneLost }
    for (const { id } of this.#recipients) {
      const { lost, repeatedUnflagged, gaps } = this.countsAt(id)
      sum.lost += lost
      sum.repeatedUnflagged += repeatedUnflagged
      sum.gaps += gaps
    }
    return sum
  }

  /** Returns the counts of one node. */
  countsAt(node: string): DeliveryCounts {
    const recipient = this.#recipients.find(({ id }) => id === node)
    const seen = new Set<number>()
    let repeatedUnflagged = 0
    for (const { payload, redelivered } of this.#eventMessages(node)) {
      if (seen.has(payload.id) && redelivered !== true) repeatedUnflagged += 1
      seen.add(payload.id)
    }
    const owed = this.#events.filter((event) => recipient?.isOwed?.(event) ?? true)
    return {
      lost: owed.filter(({ event }) => !seen.has(event)).length,
      repeatedUnflagged,
      gaps: this.#server.from(node).all.filter(({ topic }) => topic.endsWith('/gap')).length,
    }
  }

  /** The number of messages with the flag `redelivered`. */
  get flaggedCount(): number {
    return this.#recipients.flatMap(({ id }) => this.#eventMessages(id)).filter(isFlagged).length
  }

  #idsAt(node: string): Set<number> {
    return new Set(this.#eventMessages(node).map(({ payload }) => payload.id))
  }

  #eventMessages(node: string): FlowMessage[] {
    return this.#server.from(node).all.filter(({ topic }) => topic.includes('/event/'))
  }
}

function isFlagged({ redelivered }: FlowMessage): boolean {
  return redelivered === true
}

/** Returns an event load for the first panel of a harness; these nodes must get all events. */
export function createEventLoad(
  { simulator, messages }: Pick<NodeRedHarness, 'simulator' | 'messages'>,
  ...nodes: string[]
): EventLoad {
  const [panel] = simulator.world.panels
  assert.ok(panel)
  return new EventLoad(panel, messages, ...nodes)
}
