import type { PanelEvent } from '../service/events.ts'
import { chronological, type Order, orderOf } from './chronology.ts'
import { mark, usableId } from './event-key.ts'
import type { Column, FeedMemory } from './feed-memory.ts'

/** A list brought into order and laid over the memory's end. */
interface Laid {
  /** Oldest first. */
  events: readonly PanelEvent[]
  marks: readonly number[]
  order: Order
  /** How many events at the list's beginning equal the memory's end. */
  overlap: number
}

/** A list of which each event is known or new. */
export interface Recognition extends Omit<Laid, 'overlap'> {
  /** For each event its row in the memory, or -1 when it is new. */
  rows: readonly number[]
}

/**
 * Finds the events of a list in the memory.
 *
 * The list's beginning is laid over the memory's end as far as they are equal; the rest is counted against what is
 * left of the memory. Where that overlap is no chance, the rest is known to be younger, and an event without an id is
 * new even if an equal one was there before, for example an hour ago by a clock that was put back.
 */
export function recognise(memory: FeedMemory, list: readonly PanelEvent[]): Recognition {
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

/** The order of before stands where the list, so read, goes on from what is remembered: a better witness than clocks. */
function arrange(memory: FeedMemory, list: readonly PanelEvent[]): Laid {
  const habitual = lay(memory.marks, memory.order === 'newest first' ? list.toReversed() : list, memory.order)
  if (memory.order !== 'none' && isNoChance(habitual.overlap, list)) return habitual
  const order = orderOf(list, memory.order)
  const events = chronological(list, order)
  const isSame = events.every((event, at) => event === habitual.events[at])
  return isSame ? { ...habitual, order } : lay(memory.marks, events, order)
}

function lay(known: Column, events: readonly PanelEvent[], order: Order): Laid {
  const marks = events.map(mark)
  let overlap = Math.min(known.length, marks.length)
  while (overlap > 0 && !overlaps(known, marks, overlap)) overlap -= 1
  return { events, marks, order, overlap }
}

function overlaps(known: Column, marks: readonly number[], overlap: number): boolean {
  const start = known.length - overlap
  for (let at = 0; at < overlap; at += 1) if (known[start + at] !== marks[at]) return false
  return true
}

/** More than half of the list, and more than the few that may share a second. */
function isNoChance(overlap: number, list: readonly unknown[]): boolean {
  return overlap > 4 && overlap * 2 > list.length
}

/** Pairs the open places of the list with equal marks of the memory; where the list has more, the youngest are new. */
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
