import type { PanelEvent } from '../../service/responses/events.ts'
import type { EventHistory, MovedTimes } from './event-history.ts'
import { hash, hasId, usableId } from './event-key.ts'
import type { MatchedList } from './event-matching.ts'

const quarter = 15 * 60_000

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
  const rowOf = (event: PanelEvent, moved: MovedTimes) => {
    let at = times.get(event)
    if (at === undefined) {
      at = timeOf(event.datetime)
      times.set(event, at)
    }
    return Number.isNaN(at) ? undefined : unshown.get(hash(event, asBefore(at, moved)))
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

/** Returns a time as it was written before. */
function asBefore(at: number, { shift, separator, ending }: MovedTimes): string {
  const text = new Date(at + shift).toISOString()
  return text.slice(0, 10) + separator + text.slice(11, 19) + ending
}
