import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import type { HttpResponse } from '../../../src/simulator/http/http-response.ts'

/** Returns a text of the simulator, which is in UTC, as a service writes it that has local times. */
function localTime(text: string, format: Intl.DateTimeFormat): string {
  // Sweden writes dates as the service does.
  return format.format(new Date(`${text.replace(' ', 'T')}Z`))
}

/** Returns a fault of a service that writes the times of its lists as clocks in a time zone show them. */
export function localTimes(timeZone: string): Fault {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const known = new Map<string, string>()
  const written = (text: string) => {
    const local = known.get(text) ?? localTime(text, format)
    known.set(text, local)
    return local
  }
  return {
    name: `times in ${timeZone}`,
    answer: (getOriginal): HttpResponse => {
      const original = getOriginal()
      if (!Array.isArray(original.body)) return original
      const body = original.body.map((entry) =>
        typeof entry?.datetime === 'string' ? { ...entry, datetime: written(entry.datetime) } : entry,
      )
      return { ...original, body }
    },
  }
}
