import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CursorState } from './cursor-file.ts'
import type { FeedEvent } from './feed.ts'

/** Turns of the event loop in which a message may still be on a wire: Node-RED takes one for each wire on its way. */
const turnsOnTheWire = 20

/** Keys kept at most beyond the number of events remembered: of those that no list shows any more, the oldest go. */
const reserve = 1000

/** The sequence of an event that no list has shown yet. */
const unlisted = Number.POSITIVE_INFINITY

/** Sequences of events by their `eventKey`, oldest first. */
type Sequences = ReadonlyMap<string, number>

/** What a node was given a moment ago. */
interface Sent {
  /** The node's position before. */
  before: number
  events: Sequences
}

/**
 * What is on the wires behind the nodes of a stream, and what may have been lost there.
 *
 * When a flow stops, Node-RED drops what is on its wires, and a kill drops everything. Such events are open, and stay
 * intended on disk, until each node that may want them was given them: else it would get them unflagged, or never.
 */
export class Wires {
  readonly #recalled = new Map<string, number>()
  readonly #sent = new Map<string, Sent>()
  readonly #takenBack = new Map<string, Sequences>()

  /** Recalls what was on its way when an earlier process ended; nobody knows to which nodes. */
  recall(keys: Iterable<string>): void {
    for (const key of keys) this.#recalled.set(key, unlisted)
  }

  /** Notes the sequences that events have in a list. */
  see(listed: readonly FeedEvent[]): void {
    for (const { key, sequence } of listed) if (this.#recalled.has(key)) this.#recalled.set(key, sequence)
  }

  /** Whether the event was on its way when an earlier process ended. */
  isRecalled({ key }: FeedEvent): boolean {
    return this.#recalled.has(key)
  }

  /** Whether the event was on its way, perhaps to this node, when a process or the node ended. */
  wasOnItsWay(nodeId: string, event: FeedEvent): boolean {
    return this.isRecalled(event) || this.#takenBack.get(nodeId)?.has(event.key) === true
  }

  /**
   * Takes events that a node is given now.
   * @param before the node's position before
   */
  carry(nodeId: string, before: number, events: readonly FeedEvent[]): void {
    const sent = { before, events: new Map(events.map(({ key, sequence }) => [key, sequence])) }
    this.#sent.set(nodeId, sent)
    void this.#watch(nodeId, sent)
  }

  /** The nodes behind which something may still be on a wire. */
  get busy(): string[] {
    return [...this.#sent.keys()]
  }

  /** Takes back what is on the wires behind a node; names it with the position that it has then, where that changes. */
  takeBack(nodeId: string): [nodeId: string, position: number][] {
    const sent = this.#sent.get(nodeId)
    if (sent === undefined) return []
    this.#sent.delete(nodeId)
    this.#takenBack.set(nodeId, new Map([...(this.#takenBack.get(nodeId) ?? []), ...sent.events]))
    return [[nodeId, sent.before]]
  }

  /** Keys of what was on its way and lies beyond a node's position, as far as the panel's list may still show it. */
  open({ memory, positions }: CursorState): string[] {
    const known = new Set(memory.sequences).add(unlisted)
    const beyond = (events: Sequences, position: number) =>
      [...events].filter(([, sequence]) => sequence > position && known.has(sequence))
    const open = beyond(this.#recalled, Math.min(...Object.values(positions)))
    for (const [nodeId, events] of this.#takenBack) open.push(...beyond(events, positions[nodeId] ?? 0))
    const keys = new Set(open.map(([key]) => key))
    return [...keys].slice(-(known.size + reserve))
  }

  async #watch(nodeId: string, sent: Sent): Promise<void> {
    for (let turn = 0; turn < turnsOnTheWire; turn += 1) await nextTurn()
    if (this.#sent.get(nodeId) === sent) this.#sent.delete(nodeId)
  }
}
