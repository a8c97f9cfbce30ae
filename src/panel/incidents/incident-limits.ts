import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { Incident } from './incident.ts'
import { viewOf } from './incident-view.ts'
import { areOfOnePlace, byTime, isMove, latestMoves, roleOf, type StoryEvent } from './story-event.ts'

/** The limits of what is kept: incidents, events of one, and events that belong to none. The notes are saved with each position. */
const maxIncidents = 10
const maxEvents = 100
const maxLoose = 100

/**
 * Adds an event at its place by time. Of a long incident those events are left out that tell least: first repetitions
 * that have an earlier and a later one, so that it is known of each zone when it began and how it stands; of a very long
 * one also restores and other repetitions. Never left out are the first alarm of each type and place, and a disarm that
 * ended something.
 *
 * Returns the same incident if it is full of such alarms: the event then belongs to no incident that it has.
 */
export function withEvent(incident: Incident, event: StoryEvent, catalogue: Catalogue): Incident {
  let events = [...incident.events, event].sort(byTime)
  if (events.length <= maxEvents) return { ...incident, events }
  const surplus = events.findIndex(
    (one, at) => one.key !== incident.id && isBetweenSame(events, at, catalogue),
  )
  if (surplus >= 0) events = events.toSpliced(surplus, 1)
  if (events.length <= 2 * maxEvents) return { ...incident, events }
  const least = leastTelling(events, incident.id, catalogue)
  if (least >= 0) return { ...incident, events: events.toSpliced(least, 1) }
  return roleOf(event, catalogue).isDisarm ? { ...incident, events } : incident
}

/** Returns true if an event that is no disarm has an earlier and a later one of the same type and place. */
function isBetweenSame(events: readonly StoryEvent[], at: number, catalogue: Catalogue): boolean {
  const one = events[at]
  if (one === undefined || roleOf(one, catalogue).isDisarm) return false
  return events.findIndex(isSame(one)) < at && events.findLastIndex(isSame(one)) > at
}

function isSame(one: StoryEvent): (other: StoryEvent) => boolean {
  return (other) => other.typeId === one.typeId && areOfOnePlace(other, one)
}

/**
 * Returns the index of the event that a very long incident can do without, -1 if there is none: a remark or an arming,
 * else a disarm right after another one, else a restore, else a repeated alarm.
 */
function leastTelling(events: readonly StoryEvent[], id: string, catalogue: Catalogue): number {
  const isAlarm = (one: StoryEvent) =>
    one.key === id || one.sign !== null || roleOf(one, catalogue).ending?.incident !== undefined
  const role = (one: StoryEvent) => roleOf(one, catalogue)
  const isRepeatedDisarm = (one: StoryEvent, at: number) => {
    const latest = events
      .slice(0, at)
      .findLast((other) => isAlarm(other) || (role(other).isDisarm && covers(other, one)))
    // A code that is entered under threat is both.
    return role(one).isDisarm && !isAlarm(one) && latest !== undefined && !isAlarm(latest)
  }
  const kinds = [
    (one: StoryEvent) => !isAlarm(one) && !role(one).isDisarm && !role(one).isRestore,
    isRepeatedDisarm,
    (one: StoryEvent) => role(one).isRestore,
    (one: StoryEvent, at: number) => one.key !== id && isAlarm(one) && events.findIndex(isSame(one)) < at,
  ]
  for (const isOfKind of kinds) {
    const at = events.findIndex(isOfKind)
    if (at >= 0) return at
  }
  return -1
}

/** Returns true if a disarm was about all partitions of another one. */
function covers({ partitions: some }: StoryEvent, { partitions: others }: StoryEvent): boolean {
  return some.length === 0 || (others.length > 0 && others.every((id) => some.includes(id)))
}

/**
 * Returns the incidents to keep: if there are too many, those that ended first are forgotten, and then those that became
 * known first.
 */
export function newest(
  incidents: readonly Incident[],
  catalogue: Catalogue,
  now: number,
): readonly Incident[] {
  if (incidents.length <= maxIncidents) return incidents
  // Not Infinity for an open one: the difference of two would be no number.
  const endOf = (incident: Incident) => viewOf(incident, catalogue, now).until ?? Number.MAX_SAFE_INTEGER
  const kept = new Set(
    incidents
      .map((incident) => ({ incident, end: endOf(incident) }))
      .sort((one, other) => one.end - other.end)
      .slice(-maxIncidents)
      .map(({ incident }) => incident),
  )
  return incidents.filter((incident) => kept.has(incident))
}

/** Returns the loose events to keep: the latest, and the latest arming or disarming of each partition. */
export function remembered(loose: readonly StoryEvent[], catalogue: Catalogue): readonly StoryEvent[] {
  if (loose.length <= maxLoose) return loose
  const moves = latestMoves(loose.filter((event) => isMove(event, catalogue)))
  const kept = new Set([...moves, ...loose.slice(-maxLoose)])
  return loose.filter((event) => kept.has(event))
}
