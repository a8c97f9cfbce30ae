import type { PanelEvent } from '../../service/responses/events.ts'
import {
  blankHistory,
  type Column,
  type EventGlimpse,
  type EventHistory,
  glimpse,
  type PlacedEvents,
  remember,
  sequenceAt,
  withTimesOf,
} from './event-history.ts'
import { eventKey, hash, hasId, type SortedList, type SortOrder, sortList, usableId } from './event-order.ts'

export type { EventHistory } from './event-history.ts'

/** An event of the list, distinguished from all others. */
export interface FeedEvent {
  event: PanelEvent
  /** `eventKey` of the public contract. */
  key: string
  /**
   * Order of discovery, rising by one and never reused: a node has received everything up to its own
   * position. A gap takes a number too.
   */
  sequence: number
  /** True if it happened before the first list: such events come back when younger ones leave the list. */
  isReturned?: boolean
}

/**
 * An event of the list whose key is built on demand, because most keys are never used; a spread leaves the
 * key out.
 */
class Listed implements FeedEvent {
  readonly event: PanelEvent
  readonly sequence: number
  isReturned = false
  readonly #serial: string
  readonly #occurrence: number

  constructor(event: PanelEvent, sequence: number, serial: string, occurrence: number) {
    this.event = event
    this.sequence = sequence
    this.#serial = serial
    this.#occurrence = occurrence
  }

