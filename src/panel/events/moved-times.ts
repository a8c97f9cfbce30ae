import type { PanelEvent } from '../../service/responses/events.ts'
import type { EventHistory } from './event-history.ts'
import { hash, usableId } from './event-key.ts'

const quarter = 15 * 60_000

/** Milliseconds between the times of two zones, the smallest first: up to 26 hours in either direction. */
const shifts = Array.from({ length: 26 * 4 + 1 }, (_, at) => [at * quarter, -at * quarter]).flat()

/** The letters that services write between date and time. */
const separators = [' ', 'T']

/** Number of events that are compared before the whole list is. */
const sampleSize = 9

/**
 * Returns the history with the times as the list writes them, if the service now writes all times in another
 * zone or form; undefined if it does not.
 *
 * Use it for a list without any known event. More than half of the list, and more than four events, must have
 * the id and the type of known events, and their times with one and the same shift: other events cannot.
 */
export function withTimesOf(history: EventHistory, list: readonly PanelEvent[]): EventHistory | undefined {
  const rows = new Map([...history.hashes].map((value, row) => [value, row]))
  const events = list.filter((event) => usableId(event) !== null)
  if (events.length <= 4 || rows.size === 0) return undefined
  const step = Math.ceil(events.length / sampleSize)
  const sample = events.filter((_, at) => at % step === 0)
  for (const separator of separators) {
    for (const shift of shifts) {
      const rowOf = (event: PanelEvent) => {
        const datetime = moved(event.datetime, shift, separator)
        return datetime === undefined ? undefined : rows.get(hash({ ...event, datetime }))
      }
      if (!sample.some((event) => rowOf(event) !== undefined)) continue
      const hashes = history.hashes.slice()
      let matches = 0
      for (const event of events) {
        const row = rowOf(event)
        if (row === undefined) continue
        hashes[row] = hash(event)
        matches += 1
      }
      if (matches > 4 && matches * 2 > list.length) return { ...history, hashes }
    }
  }
  return undefined
}

/** Returns the time as it is written in another zone or form; undefined for a text that is not a time. */
function moved(datetime: string, shift: number, separator: string): string | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(datetime) ?? []
  const at = Date.parse(`${date}T${time}Z`) + shift
  if (Number.isNaN(at)) return undefined
  return new Date(at).toISOString().slice(0, 19).replace('T', separator)
}
