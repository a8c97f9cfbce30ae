import type { Incident } from './incident.ts'
import type { IncidentView, UserAction } from './incident-view.ts'

/**
 * Returns the view of an incident in which nothing happened later than it became known. The panel's clock may be ahead: its
 * times still tell which event was first, but nobody is told a time that is to come.
 */
export function withoutFuture(view: IncidentView, { before, events }: Incident): IncidentView {
  const ahead = new Map<number, number>()
  for (const { time, readAt } of [...before, ...events])
    if (readAt !== null && time > readAt) ahead.set(time, readAt)
  if (ahead.size === 0) return view
  const known = (time: number) => ahead.get(time) ?? time
  const knownOrNull = (time: number | null) => (time === null ? null : known(time))
  const action = (one: UserAction | null) => one && { ...one, at: known(one.at) }
  return {
    ...view,
    since: known(view.since),
    until: knownOrNull(view.until),
    zones: view.zones.map((one) => ({
      ...one,
      first: known(one.first),
      restored: knownOrNull(one.restored),
    })),
    armedBy: action(view.armedBy),
    disarmedBy: action(view.disarmedBy),
    threat: action(view.threat),
    timeline: view.timeline.map((event) => ({ ...event, time: known(event.time) })),
  }
}
