import { day, minute } from '../../duration.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import { hash, hasId, type SortOrder, usableId } from './event-order.ts'

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

/** A list of which it is known which events are in the history. */
export interface PlacedEvents {
  readonly events: readonly PanelEvent[]
  /** The row of each event in the history, or -1 if the event is new. */
  readonly rows: readonly number[]
  /** The places of the new events. */
  readonly newAt: readonly number[]
}

/**
 * Returns the history after a list: the events of the list, and in their old places the events that it did
 * not show.
 *
 * If the order differs, the list's order applies, and events that it does not show count as older. The
 * history never becomes shorter, so that a list that is once cut short loses nothing.
 * @param next the next sequence to assign after the list
 * @param inOrder true if the events that the list shares with the history are in the same order
 */
export function remember(
  before: EventHistory,
  list: EventColumns & Pick<PlacedEvents, 'rows'>,
  next: number,
  inOrder: boolean,
): KeptColumns {
  const known = before.hashes.length
  if (known === 0) return columnsOf(list, next)
  const shown = new Uint8Array(known)
  for (const row of list.rows) if (row >= 0) shown[row] = 1

  // Newest first. A row of the history is stored as its number, an event of the list as its number plus the
  // number of rows in the history.
  const youngest: number[] = []
  let row = known - 1
  const addUnshownAbove = (end: number) => {
    for (; row > end; row -= 1) if (shown[row] === 0) youngest.push(row)
  }
  for (let at = list.rows.length - 1; at >= 0; at -= 1) {
    const match = list.rows[at] as number
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
    hashes[at] = from.hashes[row] as number
    occurrences[at] = from.occurrences[row] ?? 1
    sequences[at] = isKnown ? sequenceAt(before, row) : (list.sequences[row] as number)
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

/**
 * Milliseconds between UTC and any zone, the smallest first: up to 14 hours in either direction. Two zones can differ
 * by more, but the events of a panel that starts with the same ids each day differ by 24 hours.
 */
const shifts = Array.from({ length: 14 * 4 + 1 }, (_, at) => [at * 15 * minute, -at * 15 * minute]).flat()

/** A time of a service: date, letter, time, and what may follow, such as `Z`. */
const serviceTime = /^(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)(.*)$/

/** Number of events, those with the lowest ids, that are compared before the whole list is. */
const sampleSize = 9

/**
 * Returns the history with the times as the list writes them, if the service now writes all times in another
 * zone or form; undefined if it does not, or if the history has them already.
 *
 * More than four of the unknown events must have the id and the type of known events, and their times with one and the
 * same shift, and more than half of those up to the highest of their ids: other events cannot. Younger events are new,
 * however many they are, as after a longer absence. The history keeps the shift for the events that this list does not
 * show.
 */
export function withTimesOf(
  history: EventHistory,
  { events, rows, newAt }: PlacedEvents,
): EventHistory | undefined {
  if (history.hashes.length === 0) return undefined
  const unknown = newAt.flatMap((at) => events[at] ?? []).filter(hasId)
  if (unknown.length === 0) return undefined
  // Ids rise until the panel is reset, so events with ids above that of the newest known one are younger.
  const newestId = history.newest?.id ?? Number.POSITIVE_INFINITY
  // A list of which nothing is known may have all its times in another form, and the newest one need not have the
  // highest id.
  const isPartlyKnown = newAt.length < events.length
  const areNew = unknown.length <= 4 || (isPartlyKnown && unknown.every((event) => idOf(event) > newestId))
  if (areNew && history.moved === null) return undefined
  const shown = new Set(rows)
  const unshown = new Map<number, number>()
  history.hashes.forEach((value, row) => {
    if (!shown.has(row)) unshown.set(value, row)
  })
  // There are many shifts, so each time is read once.
  const times = new Map<PanelEvent, number>()
  const formerTime = formerTimes()
  const rowOf = (event: PanelEvent, moved: MovedTimes) => {
    let at = times.get(event)
    if (at === undefined) {
      at = timeOf(event.datetime)
      times.set(event, at)
    }
    return Number.isNaN(at) ? undefined : unshown.get(hash(event, formerTime(at, moved)))
  }
  const rewritten = (moved: MovedTimes): { history: EventHistory; known: PanelEvent[] } => {
    const hashes = history.hashes.slice()
    const known = unknown.filter((event) => {
      const row = rowOf(event, moved)
      if (row !== undefined) hashes[row] = hash(event)
      return row !== undefined
    })
    return { history: { ...history, hashes, moved }, known }
  }
  const again = history.moved === null ? undefined : rewritten(history.moved)
  if (again !== undefined && again.known.length > 0) return again.history
  if (areNew) return undefined
  const ids = unknown.map(idOf).toSorted((one, other) => one - other)
  const sample = unknown.filter((event) => idOf(event) <= (ids[sampleSize - 1] ?? Number.POSITIVE_INFINITY))
  for (const form of formsOf(history)) {
    for (const shift of shifts) {
      const moved = { shift, ...form }
      if (!sample.some((event) => rowOf(event, moved) !== undefined)) continue
      const { history: found, known } = rewritten(moved)
      const highest = Math.max(...known.map(idOf))
      const upToIt = ids.filter((id) => id <= highest)
      if (known.length > 4 && known.length * 2 > upToIt.length) return found
    }
  }
  return undefined
}

const idOf = (event: PanelEvent) => usableId(event) ?? 0

/** Returns the forms in which the times of the history may be written. */
function formsOf({ newest }: EventHistory): Omit<MovedTimes, 'shift'>[] {
  const [, , separator = ' ', , ending = ''] = serviceTime.exec(newest?.time ?? '') ?? []
  const plain = [' ', 'T'].map((letter) => ({ separator: letter, ending: '' }))
  return ending === '' ? plain : [{ separator, ending }, ...plain]
}

/** Returns a service's time in milliseconds; NaN for a text that is none. */
function timeOf(datetime: string): number {
  const [, date, , time] = serviceTime.exec(datetime) ?? []
  return Date.parse(`${date}T${time}Z`)
}

/**
 * Returns a function that writes a time as it was written before. It is called for many times of the same few days, for
 * which `toISOString` takes too long.
 */
function formerTimes(): (at: number, moved: MovedTimes) => string {
  const dates = new Map<number, string>()
  const dateOf = (nth: number) => {
    const known = dates.get(nth)
    if (known !== undefined) return known
    const date = new Date(nth * day).toISOString().slice(0, 10)
    dates.set(nth, date)
    return date
  }
  return (at, { shift, separator, ending }) => {
    const nth = Math.floor((at + shift) / day)
    const seconds = (at + shift - nth * day) / 1000
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
    return `${dateOf(nth)}${separator}${digits[hours]}:${digits[minutes]}:${digits[seconds % 60]}${ending}`
  }
}

/** The numbers from 0 to 59 in two digits. */
const digits = Array.from({ length: 60 }, (_, number) => `${number}`.padStart(2, '0'))
