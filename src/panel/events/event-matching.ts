import type { PanelEvent } from '../../service/responses/events.ts'
import type { Column, EventHistory } from './event-history.ts'
import { hash, usableId } from './event-key.ts'
import { chronological, type Order, orderOf } from './event-order.ts'

/** A sorted list, compared with the end of the history. */
interface Laid {
  /** Oldest first. */
  events: readonly PanelEvent[]
  marks: readonly number[]
  order: Order
  /** Number of events at the beginning of the list that equal the end of the history. */
  overlap: number
}

/** A list in which each event is known or new. */
export interface Recognition extends Omit<Laid, 'overlap'> {
  /** The row of each event in the history, or -1 if the event is new. */
  rows: readonly number[]
}

/**
 * Finds the events of a list in the history.
 *
 * The beginning of the list is aligned with the end of the history as far as they are equal. The rest is
 * matched, by count, with the remaining rows of the history. If the overlap cannot be a coincidence, the rest
 * is younger. An event without an id is then new even if an equal one exists, for example one from an hour
 * ago on a clock that was put back.
 */
export function alignWithHistory(memory: EventHistory, list: readonly PanelEvent[]): Recognition {
  const { events, marks, order, overlap } = arrange(memory, list)
  const start = memory.marks.length - overlap
  const rows = marks.map((_, at) => (at < overlap ? start + at : -1))
  if (overlap < marks.length && start > 0) {
    const isYounger = order !== 'none' && isNoChance(overlap, marks)
    const isOpen = events.map((event, at) => at >= overlap && (usableId(event) !== null || !isYounger))
    pair(memory.marks.subarray(0, start), marks, isOpen, rows)
  }
  return { events, marks, order, rows }
}

/**
 * Aligns a list with the history. The earlier order applies if the list, read in that order, continues the
 * history: this is more reliable than clocks.
 */
function arrange(memory: EventHistory, list: readonly PanelEvent[]): Laid {
  const habitual = lay(memory.marks, memory.order === 'newest first' ? list.toReversed() : list, memory.order)
  if (memory.order !== 'none' && isNoChance(habitual.overlap, list)) return habitual
  const order = orderOf(list, memory.order)
  const events = chronological(list, order)
  const isSame = events.every((event, at) => event === habitual.events[at])
  return isSame ? { ...habitual, order } : lay(memory.marks, events, order)
}

function lay(known: Column, events: readonly PanelEvent[], order: Order): Laid {
  const marks = events.map(hash)
  let overlap = Math.min(known.length, marks.length)
  while (overlap > 0 && !overlaps(known, marks, overlap)) overlap -= 1
  return { events, marks, order, overlap }
}

function overlaps(known: Column, marks: readonly number[], overlap: number): boolean {
  const start = known.length - overlap
  for (let at = 0; at < overlap; at += 1) if (known[start + at] !== marks[at]) return false
  return true
}

/** Returns true for more than half of the list, and more than the few events that can share a second. */
function isNoChance(overlap: number, list: readonly unknown[]): boolean {
  return overlap > 4 && overlap * 2 > list.length
}

/**
 * Pairs the open places of the list with equal hashes of the history. If the list has more of them, the
 * youngest are new.
 */
function pair(known: Column, marks: readonly number[], isOpen: readonly boolean[], rows: number[]): void {
  const candidates = new Set(known)
  const groups = new Map<number, { places: number[]; rows: number[] }>()
  marks.forEach((value, at) => {
    if (!isOpen[at] || !candidates.has(value)) return
    const group = groups.get(value)
    if (group === undefined) groups.set(value, { places: [at], rows: [] })
    else group.places.push(at)
  })
  for (let row = known.length - 1; row >= 0 && groups.size > 0; row -= 1) {
    const group = groups.get(known[row] ?? 0)
    if (group !== undefined && group.rows.length < group.places.length) group.rows.unshift(row)
  }
  for (const { places, rows: found } of groups.values()) {
    for (const [nth, row] of found.entries()) rows[places[nth] ?? 0] = row
  }
}