  get key(): string {
    return eventKey(this.#serial, this.event, this.#occurrence)
  }
}

/** The result of comparing a list with the history. */
export interface FeedDiff {
  /** The history to keep for the next list; the same object if nothing changes. */
  memory: EventHistory
  /** The whole list, oldest first. */
  listed: FeedEvent[]
}

/**
 * Finds the new events of a list, given the history of the lists before; `null` means the very first run.
 *
 * Ids may be 0, late or start again, equal events may share a second, the clock may jump, entries may vanish,
 * and sometimes a list is empty or incomplete (interface specification 2.12, field facts). No event is
 * reported twice, and no event that a list showed is left out. An empty list changes nothing.
 * @param intended `eventKey` of events that are not in the history, but may have been sent: a list that shows
 * them all has no gap
 */
export function findNewEvents(
  memory: EventHistory | null,
  serial: string,
  list: readonly PanelEvent[],
  intended: readonly string[] = [],
): FeedDiff {
  const before = memory ?? blankHistory
  if (list.length === 0) return { memory: before, listed: [] }

  const matched = alignWithHistory(before, list)
  const rewritten = withTimesOf(before, matched)
  if (rewritten !== undefined) return findNewEvents(rewritten, serial, list, intended)
  const { events, order, rows, newAt } = matched
  const occurrences = occurrencesOf(before, matched)
  // Another fault of lists: two entries with the same id, type and second are one event.
  const repeatedAt = newAt.filter((at) => (occurrences[at] as number) > 1 && hasId(events[at]))
  if (repeatedAt.length > 0) {
    const repeats = new Set(repeatedAt.map((at) => events[at]))
    const once = list.filter((event) => !repeats.has(event))
    return findNewEvents(memory, serial, once, intended)
  }

  const isGap =
    before.hashes.length > 0 &&
    newAt.length === events.length &&
    !showsAll(intended, () => events.map((event, at) => eventKey(serial, event, occurrences[at] as number)))
  // A gap takes a number, so that each node that was away can tell later that it misses events.
  const firstNew = before.next + (isGap ? 1 : 0)
  const next = firstNew + newAt.length
  const sequences = rows.map((row) => (row < 0 ? 0 : sequenceAt(before, row)))
  for (const [nth, at] of newAt.entries()) sequences[at] = firstNew + nth
  const listed = events.map(
    (event, at) => new Listed(event, sequences[at] as number, serial, occurrences[at] as number),
  )
  // Beyond them, a lower id or time is that of a panel that was reset or put back its clock.
  const returned = events.findIndex((event) => !happenedBefore(event, before.oldest))
  for (const one of listed.slice(0, Math.max(0, returned))) one.isReturned = true
  const inOrder = agrees(rows)
  if (next === before.next && order === before.order && inOrder) return { memory: before, listed }

  const newest = events.at(-1)
  const newestRow = rows.at(-1)
  const isHead = newestRow === -1 || newestRow === before.hashes.length - 1
  const kept = remember(before, { ...matched, occurrences, sequences }, next, inOrder)
  const after = {
    // One by one: the engine gives each result of this many spread members a description of its own.
    hashes: kept.hashes,
    occurrences: kept.occurrences,
    sequences: kept.sequences,
    next,
    order,
    newest: isHead && newest !== undefined ? glimpse(newest) : before.newest,
    oldest: isGap ? glimpse(events[0] as PanelEvent) : oldestAfter(before, matched),
    moved: before.moved,
  }
  return { memory: after, listed }
}

/** Returns true if the events that the list shares with the history are in the same order. */
function agrees(rows: readonly number[]): boolean {
  let highest = -1
  for (const row of rows) {
    if (row >= 0 && row < highest) return false
    if (row > highest) highest = row
  }
  return true
}

/** Returns true if an event has a lower id and no later time than another one. */
function happenedBefore(event: PanelEvent, other: EventGlimpse | undefined): boolean {
  const id = usableId(event)
  return id !== null && id < (other?.id ?? 0) && event.datetime <= (other?.time ?? '')
}

/** Returns the oldest event of the first list, also if that showed less than there was: it is thin right after a sign-in. */
function oldestAfter({ oldest, hashes }: EventHistory, { events, rows, newAt }: MatchedList) {
  const isPartOfList = rows.length - newAt.length === hashes.length
  return oldest === undefined || isPartOfList ? glimpse(events[0] as PanelEvent) : oldest
}

/** Returns true if there are intended events and the list shows all of them. */
function showsAll(intended: readonly string[], keysOfList: () => readonly string[]): boolean {
  if (intended.length === 0) return false
  const keys = new Set(keysOfList())
  return intended.every((key) => keys.has(key))
}

/** Returns the occurrence of each event of the list: the remembered one, or the next one for a new event. */
function occurrencesOf(before: EventHistory, { events, hashes, rows, newAt }: MatchedList): number[] {
  const occurrences = rows.map((row) => (row < 0 ? 1 : (before.occurrences[row] ?? 1)))
  const values = newAt.map((at) => hashes[at] as number)
  const highest = highestOccurrences(before, values)
  if (highest.size === 0 && (haveRisingIds(events, newAt) || new Set(values).size === values.length))
    return occurrences
  for (const [nth, value] of values.entries()) {
    const occurrence = (highest.get(value) ?? 0) + 1
    highest.set(value, occurrence)
    occurrences[newAt[nth] as number] = occurrence
  }
  return occurrences
}

/** Returns true if each of these events has a higher id than the one before: so it is with nearly all lists. */
function haveRisingIds(events: readonly PanelEvent[], places: readonly number[]): boolean {
  let highest = 0
  return places.every((at) => {
    const id = events[at]?.event ?? 0
    const isHigher = id > highest
    highest = id
    return isHigher
  })
}

/** Returns how often each of the hashes has occurred so far. */
function highestOccurrences({ hashes, occurrences }: EventHistory, wanted: readonly number[]) {
  const highest = new Map<number, number>()
  if (wanted.length === 0 || hashes.length === 0) return highest
  // A few hashes are found faster one by one.
  const many = wanted.length > 16 ? new Set(wanted) : null
  for (let row = 0; row < hashes.length; row += 1) {
    const value = hashes[row] as number
    const isWanted = many === null ? wanted.includes(value) : many.has(value)
    if (isWanted) highest.set(value, Math.max(occurrences[row] ?? 1, highest.get(value) ?? 0))
  }
  return highest
}

/** A list in which each event is known or new. */
interface MatchedList extends PlacedEvents {
  readonly order: SortOrder
  readonly hashes: readonly number[]
}

/** A sorted list, compared with the end of the history. */
interface Alignment extends SortedList {
  hashes: readonly number[]
  /** Number of events at the beginning of the list that equal the end of the history. */
  overlap: number
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
    const value = hashes[at] as number
    if (!candidates.has(value)) continue
    const group = groups.get(value)
    if (group === undefined) groups.set(value, { places: [at], rows: [] })
    else group.places.push(at)
  }
  for (let row = known.length - 1; row >= 0 && groups.size > 0; row -= 1) {
    const group = groups.get(known[row] as number)
    if (group !== undefined && group.rows.length < group.places.length) group.rows.unshift(row)
  }
  for (const { places, rows: found } of groups.values()) {
    for (const [nth, row] of found.entries()) rows[places[nth] as number] = row
  }
}
