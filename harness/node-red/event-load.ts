import assert from 'node:assert/strict'
import type { Simulator } from '../../src/simulator/simulator.ts'
import type { NodeRedHarness } from '../node-red.ts'
import type { FlowMessage, MessageServer } from './message-server.ts'

type Panel = Simulator['world']['panels'][number]
type PanelEvent = Panel['events'][number]

/** What became of the events; all of it 0 is what the contract promises. */
export interface DeliveryCounts {
  /** Events that no message told of. */
  lost: number
  /** Messages that tell an event again and do not say so. */
  repeatedUnflagged: number
  /** Messages about a gap. */
  gaps: number
}

/** Nothing lost, nothing repeated without saying so, no gap. */
export const noneLost: DeliveryCounts = { lost: 0, repeatedUnflagged: 0, gaps: 0 }

/** A node whose messages are counted at the sink. */
export interface Recipient {
  id: string
  /** Whether it must be told of an event; of every one where this is left out. */
  isOwed?(event: PanelEvent): boolean
}

/** Events that keep coming at a simulated panel, and the count of what became of them. */
export class EventLoad {
  readonly #panel: Panel
  readonly #sink: MessageServer
  readonly #recipients: readonly Recipient[]
  readonly #events: PanelEvent[] = []
  #timer: NodeJS.Timeout | undefined

  /** @param recipients the nodes, or their ids where they are owed every event */
  constructor(panel: Panel, sink: MessageServer, ...recipients: (Recipient | string)[]) {
    this.#panel = panel
    this.#sink = sink
    this.#recipients = recipients.map((one) => (typeof one === 'string' ? { id: one } : one))
  }

  /**
   * Lets an event happen every so many milliseconds, and stops by itself after the last of so many.
   * @param load.atOnce how many happen each time; one where this is left out
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

  /** Lets events happen now, all in one second. */
  addEvents(count = 1): void {
    this.#panel.addEvents(count)
    this.#events.push(...this.#panel.events.slice(-count))
  }

  /** How many events happened. */
  get count(): number {
    return this.#events.length
  }

  /** How many different events were told, each counted once for each node. */
  get deliveredCount(): number {
    return this.#recipients.reduce((sum, { id }) => sum + this.#idsAt(id).size, 0)
  }

  /** Waits until an event is told that was not told before. */
  async waitForNext(): Promise<void> {
    const before = this.deliveredCount
    await this.#sink.until('a new event', () => this.deliveredCount > before)
  }

  /** Waits until everything that happened so far was told to all it is owed to. */
  async waitForAll(): Promise<void> {
    await this.#sink
      .until(`all ${this.count} events`, () => this.counts.lost === 0)
      // What is lost is counted in the verdict.
      .catch(() => {})
  }

  /** Lets nothing more happen, and waits until all that did was told, and that was all that came of it. */
  async finish(): Promise<void> {
    this.stop()
    await this.waitForAll()
    // A repeat of the others would come before this one.
    this.addEvents()
    await this.waitForAll()
  }

  /** What became of the events at all nodes together. */
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

  /** What became of the events at one node. */
  countsAt(node: string): DeliveryCounts {
    const recipient = this.#recipients.find(({ id }) => id === node)
    const messages = this.#messages(node)
    const seen = new Set<number>()
    let repeatedUnflagged = 0
    for (const { payload, redelivered } of messages) {
      if (seen.has(payload.id) && redelivered !== true) repeatedUnflagged += 1
      seen.add(payload.id)
    }
    const owed = this.#events.filter((event) => recipient?.isOwed?.(event) ?? true)
    return {
      lost: owed.filter(({ event }) => !seen.has(event)).length,
      repeatedUnflagged,
      gaps: this.#sink.from(node).filter(({ topic }) => topic.endsWith('/gap')).length,
    }
  }

  /** How many messages say that they may be a repeat. */
  get flaggedCount(): number {
    return this.#recipients.flatMap(({ id }) => this.#messages(id)).filter(isFlagged).length
  }

  #idsAt(node: string): Set<number> {
    return new Set(this.#messages(node).map(({ payload }) => payload.id))
  }

  #messages(node: string): FlowMessage[] {
    return this.#sink.from(node).filter(({ topic }) => topic.includes('/event/'))
  }
}

function isFlagged({ redelivered }: FlowMessage): boolean {
  return redelivered === true
}

/** Counts the events of the first panel of a laboratory at these nodes. */
export function createEventLoad(
  { simulator, messages: sink }: NodeRedHarness,
  ...nodes: string[]
): EventLoad {
  const [panel] = simulator.world.panels
  assert.ok(panel)
  return new EventLoad(panel, sink, ...nodes)
}
