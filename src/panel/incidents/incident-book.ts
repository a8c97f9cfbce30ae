import { day, minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { wholePanel } from '../../service/responses/status.ts'
import type { ActiveAlarm } from '../state/partition-state.ts'
import { alarmsIn, type Incident, type IncidentView, isTail, viewOf } from './incident.ts'
import { pairEvents } from './pairing.ts'
import { areOfOnePlace, byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** The incidents of a panel that are known. */
export interface IncidentBook {
  /** Milliseconds since 1970: the time of the first list ever. What was over before it is not told. */
  readonly begunAt: number
  /** By the time at which they became known. */
  readonly incidents: readonly Incident[]
  /** Events that may belong to an incident that becomes known later, by time. */
  readonly loose: readonly StoryEvent[]
}

/** Milliseconds before the first alarm of an incident in which an alarm that becomes known late may have begun it. */
const maxLead = 30 * minute

/** The age of an incident, when the node begins for the first time, up to which it is told if it is open. */
const maxAgeAtFirst = day

const maxIncidents = 10
const maxEvents = 100
const maxLoose = 100

/** Returns the book of a panel of which nothing is known. */
export function newBook(begunAt: number): IncidentBook {
  return { begunAt, incidents: [], loose: [] }
}

/**
 * Returns the book after further events, in any order; those that it has already change nothing.
 *
 * An alarm joins the incident that lasts at its time in one of its partitions; else it opens one. One that becomes
 * known late may begin an incident. Restores, disarms and remarks go to the incident that they are about.
 */
export function withEvents(
  book: IncidentBook,
  events: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): IncidentBook {
  let { incidents, loose } = book
  const isNew = ({ key }: StoryEvent) =>
    !loose.some((one) => one.key === key) &&
    !incidents.some((incident) => incident.events.some((one) => one.key === key))
  const added = events.filter((event, at) => {
    const isFirst = events.findIndex(({ key }) => key === event.key) === at
    return isFirst && isNew(event) && matters(event, catalogue)
  })
  if (added.length === 0) return book
  for (const event of added.sort(byTime)) {
    if (roleOf(event, catalogue).ending?.incident === undefined) {
      loose = remembered([...loose, event].sort(byTime), catalogue)
      const { isArm, isDisarm } = roleOf(event, catalogue)
      // An arming that becomes known late can show that an incident lasted longer.
      const some = isArm ? loose : [event]
      const known = incidents
      incidents = known.map((incident) => absorb(incident, some, known, catalogue, now, noTail))
      const isTaken = incidents.some((incident) => incident.events.some(({ key }) => key === event.key))
      if (isDisarm && !isTaken) {
        const endOf = (incident: Incident) => viewOf(incident, catalogue, now).until ?? 0
        const [latest] = [...incidents].sort((one, other) => endOf(other) - endOf(one))
        incidents = incidents.map((one) => (one === latest ? absorb(one, [event], [], catalogue, now) : one))
      }
    } else {
      const joined = incidents.find((incident) => {
        // One that is not told must not take in what has to be told.
        const mayJoin = event.time <= book.begunAt || isNews(viewOf(incident, catalogue, now), book.begunAt)
        return mayJoin && isPartOf(event, incident, loose, catalogue, now)
      })
      const known = joined ?? { id: event.key, events: [], before: [], ...unlisted }
      const longer = withEvent(known, event, catalogue)
      const others = incidents.filter((incident) => incident !== joined)
      const isFree = ({ key }: StoryEvent) =>
        !others.some((incident) => incident.events.some((one) => one.key === key))
      const grown = longer === known ? known : absorb(longer, loose, others, catalogue, now, isFree)
      const after = joined ? incidents.map((one) => (one === joined ? grown : one)) : [...incidents, grown]
      incidents = newest(after, catalogue, now)
    }
  }
  return { ...book, incidents, loose }
}

const unlisted = { wasListed: false, isListed: false, unlisted: null }

/**
 * Returns the book after the panel's list of alarms was read.
 * @param alarms undefined if the panel has no list of its own
 */
export function withAlarms(
  book: IncidentBook,
  alarms: readonly ActiveAlarm[] | undefined,
  catalogue: Catalogue,
  readAt: number,
): IncidentBook {
  const incidents = book.incidents.map((incident): Incident => {
    const { since, until } = viewOf({ ...incident, isListed: false }, catalogue, readAt)
    const own = (alarms ?? []).filter((alarm) => isAbout(alarm, alarmsIn(incident, catalogue), since, until))
    if (own.some(({ inMemory }) => !inMemory)) {
      return incident.isListed && incident.unlisted === null
        ? incident
        : { ...incident, wasListed: true, isListed: true, unlisted: null }
    }
    const wasListed = incident.wasListed || own.length > 0
    const ends = alarms !== undefined && wasListed && incident.unlisted === null
    if (!incident.isListed && !ends) return incident
    const order = Math.max(...incident.events.map((event) => event.order))
    return {
      ...incident,
      wasListed,
      isListed: false,
      unlisted: ends ? { at: readAt, order } : incident.unlisted,
    }
  })
  const isSame = incidents.every((incident, at) => incident === book.incidents[at])
  return isSame ? book : { ...book, incidents }
}

/**
 * Returns the incidents that are told: not those that were over, or old, when the node began for the first time.
 * @param told those that have been told already
 */
export function viewsOf(
  { incidents, begunAt }: IncidentBook,
  catalogue: Catalogue,
  now: number,
  told: ReadonlyMap<string, unknown> = new Map(),
): IncidentView[] {
  return incidents
    .map((incident) => viewOf(incident, catalogue, now))
    .filter((view) => told.has(view.id) || isNews(view, begunAt))
}

/** Returns true for an incident that was neither over nor old when the node began for the first time. */
function isNews({ since, until }: IncidentView, begunAt: number): boolean {
  return (until === null || until > begunAt) && since > begunAt - maxAgeAtFirst
}

/** Returns true if an event can be a part of an incident, or tell whether its partitions are armed. */
function matters(event: StoryEvent, catalogue: Catalogue): boolean {
  const { ending, isRestore, isDisarm, isArm } = roleOf(event, catalogue)
  return ending?.incident !== undefined || ending?.after === 0 || isRestore || isDisarm || isArm
}

/** Returns true if an alarm belongs to an incident. */
function isPartOf(
  alarm: StoryEvent,
  incident: Incident,
  loose: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): boolean {
  const { since, until } = viewOf(incident, catalogue, now)
  if (!alarmsIn(incident, catalogue).some((event) => shareAPartition(event, alarm))) return false
  if (alarm.time >= since) return until === null || alarm.time <= until
  const wasDisarmed = loose.some(
    (event) =>
      event.time >= alarm.time &&
      event.time < since &&
      roleOf(event, catalogue).isDisarm &&
      shareAPartition(event, alarm),
  )
  return since - alarm.time <= maxLead && !wasDisarmed
}

const noTail = () => false

/**
 * Adds the loose events that belong to an incident.
 * @param others incidents that may have a better claim to a restore
 * @param mayFollow returns false for a disarm after the end that belongs to another incident
 */
function absorb(
  incident: Incident,
  loose: readonly StoryEvent[],
  others: readonly Incident[],
  catalogue: Catalogue,
  now: number,
  mayFollow: (event: StoryEvent) => boolean = () => true,
): Incident {
  const alarms = alarmsIn(incident, catalogue)
  const [first] = alarms
  if (first === undefined) return incident
  const isShared = (event: StoryEvent) => alarms.some((alarm) => shareAPartition(alarm, event))
  const moves = loose.filter((event) => {
    const { isArm, isDisarm } = roleOf(event, catalogue)
    return (isArm || isDisarm) && isShared(event)
  })
  const before = latestMoves([...incident.before, ...moves], first)
  let grown: Incident = { ...incident, before }
  for (const event of loose) {
    if (byTime(event, first) < 0 || grown.events.some(({ key }) => key === event.key)) continue
    const { until } = viewOf(grown, catalogue, now)
    const lasts = until === null || event.time <= until
    const { isRestore } = roleOf(event, catalogue)
    const belongs = isRestore
      ? restoresAnAlarm(event, alarms, grown.events, catalogue, now) &&
        (lasts ||
          !others.some((other) => other !== incident && hasAlarmBetween(other, until, event, catalogue)))
      : isShared(event) && (lasts || (mayFollow(event) && isTail(event, until, catalogue)))
    if (belongs) grown = withEvent(grown, event, catalogue)
  }
  const isSame = grown.events === incident.events && before.length === incident.before.length
  return isSame && before.every(({ key }, at) => key === incident.before[at]?.key) ? incident : grown
}

/** Returns true if an event is the first restore of one of the alarms. */
function restoresAnAlarm(
  event: StoryEvent,
  alarms: readonly StoryEvent[],
  events: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): boolean {
  const earlier = alarms.filter((alarm) => byTime(alarm, event) < 0 && isPlaceOf(alarm, event))
  if (earlier.length === 0) return false
  const restores = events.filter((other) => roleOf(other, catalogue).isRestore)
  const pairs = pairEvents([...earlier, ...restores, event], catalogue, now)
  return pairs.some(({ end }) => end?.key === event.key)
}

/** Returns true if an incident has an alarm after a time that a restore ends. */
function hasAlarmBetween(
  incident: Incident,
  from: number,
  restore: StoryEvent,
  catalogue: Catalogue,
): boolean {
  return alarmsIn(incident, catalogue).some(
    (alarm) => alarm.time > from && byTime(alarm, restore) < 0 && isPlaceOf(alarm, restore),
  )
}

/** Returns true if a restore can be that of an alarm, by its place. */
function isPlaceOf(alarm: StoryEvent, restore: StoryEvent): boolean {
  return areOfOnePlace(alarm, restore) && shareAPartition(alarm, restore)
}

/** Returns the latest arming or disarming of each partition before an event. */
function latestMoves(moves: readonly StoryEvent[], first: StoryEvent): StoryEvent[] {
  const earlier = moves.filter((event) => byTime(event, first) < 0).sort(byTime)
  const latest = new Map(earlier.flatMap((event) => placesOf(event).map((place) => [place, event])))
  return [...new Map([...latest.values()].map((event) => [event.key, event])).values()].sort(byTime)
}

function placesOf({ partitions }: StoryEvent): number[] {
  return partitions.length === 0 ? [-1] : [...partitions]
}

/**
 * Adds an event at its place by time. Of a long incident the repetitions are left out that have an earlier and a later
 * one, so that it is known of each zone when it began and how it stands.
 */
function withEvent(incident: Incident, event: StoryEvent, catalogue: Catalogue): Incident {
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
function newest(incidents: readonly Incident[], catalogue: Catalogue, now: number): readonly Incident[] {
  if (incidents.length <= maxIncidents) return incidents
  const endOf = (incident: Incident) => viewOf(incident, catalogue, now).until ?? Number.POSITIVE_INFINITY
  const kept = new Set([...incidents].sort((one, other) => endOf(other) - endOf(one)).slice(0, maxIncidents))
  return incidents.filter((incident) => kept.has(incident))
}

/** Returns the loose events to keep: the latest, and the latest arming or disarming of each partition. */
function remembered(loose: readonly StoryEvent[], catalogue: Catalogue): readonly StoryEvent[] {
  if (loose.length <= maxLoose) return loose
  const moves = loose.filter((event) => {
    const { isArm, isDisarm } = roleOf(event, catalogue)
    return isArm || isDisarm
  })
  const latest = new Map(moves.flatMap((event) => placesOf(event).map((place) => [place, event])))
  const kept = new Set([...latest.values(), ...loose.slice(-maxLoose)])
  return loose.filter((event) => kept.has(event))
}

/**
 * Returns true if an entry of the panel's list is about one of the alarms of an incident, and not about one that became
 * known before it or follows it. A past alarm, which is only in memory, must have been since its begin.
 */
function isAbout(
  { zone, partitions, time, inMemory }: ActiveAlarm,
  alarms: readonly StoryEvent[],
  since: number,
  until: number | null,
): boolean {
  const place = { partitions: partitions.includes(wholePanel) ? [] : partitions }
  const at = time === null ? null : Date.parse(time)
  const isThen =
    at === null
      ? until === null && !inMemory
      : at >= (until === null && !inMemory ? since - maxLead : since) && (until === null || at <= until)
  return isThen && alarms.some((alarm) => alarm.zone === (zone ?? 0) && shareAPartition(alarm, place))
}
