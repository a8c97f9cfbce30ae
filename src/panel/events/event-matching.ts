import type { PanelEvent } from '../../service/responses/events.ts'
import type { Column, EventHistory } from './event-history.ts'
import { hash, hasId } from './event-key.ts'
import { type SortedList, sortList } from './event-order.ts'

/** A sorted list, compared with the end of the history. */
interface Alignment extends SortedList {
  hashes: readonly number[]
  /** Number of events at the beginning of the list that equal the end of the history. */
  overlap: number
}

/** A list in which each event is known or new. */
export interface MatchedList extends Omit<Alignment, 'overlap'> {
  /** The row of each event in the history, or -1 if the event is new. */
  rows: readonly number[]
  /** The places of the new events. */
  newAt: readonly number[]
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
  const rest: number[] = []
  for (let at = overlap; at < hashes.length; at += 1) rest.push(at)
  if (rest.length === 0 || start === 0) return { events, hashes, order, rows, newAt: rest }
  const isYounger = order !== 'none' && isCertain(overlap, hashes)
  const open = isYounger ? rest.filter((at) => hasId(events[at])) : rest
  pairByHash(memory.hashes.subarray(0, start), hashes, open, rows)
  return { events, hashes, order, rows, newAt: rest.filter((at) => rows[at] === -1) }
}

/**
 * Aligns a list with the history. The earlier order applies if the list, read in that order, continues the
 * history: this is more reliable than clocks.
 */
function arrange(memory: EventHistory, list: readonly PanelEvent[]): Alignment {
  if (memory.order !== 'none') {
    const { order } = memory
    const events = order === 'newest first' ? list.toReversed() : list
    const aligned = align(memory.hashes, { events, order })
    if (isCertain(aligned.overlap, list)) return aligned
  }
  return align(memory.hashes, sortList(list, memory.order))
}

function align(known: Column, { events, order }: SortedList): Alignment {
  const hashes = events.map((event) => hash(event))
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
function pairByHash(known: Column, hashes: readonly number[], open: readonly number[], rows: number[]): void {
  const candidates = new Set(known)
  const groups = new Map<number, { places: number[]; rows: number[] }>()
  for (const at of open) {
    const value = hashes[at] ?? 0
    if (!candidates.has(value)) continue
    const group = groups.get(value)
    if (group === undefined) groups.set(value, { places: [at], rows: [] })
    else group.places.push(at)
  }
  for (let row = known.length - 1; row >= 0 && groups.size > 0; row -= 1) {
    const group = groups.get(known[row] ?? 0)
    if (group !== undefined && group.rows.length < group.places.length) group.rows.unshift(row)
  }
  for (const { places, rows: found } of groups.values()) {
    for (const [nth, row] of found.entries()) rows[places[nth] ?? 0] = row
  }
}
