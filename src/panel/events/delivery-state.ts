import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CursorState, newestBefore } from './cursor/cursor-format.ts'
import { type EventGlimpse, type EventHistory, sequencesOf } from './event-history.ts'
import type { FeedEvent } from './new-events.ts'
import { type Batch, keptNotes, type NodeNotes, withNotes } from './subscription.ts'

/** The notes that nodes have changed, by node id. */
type ChangedNotes = ReadonlyMap<string, string>

const noNotes: ChangedNotes = new Map()

/**
 * Returns the state to record before anything is sent: the events about to be sent are beyond a node's
 * position, and so is a gap about to be told.
 */
export function stateBefore(
  serial: string,
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
  notes: ChangedNotes = noNotes,
): CursorState {
  const positions = batches.map(({ nodeId, events, hasGap, before, position }): [string, number] => [
    nodeId,
    events.length > 0 || hasGap ? before : position,
  ])
  return stateOf(serial, memory, {
    positions: [...Object.entries(state?.positions ?? {}), ...positions],
    firstRuns: firstRunsAfter(state, batches),
    lastKnown: lastKnownTo(memory, state),
    notes: withNotes(state?.notes ?? {}, notes),
  })
}

/** Returns the state after the batches were sent; other nodes that have a position are away. */
export function stateAfter(
  serial: string,
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
  notes: ChangedNotes = noNotes,
): CursorState {
  const positions = new Map(Object.entries(state?.positions ?? {}))
  const present = new Set(batches.map(({ nodeId }) => nodeId))
  const changed = withNotes(
    state?.notes ?? {},
    [...notes].filter(([nodeId]) => present.has(nodeId)),
  )
  const lastKnown = lastKnownTo(memory, state)
  for (const { nodeId, position, hasGap } of batches) {
    positions.set(nodeId, position)
    // A gap in flight may have to be told again.
    if (!hasGap) lastKnown.delete(nodeId)
  }
  return stateOf(serial, memory, {
    positions,
    firstRuns: firstRunsAfter(state, batches),
    lastKnown,
    notes: present.size === 0 ? changed : keptNotes(changed, present),
  })
}

/** Returns the newest event known to each node, if the node receives none of the new ones. */
function lastKnownTo(memory: EventHistory, state: CursorState | undefined): Map<string, EventGlimpse> {
  const lastKnown = new Map(Object.entries(state?.lastKnown ?? {}))
  if (state === undefined || memory.next === state.memory.next) return lastKnown
  for (const [nodeId, position] of Object.entries(state.positions)) {
    const newest = newestBefore(state, nodeId, position)
    if (newest !== null) lastKnown.set(nodeId, newest)
  }
  return lastKnown
}

function firstRunsAfter(
  state: CursorState | undefined,
  batches: readonly Batch[],
): ReadonlyMap<string, number> {
  const firstRuns = new Map(Object.entries(state?.firstRuns ?? {}))
  for (const { nodeId, isFirstList, isSettling, boundary } of batches) {
    if (isFirstList) firstRuns.set(nodeId, boundary)
    else if (!isSettling) firstRuns.delete(nodeId)
  }
  return firstRuns
}

/** Fields about nodes, without those that are empty. */
function stateOf(
  serial: string,
  memory: EventHistory,
  nodes: {
    positions: Iterable<readonly [string, number]>
    firstRuns: ReadonlyMap<string, number>
    lastKnown: ReadonlyMap<string, EventGlimpse>
    notes: NodeNotes
  },
): CursorState {
  return {
    serial,
    memory,
    positions: Object.fromEntries(nodes.positions),
    ...(nodes.firstRuns.size > 0 && { firstRuns: Object.fromEntries(nodes.firstRuns) }),
    ...(nodes.lastKnown.size > 0 && { lastKnown: Object.fromEntries(nodes.lastKnown) }),
    ...(Object.keys(nodes.notes).length > 0 && { notes: nodes.notes }),
  }
}

/** Turns of the event loop in which a message can still be in flight: Node-RED takes one for each wire. */
const maxTurnsInFlight = 20

