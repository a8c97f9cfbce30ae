import type { PanelEvent } from '../service/events.ts'
import type { Order } from './chronology.ts'
import { usableId } from './event-key.ts'

/** An event as far as it marks an edge of a gap; `time` is the service's own text. */
export interface EventGlimpse {
  id: number | null
  typeId: number | null
  time: string
}

/** What tells events apart, as columns of numbers with a row for each event, oldest first. */
export interface EventColumns {
  readonly marks: Column
  /** 1, or for a further event of the same mark its number. */
  readonly occurrences: Column
  /** Order of discovery, from 1; a late event has a higher one than its younger neighbour. */
  readonly sequences: Column
}

/** Numbers, however they are kept. */
export type Column = ArrayLike<number> & Iterable<number>

/** Columns to be kept: of each event 16 bytes, where plain lists take 24. */
export interface KeptColumns extends EventColumns {
  readonly marks: Float64Array
  readonly occurrences: Uint32Array
  readonly sequences: Uint32Array
}

/** What is remembered of a panel's lists: numbers alone, so that it is small. */
export interface FeedMemory extends KeptColumns {
  /** The next sequence to be given. */
  readonly next: number
  /** How the service kept the last list. */
  readonly order: Order
  /** The newest event known, for the report of a gap. */
  readonly newest: EventGlimpse | null
}

/** The memory of a panel of which no event was ever seen. */
export const blankMemory: FeedMemory = {
  marks: new Float64Array(),
  occurrences: new Uint32Array(),
  sequences: new Uint32Array(),
  next: 1,
  order: 'none',
  newest: null,
}

/** How many events are remembered beyond the list's length: entries vanish from a list and come back. */
const reserve = 200

/** A list as it was recognised. */
export interface Recognised extends EventColumns {
  /** For each event its row in the memory, or -1 when it is new. */
  readonly rows: readonly number[]
}

/** Whether the list has what it has in common with the memory in the memory's order. */
export function agrees(rows: readonly number[]): boolean {
  let highest = -1
  for (const row of rows) {
    if (row >= 0 && row < highest) return false
    if (row > highest) highest = row
  }
  return true
}

/**
 * The remembered events after a list: the list, and what it did not show in its old place between.
 *
 * A list in another order than the memory is believed, and what it does not show is taken for older. The memory never
 * grows shorter, so that a list cut short for once makes nothing forgotten.
 */
export function remember(before: EventColumns, list: Recognised): KeptColumns {
  const known = before.marks.length
  if (known === 0) return columnsOf(list)
  const shown = new Uint8Array(known)
  for (const row of list.rows) if (row >= 0) shown[row] = 1
  const inOrder = agrees(list.rows)

  // Newest first, a row of the memory as its number, an event of the list as its number beyond the memory's rows.
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

  const length = Math.max(known, list.rows.length + reserve)
  const kept = youngest.slice(0, length).reverse()
  const column = (old: Column, listed: Column) =>
    kept.map((place) => (place < known ? old[place] : listed[place - known]) ?? 0)
  return columnsOf({
    marks: column(before.marks, list.marks),
    occurrences: column(before.occurrences, list.occurrences),
    sequences: column(before.sequences, list.sequences),
  })
}

/** The columns as they are kept. */
export function columnsOf({ marks, occurrences, sequences }: EventColumns): KeptColumns {
  return {
    marks: new Float64Array(marks),
    occurrences: new Uint32Array(occurrences),
    sequences: new Uint32Array(sequences),
  }
}

/** The event as a flow is told of it at the edge of a gap. */
export function glimpse(event: PanelEvent): EventGlimpse {
  return { id: usableId(event), typeId: event.type_id, time: event.datetime }
}
