import type { PanelEvent } from '../service/events.ts'
import { eventKey, usableId } from './event-key.ts'
import { agrees, blankMemory, type EventGlimpse, type FeedMemory, glimpse, remember } from './feed-memory.ts'
import { type Recognition, recognise } from './recognition.ts'

export type { EventGlimpse, FeedMemory } from './feed-memory.ts'

/** An event of the list, told apart from all others. */
export interface FeedEvent {
  event: PanelEvent
  /** `eventKey` of the public contract. */
  key: string
  /** Order of discovery, rising by one and never used again: a node has got all up to its own position. */
  sequence: number
}

/** An event of the list whose key is made when it is asked for, since of most nobody wants it; a spread leaves it out. */
class Listed implements FeedEvent {
  readonly event: PanelEvent
  readonly sequence: number
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

/** What a list brought. */
export interface Sighting {
  /** To be kept for the next list; the same object while nothing changes. */
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
 * Ids may be 0, late or begin again, equal events may share a second, the clock may step, entries may vanish, and now
 * and then a list is empty or half (interface specification 2.12, field facts). No event is told twice, and none that
 * a list showed is left out. An empty list changes nothing; on the very first run it says that there was no event yet.
 */
export function sight(memory: FeedMemory | null, serial: string, list: readonly PanelEvent[]): Sighting {
  const before = memory ?? blankMemory
  if (list.length === 0) return { memory: before, listed: [], fresh: [] }

  const recognition = recognise(before, list)
  const { events, order, rows } = recognition
  const { occurrences, sequences, next } = number(before, recognition)
  // A list hiccups so, too: what stands on it twice with the same id, type and second is one event.
  const isRepeat = (at: number) => rows[at] === -1 && (occurrences[at] ?? 1) > 1
  const repeats = new Set(events.filter((event, at) => isRepeat(at) && usableId(event) !== null))
  if (repeats.size > 0) {
    const once = list.filter((event) => !repeats.has(event))
    return sight(memory, serial, once)
  }

  const listed = events.map(
    (event, at) => new Listed(event, sequences[at] ?? 0, serial, occurrences[at] ?? 1),
  )
  if (next === before.next && order === before.order && agrees(rows)) {
    return { memory: before, listed, fresh: [] }
  }

  const [oldest] = events
  const newest = events.at(-1)
  const newestRow = rows.at(-1)
  const isHead = newestRow === -1 || newestRow === before.marks.length - 1
  const sighting: Sighting = {
    memory: {
      ...remember(before, { ...recognition, occurrences, sequences }),
      next,
      order,
      newest: isHead && newest !== undefined ? glimpse(newest) : before.newest,
    },
    listed,
    fresh: memory === null ? [] : listed.filter(({ sequence }) => sequence >= before.next),
  }
  if (before.marks.length > 0 && oldest !== undefined && rows.every((row) => row < 0)) {
    sighting.gap = { lastKnown: before.newest, oldestShown: glimpse(oldest) }
  }
  return sighting
}

/** Occurrence and sequence of each event of the list: the remembered ones, and for new events the next. */
function number(
  before: FeedMemory,
  { marks, rows }: Recognition,
): { occurrences: number[]; sequences: number[]; next: number } {
  const highest = highestOccurrences(
    before,
    marks.filter((_, at) => rows[at] === -1),
  )
  let { next } = before
  const sequences = rows.map((row) => {
    if (row >= 0) return before.sequences[row] ?? 0
    next += 1
    return next - 1
  })
  const occurrences = rows.map((row, at) => {
    if (row >= 0) return before.occurrences[row] ?? 1
    const value = marks[at] ?? 0
    const occurrence = (highest.get(value) ?? 0) + 1
    highest.set(value, occurrence)
    return occurrence
  })
  return { occurrences, sequences, next }
}

/** How often each of the marks occurred so far. */
function highestOccurrences({ marks, occurrences }: FeedMemory, wanted: readonly number[]) {
  const highest = new Map<number, number>()
  if (wanted.length === 0 || marks.length === 0) return highest
  // A few are found sooner one by one.
  const many = wanted.length > 16 ? new Set(wanted) : null
  marks.forEach((value, row) => {
    const isWanted = many === null ? wanted.includes(value) : many.has(value)
    if (isWanted) highest.set(value, Math.max(occurrences[row] ?? 1, highest.get(value) ?? 0))
  })
  return highest
}
