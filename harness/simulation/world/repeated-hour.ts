import { hour, second } from '../../../src/duration.ts'
import type { House } from '../life.ts'

/** The first of the two hours in 2026 in which clocks in Berlin show the same. */
const firstPass = Date.UTC(2026, 9, 25, 0)

/** Returns true for a time, in milliseconds since 1970, that the clocks of the service of a house show twice. */
export function isShownTwice(time: number, { timeZone }: Pick<House, 'timeZone'>): boolean {
  return timeZone !== 'UTC' && time >= firstPass && time < firstPass + 2 * hour
}

/**
 * Returns true if a text is a time, to the second. One that clocks show twice may be an hour off: a list in which no time
 * goes back does not tell the two apart.
 */
export function isTimeOf(text: string, time: number, house: Pick<House, 'timeZone'>): boolean {
  const wrong = Math.abs(Date.parse(text) - time)
  return wrong < second || (isShownTwice(time, house) && Math.abs(wrong - hour) < second)
}
