import type { PanelEvent } from '../../service/responses/events.ts'
import type { EventHistory, MovedTimes } from './event-history.ts'
import { hash, usableId } from './event-key.ts'
import type { MatchedList } from './event-matching.ts'

const quarter = 15 * 60_000

/** Milliseconds between the times of two zones, the smallest first: up to 26 hours in either direction. */
const shifts = Array.from({ length: 26 * 4 + 1 }, (_, at) => [at * quarter, -at * quarter]).flat()

/** A time of a service: date, letter, time, and what may follow, such as `Z`. */
const serviceTime = /^(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)(.*)$/

/** Number of events that are compared before the whole list is. */
const sampleSize = 9

/**
 * Returns the history with the times as the list writes them, if the service now writes all times in another
 * zone or form; undefined if it does not, or if the history has them already.
 *
 * More than half of the unknown events, and more than four, must have the id and the type of known events, and their
 * times with one and the same shift: other events cannot. The history keeps the shift for the events that this list
 * does not show.
 */
export function withTimesOf(
  history: EventHistory,
  { events, rows }: Pick<MatchedList, 'events' | 'rows'>,
): EventHistory | undefined {
  const unknown = events.filter((event, at) => rows[at] === -1 && usableId(event) !== null)
  if (unknown.length === 0 || history.hashes.length === 0) return undefined
  if (unknown.length <= 4 && history.moved === null) return undefined
  const shown = new Set(rows)
  const unshown = new Map([...history.hashes].map((value, row) => [value, row] as const))
  for (const [value, row] of unshown) if (shown.has(row)) unshown.delete(value)
  const rowOf = (event: PanelEvent, moved: MovedTimes) => {
    const datetime = asBefore(event.datetime, moved)
    return datetime === undefined ? undefined : unshown.get(hash({ ...event, datetime }))
  }
  const rewritten = (moved: MovedTimes, least: number): EventHistory | undefined => {
    const hashes = history.hashes.slice()
    let matches = 0
    for (const event of unknown) {
      const row = rowOf(event, moved)
      if (row === undefined) continue
      hashes[row] = hash(event)
      matches += 1
    }
    return matches < least ? undefined : { ...history, hashes, moved }
  }

  const again = history.moved === null ? undefined : rewritten(history.moved, 1)
  if (again !== undefined || unknown.length <= 4) return again
  const step = Math.ceil(unknown.length / sampleSize)
  const sample = unknown.filter((_, at) => at % step === 0)
  const least = Math.max(5, Math.floor(unknown.length / 2) + 1)
  for (const form of formsOf(history)) {
    for (const shift of shifts) {
      const moved = { shift, ...form }
      if (!sample.some((event) => rowOf(event, moved) !== undefined)) continue
      const found = rewritten(moved, least)
      if (found !== undefined) return found
    }
  }
  return undefined
}

/** Returns the forms in which the times of the history may be written. */
function formsOf({ newest }: EventHistory): Omit<MovedTimes, 'shift'>[] {
  const [, , separator = ' ', , ending = ''] = serviceTime.exec(newest?.time ?? '') ?? []
  const plain = [' ', 'T'].map((letter) => ({ separator: letter, ending: '' }))
  return ending === '' ? plain : [{ separator, ending }, ...plain]
}

/** Returns a time as it was written before; undefined for a text that is not a time. */
function asBefore(datetime: string, { shift, separator, ending }: MovedTimes): string | undefined {
  const [, date, , time] = serviceTime.exec(datetime) ?? []
  const at = Date.parse(`${date}T${time}Z`) + shift
  if (Number.isNaN(at)) return undefined
  return new Date(at).toISOString().slice(0, 19).replace('T', separator) + ending
}
