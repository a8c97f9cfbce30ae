import type { PanelEvent } from '../../service/responses/events.ts'
import type { Column, EventHistory } from './event-history.ts'
import { hash, usableId } from './event-key.ts'
import { chronological, type SortOrder, sortOrderOf } from './event-order.ts'

/** A sorted list, compared with the end of the history. */
interface Alignment {
  /** Oldest first. */
  events: readonly PanelEvent[]
  hashes: readonly number[]
  order: SortOrder
  /** Number of events at the beginning of the list that equal the end of the history. */
  overlap: number
}

/** A list in which each event is known or new. */
export interface MatchedList extends Omit<Alignment, 'overlap'> {
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
export function alignWithHistory(memory: EventHistory, list: readonly PanelEvent[]): MatchedList {
  const { events, hashes, order, overlap } = arrange(memory, list)
  const start = memory.hashes.length - overlap
  const rows = hashes.map((_, at) => (at < overlap ? start + at : -1))
  if (overlap < hashes.length && start > 0) {
    const isYounger = order !== 'none' && isCertain(overlap, hashes)
    const isOpen = events.map((event, at) => at >= overlap && (usableId(event) !== null || !isYounger))
    pairByHash(memory.hashes.subarray(0, start), hashes, isOpen, rows)
  }
  return { events, hashes, order, rows }
}

/**
 * Aligns a list with the history. The earlier order applies if the list, read in that order, continues the
 * history: this is more reliable than clocks.
 */
function arrange(memory: EventHistory, list: readonly PanelEvent[]): Alignment {
  const habitual = align(
    memory.hashes,
    memory.order === 'newest first' ? list.toReversed() : list,
    memory.order,
  )
  if (memory.order !== 'none' && isCertain(habitual.overlap, list)) return habitual
  const order = sortOrderOf(list, memory.order)
  const events = chronological(list, order)
  const isSame = events.every((event, at) => event === habitual.events[at])
  return isSame ? { ...habitual, order } : align(memory.hashes, events, order)
}

function align(known: Column, events: readonly PanelEvent[], order: SortOrder): Alignment {
  const hashes = events.map(hash)
  let overlap = Math.min(known.length, hashes.length)
  while (overlap > 0 && !overlaps(known, hashes, overlap)) overlap -= 1
  return { events, hashes, order, overlap }
}

function overlaps(known: Column, hashes: readonly number[], overlap: number): boolean {
  const start = known.length - overlap
  for (let at = 0; at < overlap; at += 1) if (known[start + at] !== hashes[at]) return false
  return true
}

/** Returns true for more than half of the list, and more than the few events that can share a second. */
function isCertain(overlap: number, list: readonly unknown[]): boolean {
  return overlap > 4 && overlap * 2 > list.length
}

/**
 * Pairs the open places of the list with equal hashes of the history. If the list has more of them, the
 * youngest are new.
 */
function pairByHash(
  known: Column,
  hashes: readonly number[],
  isOpen: readonly boolean[],
  rows: number[],
): void {
  const candidates = new Set(known)
  const groups = new Map<number, { places: number[]; rows: number[] }>()
  hashes.forEach((value, at) => {
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
