import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { Incident } from './incident.ts'
import { viewOf } from './incident-view.ts'
import { isMove, latestMoves } from './moves.ts'
import { areOfOnePlace, byTime, roleOf, type StoryEvent } from './story-event.ts'

const maxIncidents = 10
const maxEvents = 100
const maxLoose = 100

/**
 * Adds an event at its place by time. Of a long incident the repetitions are left out that have an earlier and a later
 * one, so that it is known of each zone when it began and how it stands.
 */
export function withEvent(incident: Incident, event: StoryEvent, catalogue: Catalogue): Incident {
  const events = [...incident.events, event].sort(byTime)
  if (events.length <= maxEvents) return { ...incident, events }
  const isSame = (one: StoryEvent) => (other: StoryEvent) =>
    other.typeId === one.typeId && areOfOnePlace(other, one)
  const isSurplus = (one: StoryEvent, at: number) =>
    one.key !== incident.id &&
    !roleOf(one, catalogue).isDisarm &&
    events.findIndex(isSame(one)) < at &&
    events.findLastIndex(isSame(one)) > at
  const surplus = events.findIndex(isSurplus)
  if (surplus >= 0) return { ...incident, events: events.toSpliced(surplus, 1) }
  return events.length > 2 * maxEvents ? incident : { ...incident, events }
}

/** Returns the incidents to keep: if there are too many, those that ended first are forgotten. */
export function newest(
  incidents: readonly Incident[],
  catalogue: Catalogue,
  now: number,
): readonly Incident[] {
  if (incidents.length <= maxIncidents) return incidents
  const endOf = (incident: Incident) => viewOf(incident, catalogue, now).until ?? Number.POSITIVE_INFINITY
  const kept = new Set([...incidents].sort((one, other) => endOf(other) - endOf(one)).slice(0, maxIncidents))
  return incidents.filter((incident) => kept.has(incident))
}

/** Returns the loose events to keep: the latest, and the latest arming or disarming of each partition. */
export function remembered(loose: readonly StoryEvent[], catalogue: Catalogue): readonly StoryEvent[] {
  if (loose.length <= maxLoose) return loose
  const moves = latestMoves(loose.filter((event) => isMove(event, catalogue)))
  const kept = new Set([...moves, ...loose.slice(-maxLoose)])
  return loose.filter((event) => kept.has(event))
}
