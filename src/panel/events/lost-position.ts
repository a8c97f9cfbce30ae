import type { PanelEvent } from '../../service/responses/events.ts'
import { type CursorState, stateWith } from './cursor/cursor-format.ts'
import { columnsOf, type EventGlimpse, glimpse, sequencesOf } from './event-history.ts'
import { type FeedEvent, findNewEvents } from './new-events.ts'
import type { Gap } from './subscription.ts'
import type { SubscribedBatch } from './subscriptions.ts'

/**
 * The positions of nodes in the events, of which only the time is known at which they were written last: what happened before
 * was told then.
 */
export class LostPosition {
  readonly #at: number
  readonly #timeOf: (event: PanelEvent) => number
  /** The position behind what happened before, and the newest event of that; undefined before the first list. */
  #before: { position: number; newest: EventGlimpse | null } | undefined

  /**
   * @param at milliseconds since 1970: the time of the file that had the positions
   * @param timeOf returns the latest time that an event can have, in milliseconds since 1970; Infinity if it has no valid one
   */
  constructor(at: number, timeOf: (event: PanelEvent) => number) {
    this.#at = at
    this.#timeOf = timeOf
  }

  /** Returns the state before the first list: the nodes have what happened before, and behind it is a gap. */
  stateBefore(list: readonly PanelEvent[], serial: string, nodeIds: readonly string[]): CursorState {
    const older = list.filter((event) => this.#wasTold(event))
    const { memory } = findNewEvents(null, serial, older)
    const { newest } = memory
    this.#before = { position: memory.next - 1, newest }
    // The gap takes a number.
    const next = memory.next + 1
    const columns = columnsOf({ ...memory, sequences: sequencesOf(memory) }, next)
    const ofAll = <T>(value: T) => nodeIds.map((nodeId): [string, T] => [nodeId, value])
    return stateWith(
      serial,
      { ...memory, ...columns, next },
      {
        positions: ofAll(memory.next - 1),
        firstRuns: new Map(),
        lastKnown: new Map(newest === null ? [] : ofAll(newest)),
        notes: {},
      },
    )
  }

  /** Returns the state with the positions of nodes that have joined since the first list: they have lost theirs, too. */
  stateWithNodes(state: CursorState, nodeIds: readonly string[]): CursorState {
    const joined = nodeIds.filter((nodeId) => !Object.hasOwn(state.positions, nodeId))
    if (joined.length === 0 || this.#before === undefined) return state
    const { position, newest } = this.#before
    const ofJoined = <T>(value: T) => Object.fromEntries(joined.map((nodeId) => [nodeId, value]))
    return {
      ...state,
      positions: { ...state.positions, ...ofJoined(position) },
      ...(newest !== null && { lastKnown: { ...state.lastKnown, ...ofJoined(newest) } }),
    }
  }

  /**
   * Returns the nodes' parts of a list without what happened before, which later lists may add.
   * @param gapUpTo the highest sequence of all events if this is the first list, behind which the nodes have a gap
   */
  partsAfter<C>(batches: readonly SubscribedBatch<C>[], gapUpTo: number | undefined): SubscribedBatch<C>[] {
    return batches.map((batch) => {
      const { ofBefore } = batch
      // What comes later is new, even if the clock of the panel is behind.
      const events = batch.events.filter((one) => !ofBefore.has(one) || !this.#wasTold(one.event))
      const sequences = new Set(events.map(({ sequence }) => sequence))
      const deliveries = batch.deliveries.filter(({ sequence }) => sequences.has(sequence))
      const gap = gapUpTo !== undefined && { hasGap: true, position: gapUpTo }
      return { ...batch, events, deliveries, ...gap }
    })
  }

  /** Returns the gap between what happened before and what a list shows since. */
  gapIn(listed: readonly FeedEvent[]): Gap {
    const last = listed.findLast(({ event }) => this.#wasTold(event))
    const first = listed.find(({ event }) => !this.#wasTold(event))
    return {
      lastKnown: last === undefined ? null : glimpse(last.event),
      oldestShown: first === undefined ? null : glimpse(first.event),
    }
  }

  #wasTold(event: PanelEvent): boolean {
    return this.#timeOf(event) <= this.#at
  }
}
