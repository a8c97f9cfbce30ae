import type { PanelEvent } from '../service/events.ts'
import { chronological, type Order, orderOf } from './chronology.ts'
import { eventKey, mark, usableId } from './event-key.ts'
import { agrees, blankMemory, type EventGlimpse, type FeedMemory, glimpse, remember } from './feed-memory.ts'

export type { EventGlimpse, FeedMemory } from './feed-memory.ts'

/** An event of the list, told apart from all others. */
export interface FeedEvent {
  event: PanelEvent
  /** `eventKey` of the public contract. */
  key: string
  /** Order of discovery, rising by one and never used again: a node has got all up to its own position. */
  sequence: number
}

/** What a list brought. */
export interface Sighting {
  /** To be kept for the next list; the same object when nothing is new. */
  memory: FeedMemory
  /** The whole list, oldest first. */
  listed: FeedEvent[]
  /** Those never seen before, oldest first; none on the very first run. */
  fresh: FeedEvent[]
  /** The list no longer reaches back to what is known: events between these two may be lost. */
  gap?: { lastKnown: EventGlimpse | null; oldestShown: EventGlimpse | null }
}

/**
 * Which events of the list are new, given what is remembered of the lists before; `null` on the very first run.
 *
 * Ids may be 0, late or begin again, equal events may share a second, the clock may step, entries may vanish, and
 * now and then a list is empty or half (interface specification 2.12, field facts). So the list is laid along the
 * memory, and entries are counted: no event is told twice, and none that a list showed is left out. An empty list
 * changes nothing; on the very first run it says that there was no event yet.
 */
export function sight(memory: FeedMemory | null, serial: string, list: readonly PanelEvent[]): Sighting {
  const before = memory ?? blankMemory
  if (list.length === 0) return { memory: before, listed: [], fresh: [] }

  const arranged = arrange(before, list)
  const { events, marks, order } = arranged
  const rows = recognise(before.marks, arranged)
  const { occurrences, sequences, next } = number(before, marks, rows)
  const listed = events.map((event, at): FeedEvent => {
    return { event, key: eventKey(serial, event, occurrences[at] ?? 1), sequence: sequences[at] ?? 0 }
  })
  if (next === before.next && order === before.order && agrees(rows)) return { memory: before, listed, fresh: [] }

  const [oldest] = events
  const newest = events.at(-1)
  const newestRow = rows.at(-1)
  const isHead = newestRow === -1 || newestRow === before.marks.length - 1
  const after: FeedMemory = {
    ...remember(before, { marks, occurrences, sequences, rows }),
    next,
    order,
    newest: isHead && newest !== undefined ? glimpse(newest) : before.newest,
  }
  const fresh = memory === null ? [] : listed.filter(({ sequence }) => sequence >= before.next)
  if (before.marks.length === 0 || rows.some((row) => row >= 0)) return { memory: after, listed, fresh }
  const gap = { lastKnown: before.newest, oldestShown: oldest === undefined ? null : glimpse(oldest) }
  return { memory: after, listed, fresh, gap }
}

/** A list brought into order and laid over the memory's end. */
interface Arranged {
  /** Oldest first. */
  events: readonly PanelEvent[]
  marks: readonly number[]
  order: Order
  /** The row from which on the memory equals the list's beginning. */
  start: number
}

/** The order of before stands where the list, so read, goes on from what is remembered: a better witness than clocks. */
function arrange(before: FeedMemory, list: readonly PanelEvent[]): Arranged {
  if (before.order !== 'none') {
    const arranged = laid(before, before.order === 'oldest first' ? list : list.toReversed(), before.order)
    if (isMost(before.marks.length - arranged.start, list)) return arranged
  }
  const order = orderOf(list, before.order)
  return laid(before, chronological(list, order), order)
}

function laid({ marks: known }: FeedMemory, events: readonly PanelEvent[], order: Order): Arranged {
  const marks = events.map(mark)
  let start = Math.max(0, known.length - marks.length)
  while (start < known.length && !continues(known, start, marks)) start += 1
  return { events, marks, order, start }
}

function isMost(overlap: number, list: readonly unknown[]): boolean {
  return overlap * 2 > list.length
}

/**
 * For each event its row in the memory, or -1 when it is new.
 *
 * The list's beginning is laid over the memory's end, as far as they are equal, and the rest is counted against what
 * is left of the memory. Where that overlap is most of an ordered list, the rest is known to be younger, and an event
 * without an id is new even if an equal one was there before, for example an hour ago by a clock that was put back.
 */
function recognise(known: readonly number[], { events, marks, order, start }: Arranged): number[] {
  const overlap = known.length - start
  const rows = marks.map((_, at) => (at < overlap ? start + at : -1))
  if (overlap === marks.length) return rows

  const isCertain = order !== 'none' && isMost(overlap, marks)
  const groups = new Map<number, { places: number[]; rows: number[] }>()
  for (const [at, event] of events.entries()) {
    if (at < overlap || (isCertain && usableId(event) === null)) continue
    const value = marks[at] ?? 0
    const group = groups.get(value)
    if (group === undefined) groups.set(value, { places: [at], rows: [] })
    else group.places.push(at)
  }
  for (let row = start - 1; row >= 0 && groups.size > 0; row -= 1) {
    const group = groups.get(known[row] ?? 0)
    if (group !== undefined && group.rows.length < group.places.length) group.rows.unshift(row)
  }
  // Of more events than are known the youngest are the new ones.
  for (const { places, rows: found } of groups.values()) {
    for (const [nth, row] of found.entries()) rows[places[nth] ?? 0] = row
  }
  return rows
}

function continues(known: readonly number[], start: number, marks: readonly number[]): boolean {
  for (let row = start; row < known.length; row += 1) if (known[row] !== marks[row - start]) return false
  return true
}

/** Occurrence and sequence of each event: the remembered ones, and for new events the next. */
function number(before: FeedMemory, marks: readonly number[], rows: readonly number[]) {
  let { next } = before
  const sequences = rows.map((row) => {
    if (row >= 0) return before.sequences[row] ?? 0
    next += 1
    return next - 1
  })
  if (next === before.next)
    return { sequences, next, occurrences: rows.map((row) => before.occurrences[row] ?? 1) }
  const highest = new Map<number, number>()
  const note = (value: number, occurrence: number) =>
    highest.set(value, Math.max(occurrence, highest.get(value) ?? 0))
  for (const [row, value] of before.marks.entries()) note(value, before.occurrences[row] ?? 1)
  const occurrences = rows.map((row, at) => {
    const value = marks[at] ?? 0
    if (row >= 0) return before.occurrences[row] ?? 1
    const occurrence = (highest.get(value) ?? 0) + 1
    note(value, occurrence)
    return occurrence
  })
  return { sequences, next, occurrences }
}
