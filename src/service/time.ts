import { tzOffset } from '@date-fns/tz/tzOffset'
import { day, minute } from '../duration.ts'

// Years 1000 to 2999 only: other years are the service's zero value or nonsense.
const serviceTime =
  /^([12]\d{3}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d{1,9})?(?:(Z)|([+-])([01]\d|2[0-3]):?([0-5]\d))?$/

/**
 * Converts a time of the service to ISO 8601 in UTC: `2026-01-02T03:04:05.000Z`; null if it is not a time.
 *
 * Event and log times are `YYYY-MM-DD HH:MM:SS` without an offset (interface specification 2.11, 2.12): they
 * are read as wall-clock times in `timeZone`, an IANA zone. Configuration records have an offset such as
 * `+0200` (2.14), which is respected. If the clock showed a time twice, the first of the two is meant, or the second
 * one on request. A time that the clock skipped is read as if the clock had not been put forward yet. An empty text, the
 * zero value `0000-00-00 00:00:00` and dates that do not exist give null.
 */
export function utcTime(text: string, timeZone: string, isRepeated = false): string | null {
  const [, date, clock, fraction = '', utc, sign, hours, minutes] = serviceTime.exec(text.trim()) ?? []
  const wall = Date.parse(`${date}T${clock}${fraction}Z`)
  // Date.parse turns the 30th of February into a day in March: only a real date comes back unchanged.
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(`${date}T${clock}`)) return null
  if (utc) return new Date(wall).toISOString()
  if (sign) return instant(wall, Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)))
  const offset = offsetOnWall(wall, timeZone, isRepeated)
  return Number.isFinite(offset) ? instant(wall, offset) : null
}

/**
 * The cached offsets of the latest day: those of a zone the day before it and the day after it. The offset is most
 * of the cost of converting a time, and a list has thousands of times, many of them on the same day.
 */
let latest = { day: Number.NaN, timeZone: '', before: Number.NaN, after: Number.NaN }

/**
 * Returns the offset in minutes when the clocks of the zone showed `wall`, for the second time if they did so twice and
 * `isRepeated`; NaN if there is no such zone.
 */
function offsetOnWall(wall: number, timeZone: string, isRepeated: boolean): number {
  const keptAt = (time: number) => tzOffset(timeZone, new Date(time))
  const today = Math.floor(wall / day)
  if (today !== latest.day || timeZone !== latest.timeZone)
    latest = { day: today, timeZone, before: keptAt((today - 1) * day), after: keptAt((today + 2) * day) }
  const { before, after } = latest
  if (before === after) return before
  const isAfter = keptAt(wall - after * minute) === after
  if (keptAt(wall - before * minute) === before) return isRepeated && isAfter ? after : before
  return isAfter ? after : before
}

function instant(wall: number, offset: number): string {
  return new Date(Math.round(wall - offset * minute)).toISOString()
}

/**
 * Returns the hour from 0 to 23 that the clocks of a zone show.
 * @param time milliseconds since 1970
 * @param timeZone undefined is that of the machine
 */
export function localHour(time: number, timeZone: string | undefined): number {
  if (timeZone === undefined) return new Date(time).getHours()
  return new Date(time + tzOffset(timeZone, new Date(time)) * minute).getUTCHours()
}

/** Returns true for the name of a zone in the IANA database, for example `Europe/Berlin` or `UTC`. */
export function isTimeZone(text: string): boolean {
  // Some versions of Node accept a bare offset such as `+02:00` as a zone, others do not.
  if (!/^[A-Za-z]/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
