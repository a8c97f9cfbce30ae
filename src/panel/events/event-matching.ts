import { day, minute } from '../../duration.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { Column, EventHistory, MovedTimes } from './event-history.ts'
import { hash, hasId, type SortedList, sortList, usableId } from './event-order.ts'

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

const quarter = 15 * minute

/**
 * Milliseconds between UTC and any zone, the smallest first: up to 14 hours in either direction. Two zones can differ
 * by more, but the events of a panel that starts with the same ids each day differ by 24 hours.
 */
const shifts = Array.from({ length: 14 * 4 + 1 }, (_, at) => [at * quarter, -at * quarter]).flat()

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
  { events, rows, newAt }: Pick<MatchedList, 'events' | 'rows' | 'newAt'>,
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