/** Waits until a message that was sent now can no longer be in flight. */
export async function turnsInFlight(): Promise<void> {
  for (let turn = 0; turn < maxTurnsInFlight; turn += 1) await nextTurn()
}

/**
 * Maximum number of keys kept beyond the number of remembered events; the oldest keys that no list shows are
 * dropped.
 */
const spareCapacity = 1000

/** The sequence of an event that no list has shown yet. */
const unlisted = Number.POSITIVE_INFINITY

/** Sequences of events by `eventKey`, oldest first. */
type Sequences = ReadonlyMap<string, number>

/** The events that a node received a moment ago. */
interface Sent {
  /** The node's position before these events. */
  before: number
  events: Sequences
}

/**
 * The events in flight behind the nodes of an event delivery, and those that may have been lost there.
 *
 * Node-RED drops the messages in flight when a flow stops, and a kill drops everything. These events stay
 * recorded as intended on disk until every node that may want them has received them; otherwise a node could
 * get them without the `redelivered` flag, or not at all.
 */
export class InFlightEvents {
  readonly #recalled = new Map<string, number>()
  readonly #sent = new Map<string, Sent>()
  readonly #recalledFrom = new Map<string, Sequences>()

  /**
   * Recalls the events that were in flight when an earlier process ended; it is not known for which nodes.
   */
  recall(keys: Iterable<string>): void {
    for (const key of keys) this.#recalled.set(key, unlisted)
  }

  /** Notes the sequences that recalled events have in a list. */
  noteListed(listed: readonly FeedEvent[]): void {
    // The keys of a list are texts that would be built for nothing.
    if (this.#recalled.size === 0) return
    for (const { key, sequence } of listed) if (this.#recalled.has(key)) this.#recalled.set(key, sequence)
  }

  /** The keys of events in flight when an earlier process ended that no list has shown since. */
  get unlistedKeys(): string[] {
    return [...this.#recalled].flatMap(([key, sequence]) => (sequence === unlisted ? [key] : []))
  }

  /** Returns true if the event was in flight, possibly to this node, when a process or the node ended. */
  wasInFlight(nodeId: string, { key }: FeedEvent): boolean {
    return this.#recalled.has(key) || this.#recalledFrom.get(nodeId)?.has(key) === true
  }

  /**
   * Notes events that a node receives now.
   * @param before the node's position before these events
   */
  noteSent(nodeId: string, before: number, events: readonly FeedEvent[]): void {
    const sent = { before, events: new Map(events.map(({ key, sequence }) => [key, sequence])) }
    this.#sent.set(nodeId, sent)
    void this.#watch(nodeId, sent)
  }

  /** The nodes that may still have events in flight. */
  get nodesInFlight(): string[] {
    return [...this.#sent.keys()]
  }

  /**
   * Recalls the events in flight to a node; returns the node with its former position, or an empty list if
   * none are in flight.
   */
  recallFrom(nodeId: string): [nodeId: string, position: number][] {
    const sent = this.#sent.get(nodeId)
    if (sent === undefined) return []
    this.#sent.delete(nodeId)
    this.#recalledFrom.set(nodeId, new Map([...(this.#recalledFrom.get(nodeId) ?? []), ...sent.events]))
    return [[nodeId, sent.before]]
  }

  /**
   * Returns the keys of possibly lost events beyond a node's position, if the panel's list may still show
   * them.
   */
  unconfirmedKeys({ memory, positions }: CursorState): string[] {
    const known = new Set(sequencesOf(memory)).add(unlisted)
    const beyond = (events: Sequences, position: number) =>
      [...events].filter(([, sequence]) => sequence > position && known.has(sequence))
    const open = beyond(this.#recalled, Math.min(...Object.values(positions)))
    for (const [nodeId, events] of this.#recalledFrom) open.push(...beyond(events, positions[nodeId] ?? 0))
    const keys = new Set(open.map(([key]) => key))
    return [...keys].slice(-(known.size + spareCapacity))
  }

  async #watch(nodeId: string, sent: Sent): Promise<void> {
    await turnsInFlight()
    if (this.#sent.get(nodeId) === sent) this.#sent.delete(nodeId)
  }
}
