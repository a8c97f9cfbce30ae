import type { PanelEvent } from '../../service/responses/events.ts'
import { type SortOrder, usableId } from './event-order.ts'

/** An event at an edge of a gap; `time` is the service's own text. */
export interface EventGlimpse {
  id: number | null
  typeId: number | null
  time: string
}

/** The data that tells events apart, as columns of numbers with a row for each event, oldest first. */
interface EventColumns {
  readonly hashes: Column
  /** 1, or the number of a further event with the same hash; empty if each is 1. */
  readonly occurrences: Column
  /** Order of discovery, from 1; a late event has a higher number than its younger neighbor. */
  readonly sequences: Column
}

/** Numbers in any kind of list. */
export type Column = ArrayLike<number> & Iterable<number>

/** Columns for storage: 8 bytes for each event, while plain lists take 24. */
interface KeptColumns extends EventColumns {
  readonly hashes: Float64Array
  readonly occurrences: Uint32Array
  /** Empty if each is one more than that of the row before, and the last one was assigned last: see `sequenceAt`. */
  readonly sequences: Uint32Array
}

/**
 * The former way to write times: milliseconds to add to a time of now, the letter between date and time, and the
 * text after the time.
 */
export interface MovedTimes {
  readonly shift: number
  readonly separator: string
  readonly ending: string
}

/** The events that are remembered of a panel's lists: only numbers, to keep it small. */
export interface EventHistory extends KeptColumns {
  /** The next sequence to assign. */
  readonly next: number
  /** The order of the last list. */
  readonly order: SortOrder
  /** The newest known event, for the report of a gap. */
  readonly newest: EventGlimpse | null
  /**
   * The oldest event of the first list, or of the first one behind a gap; undefined in a history of versions before. What
   * happened before it was never new.
   */
  readonly oldest?: EventGlimpse | undefined
  /** The way in which the service wrote the times of events that no list has shown since it writes them in another one. */
  readonly moved: MovedTimes | null
}

/** A column that all histories share whose numbers need not be kept. */
const blank = new Uint32Array()

/** The history of a panel that has not shown any event yet. */
export const blankHistory: EventHistory = {
  hashes: new Float64Array(),
  occurrences: blank,
  sequences: blank,
  next: 1,
  order: 'none',
  newest: null,
  moved: null,
}

/** Returns the sequence of a row. */
export function sequenceAt({ hashes, sequences, next }: EventHistory, row: number): number {
  return sequences[row] ?? next - hashes.length + row
}

/** Returns the sequences of all rows. */
export function sequencesOf(history: EventHistory): Uint32Array {
  return new Uint32Array(history.hashes.length).map((_, row) => sequenceAt(history, row))
}

/** Number of events remembered beyond the list's length, because entries vanish from a list and come back. */
const spareCapacity = 200

/** A list that was compared with the history. */
interface MatchedEvents extends EventColumns {
  /** The row of each event in the history, or -1 if the event is new. */
  readonly rows: readonly number[]
}

/** Returns true if the events that the list shares with the history are in the same order. */
export function agrees(rows: readonly number[]): boolean {
  let highest = -1
  for (const row of rows) {
    if (row >= 0 && row < highest) return false
    if (row > highest) highest = row
  }
  return true
}

/**
 * Returns the history after a list: the events of the list, and in their old places the events that it did
 * not show.
 *
 * If the order differs, the list's order applies, and events that it does not show count as older. The
 * history never becomes shorter, so that a list that is once cut short loses nothing.
 * @param next the next sequence to assign after the list
 */
export function remember(before: EventHistory, list: MatchedEvents, next: number): KeptColumns {
  const known = before.hashes.length
  if (known === 0) return columnsOf(list, next)
  const shown = new Uint8Array(known)
  for (const row of list.rows) if (row >= 0) shown[row] = 1
  const inOrder = agrees(list.rows)

  // Newest first. A row of the history is stored as its number, an event of the list as its number plus the
  // number of rows in the history.
  const youngest: number[] = []
  let row = known - 1
  const addUnshownAbove = (end: number) => {
    for (; row > end; row -= 1) if (shown[row] === 0) youngest.push(row)
  }
  for (let at = list.rows.length - 1; at >= 0; at -= 1) {
    const match = list.rows[at] ?? -1
    if (match >= 0 && inOrder) addUnshownAbove(match)
    youngest.push(known + at)
  }
  addUnshownAbove(-1)

  const length = Math.max(known, list.rows.length + spareCapacity)
  const kept = youngest.slice(0, length).reverse()
  const hashes = new Float64Array(kept.length)
  const [occurrences, sequences] = [new Uint32Array(kept.length), new Uint32Array(kept.length)]
  kept.forEach((place, at) => {
    const isKnown = place < known
    const row = isKnown ? place : place - known
    const from = isKnown ? before : list
    hashes[at] = from.hashes[row] ?? 0
    occurrences[at] = from.occurrences[row] ?? 1
    sequences[at] = isKnown ? sequenceAt(before, row) : (list.sequences[row] ?? 0)
  })
  return withBlanks({ hashes, occurrences, sequences }, next)
}

/**
 * Returns the columns for storage, of which those are empty that tell nothing.
 * @param next the next sequence to assign
 */
export function columnsOf({ hashes, occurrences, sequences }: EventColumns, next: number): KeptColumns {
  const columns = {
    hashes: new Float64Array(hashes),
    occurrences: new Uint32Array(occurrences),
    sequences: new Uint32Array(sequences),
  }
  return withBlanks(columns, next)
}

/** Returns the same columns, of which those are blank that tell nothing. */
function withBlanks({ hashes, occurrences, sequences }: KeptColumns, next: number): KeptColumns {
  return {
    hashes,
    occurrences: areFirst(occurrences) ? blank : occurrences,
    sequences: areConsecutive(sequences, next) ? blank : sequences,
  }
}

/** Returns true if each event is the first one with its hash. */
function areFirst(occurrences: Column): boolean {
  for (let row = 0; row < occurrences.length; row += 1) if (occurrences[row] !== 1) return false
  return true
}

/** Returns true if the events were assigned the last sequences, in the order of their rows. */
function areConsecutive(sequences: Column, next: number): boolean {
  const first = next - sequences.length
  for (let row = 0; row < sequences.length; row += 1) if (sequences[row] !== first + row) return false
  return true
}

/** Returns the event as a gap message describes it. */
export function glimpse(event: PanelEvent): EventGlimpse {
  return { id: usableId(event), typeId: event.type_id, time: event.datetime }
}
