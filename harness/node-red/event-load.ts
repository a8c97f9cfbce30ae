import assert from 'node:assert/strict'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { maxEvents } from '../../src/simulator/world/event-log.ts'
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
  readonly #tallies: readonly Tally[]
  readonly #events: PanelEvent[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param recipients the nodes, or the ids of nodes that must get all events */
  constructor(panel: Panel, server: MessageServer, ...recipients: (Recipient | string)[]) {
    this.#panel = panel
    this.#server = server
    this.#tallies = recipients.map((one) => new Tally(typeof one === 'string' ? { id: one } : one))
  }

  /**
   * Adds events every `every` milliseconds, `most` times. It pauses while a quarter of the list of the panel was not
   * delivered: on a busy machine, deploys may come quicker than polls, and the list would lose some truly. As many may have
   * arrived although a deploy has recalled them, so that they are sent once more.
   * @param load.atOnce returns the number of events to add each time; 1 by default
   */
  start({ every, most, atOnce = () => 1 }: { every: number; most: number; atOnce?: () => number }): void {
    this.stop()
    let left = most
    this.#timer = setInterval(() => {
      if (this.counts.lost > maxEvents / 4) return
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
    return this.#upToDate().reduce((sum, { seen }) => sum + seen.size, 0)
  }

  /** Waits until another event is delivered. */
  async waitForNext(): Promise<void> {
    const before = this.deliveredCount
    await this.#server.until(() => this.deliveredCount > before, 'a new event')
  }

  /**
   * Waits until all events added so far are delivered to all nodes that must get them.
   * @throws Error with the counts if some are not: a test that went on would wait in vain again and again
   */
  async waitForAll(): Promise<void> {
    try {
      await this.#server.until(() => this.counts.lost === 0, `all ${this.count} events`)
    } catch (cause) {
      throw new Error(`Of ${this.count} events: ${JSON.stringify(this.counts)}.`, { cause })
    }
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
    for (const { counts } of this.#upToDate()) {
      sum.lost += counts.lost
      sum.repeatedUnflagged += counts.repeatedUnflagged
      sum.gaps += counts.gaps
    }
    return sum
  }

  /** Returns the counts of one node. */
  countsAt(node: string): DeliveryCounts {
    const tally = this.#upToDate().find(({ recipient }) => recipient.id === node)
    assert.ok(tally, `${node} is no recipient`)
    return tally.counts
  }

  /** The number of messages with the flag `redelivered`. */
  get flaggedCount(): number {
    return this.#upToDate().reduce((sum, { flagged }) => sum + flagged, 0)
  }

  #upToDate(): readonly Tally[] {
    for (const tally of this.#tallies) tally.read(this.#events, this.#server.from(tally.recipient.id).all)
    return this.#tallies
  }
}

/** The events that one node was given. It reads each event and each message once, because a wait counts after each message. */
class Tally {
  readonly recipient: Recipient
  /** The ids of the events delivered. */
  readonly seen = new Set<number>()
  /** The number of messages with the flag `redelivered`. */
  flagged = 0
  readonly #missing = new Set<number>()
  #repeatedUnflagged = 0
  #gaps = 0
  #eventsRead = 0
  #messagesRead = 0

  constructor(recipient: Recipient) {
    this.recipient = recipient
  }

  get counts(): DeliveryCounts {
    return { lost: this.#missing.size, repeatedUnflagged: this.#repeatedUnflagged, gaps: this.#gaps }
  }

  /** Reads what was added to both lists since the last time. */
  read(events: readonly PanelEvent[], messages: readonly FlowMessage[]): void {
    for (; this.#eventsRead < events.length; this.#eventsRead += 1) {
      const event = events[this.#eventsRead] as PanelEvent
      const isOwed = this.recipient.isOwed?.(event) ?? true
      if (isOwed && !this.seen.has(event.event)) this.#missing.add(event.event)
    }
    for (; this.#messagesRead < messages.length; this.#messagesRead += 1)
      this.#count(messages[this.#messagesRead] as FlowMessage)
  }

  #count({ topic, payload, redelivered }: FlowMessage): void {
    if (topic.endsWith('/gap')) this.#gaps += 1
    if (!topic.includes('/event/')) return
    if (redelivered === true) this.flagged += 1
    else if (this.seen.has(payload.id)) this.#repeatedUnflagged += 1
    this.seen.add(payload.id)
    this.#missing.delete(payload.id)
  }
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
