import type { PanelEvent } from '../service/events.ts'
import type { Order } from './chronology.ts'
import { usableId } from './event-key.ts'

/** An event as far as it marks an edge of a gap; `time` is the service's own text. */
export interface EventGlimpse {
  id: number | null
  typeId: number | null
  time: string
}

/**
 * What is remembered of a panel's list, plain numbers so that it is small and goes to disk as it is.
 *
 * The first three are columns of one table, a row for each remembered event, oldest first.
 */
export interface FeedMemory {
  readonly marks: readonly number[]
  /** 1, or for a further event of the same mark its number. */
  readonly occurrences: readonly number[]
  /** Order of discovery, from 1; a late event has a higher one than its younger neighbour. */
  readonly sequences: readonly number[]
  /** The next sequence to be given. */
  readonly next: number
  /** How the service kept the last list. */
  readonly order: Order
  /** The newest event known, for the report of a gap. */
  readonly newest: EventGlimpse | null
}

/** The memory of a panel of which no event was ever seen. */
export const blankMemory: FeedMemory = {
  marks: [],
  occurrences: [],
  sequences: [],
  next: 1,
  order: 'none',
  newest: null,
}

/** How much longer than the list the memory is: entries vanish from a list and come back. */
const reserve = 200

/** A list as it was recognised: columns again, oldest first. */
export interface Recognised {
  marks: readonly number[]
  occurrences: readonly number[]
  sequences: readonly number[]
  /** For each event its row in the memory, or -1 when it is new. */
  rows: readonly number[]
}

/** Whether the list has what it has in common with the memory in the memory's order. */
export function agrees(rows: readonly number[]): boolean {
  let highest = -1
  for (const row of rows) {
    if (row >= 0 && row < highest) return false
    highest = Math.max(highest, row)
  }
  return true
}

/**
 * The memory after a list: the list, and what it did not show in its old place between.
 *
 * A list in another order than the memory is believed, and what it does not show is taken for older. The memory never
 * grows shorter, so that a list cut short for once makes nothing forgotten.
 */
export function remember(
  before: FeedMemory,
  list: Recognised,
): Omit<FeedMemory, 'next' | 'order' | 'newest'> {
  const marks: number[] = []
  const occurrences: number[] = []
  const sequences: number[] = []
  const add = (from: Omit<Recognised, 'rows'>, at: number) => {
    marks.push(from.marks[at] ?? 0)
    occurrences.push(from.occurrences[at] ?? 1)
    sequences.push(from.sequences[at] ?? 0)
  }
  const shown = new Set(list.rows)
  const inOrder = agrees(list.rows)
  let row = before.marks.length - 1
  const addUnshownAfter = (end: number) => {
    for (; row > end; row -= 1) if (!shown.has(row)) add(before, row)
  }
  // From the newest down: an event that is new at the newest end is younger than all that is not shown.
  for (let at = list.marks.length - 1; at >= 0; at -= 1) {
    const known = list.rows[at] ?? -1
    if (known >= 0 && inOrder) addUnshownAfter(known)
    add(list, at)
  }
  addUnshownAfter(-1)
  const length = Math.max(before.marks.length, list.marks.length + reserve)
  const oldestFirst = (column: number[]) => column.slice(0, length).reverse()
  return {
    marks: oldestFirst(marks),
    occurrences: oldestFirst(occurrences),
    sequences: oldestFirst(sequences),
  }
}

/** The event as a flow is told of it at the edge of a gap. */
export function glimpse(event: PanelEvent): EventGlimpse {
  return { id: usableId(event), typeId: event.type_id, time: event.datetime }
}
