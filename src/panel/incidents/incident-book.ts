import { day } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { ShownArming } from '../state/alarm-evidence.ts'
import { absorb, isPartOf } from './belonging.ts'
import { alarmsIn, type Incident, isConfirmed, newIncident, withoutSignsOf } from './incident.ts'
import { newest, remembered, withEvent } from './incident-limits.ts'
import { type IncidentView, type UserAction, viewOf } from './incident-view.ts'
import { byTime, roleOf, type StoryEvent } from './story-event.ts'

/** The incidents of a panel that are known. */
export interface IncidentBook {
  /** Milliseconds since 1970: the time of the first list ever. What was then over or old is not told. */
  readonly begunAt: number
  /** By the time at which they became known. */
  readonly incidents: readonly Incident[]
  /** Events that may belong to an incident that becomes known later, by time. */
  readonly loose: readonly StoryEvent[]
}

/** The age of an incident, when the node begins for the first time, up to which it is told if it is open. */
const maxAgeAtFirst = day

/** Returns the book of a panel of which nothing is known. */
export function newBook(begunAt: number): IncidentBook {
  return { begunAt, incidents: [], loose: [] }
}

/** Returns the book with another incident in the place of one that it has. */
export function replaceIncident(book: IncidentBook, one: Incident, other: Incident): IncidentBook {
  return { ...book, incidents: book.incidents.map((incident) => (incident === one ? other : incident)) }
}

/**
 * Returns the book after further events, in any order; those that it has already change nothing.
 *
 * An alarm joins the incident that lasts at its time in one of its partitions; else it opens one. One that becomes
 * known late may begin an incident. Restores, disarms and remarks go to the incident that they are about. What was told
 * as two incidents stays two, also if a late event belongs to both.
 * @param armings that answers show of a panel that does not report them
 */
export function withEvents(
  before: IncidentBook,
  events: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
  armings: readonly ShownArming[] = [],
): IncidentBook {
  const current = atMost(before, now)
  const isOpen = (incident: Incident) => viewOf(incident, catalogue, now).until === null
  const book = armings.length > 0 ? withArmings(current, armings, catalogue, now, isOpen) : current
  const known = new Set([...book.loose, ...book.incidents.flatMap((one) => one.events)].map(({ key }) => key))
  const added = new Map(
    events
      .filter((event) => !known.has(event.key) && matters(event, catalogue))
      .map((event) => [event.key, event]),
  )
  if (added.size === 0) return book
  const isAlarm = (event: StoryEvent) => roleOf(event, catalogue).ending?.incident !== undefined
  const news = [...added.values()].sort(byTime)
  const grown = news.reduce((one, event) => {
    const after = isAlarm(event) ? withAlarm(one, event, catalogue, now, { armings, news }) : one
    // A code that is entered under threat is both.
    const isOther = !isAlarm(event) || roleOf(event, catalogue).isDisarm
    return isOther ? withOther(after, event, catalogue, now) : after
  }, book)
  // At the end: after each of many events it would take as long as all else.
  return { ...grown, loose: remembered(grown.loose, catalogue) }
}

/** Returns the book after an alarm, one of the events that became known together. */
function withAlarm(
  book: IncidentBook,
  alarm: StoryEvent,
  catalogue: Catalogue,
  now: number,
  { armings, news }: { armings: readonly ShownArming[]; news: readonly StoryEvent[] },
): IncidentBook {
  const { incidents, loose, begunAt } = book
  const around = [...loose, ...news]
  // An alarm that was known without its event is reported now, before all by the incident whose list has shown its zone.
  const listed = incidents.filter(({ events }) =>
    events.some(({ sign, zone }) => sign !== null && sign !== 'state' && zone === alarm.zone),
  )
  const unconfirmed = incidents.filter((incident) => !isConfirmed(incident, catalogue))
  const joined = [...listed, ...unconfirmed, ...incidents].find((incident) => {
    // One that is not told must not take in what has to be told.
    const mayJoin = alarm.isPast || isNews(incident, begunAt, catalogue, now)
    const hasRoom = () => withEvent(incident, alarm, catalogue) !== incident
    return mayJoin && isPartOf(alarm, incident, around, catalogue, now) && hasRoom()
  })
  const longer = withEvent(
    joined ? withoutSignsOf(joined, alarm, catalogue) : newIncident(alarm.key),
    alarm,
    catalogue,
  )
  const others = incidents.filter((incident) => incident !== joined)
  const isFree = ({ key }: StoryEvent) => !others.some(({ events }) => events.some((one) => one.key === key))
  // What answers showed before one that has ended its other alarms may be over.
  const unarmed = longer.unlisted === null ? longer : { ...longer, armedSince: null }
  const grown = absorb(withArming(unarmed, armings, catalogue), loose, others, catalogue, now, isFree)
  const after = joined ? incidents.map((one) => (one === joined ? grown : one)) : [...incidents, grown]
  return { ...book, incidents: newest(after, catalogue, now) }
}

/**
 * Returns the book after answers have shown partitions armed of a panel that does not report it.
 * @param mayLast returns false for an incident that is over whether the panel was armed or not
 */
export function withArmings(
  book: IncidentBook,
  armings: readonly ShownArming[],
  catalogue: Catalogue,
  now: number,
  mayLast: (incident: Incident) => boolean,
): IncidentBook {
  const incidents = book.incidents.map((incident) => {
    const armed = mayLast(incident) ? withArming(incident, armings, catalogue) : incident
    // A disarm after its end, which was no part of it, ends it again.
    return armed === incident
      ? incident
      : absorb(armed, book.loose, book.incidents, catalogue, now, () => false)
  })
  return incidents.every((incident, at) => incident === book.incidents[at]) ? book : { ...book, incidents }
}

function withArming(incident: Incident, armings: readonly ShownArming[], catalogue: Catalogue): Incident {
  if (incident.armedSince !== null || armings.length === 0) return incident
  const partitions = alarmsIn(incident, catalogue).map((alarm) => alarm.partitions)
  const own = armings.find(({ id }) => partitions.some((ids) => ids.length === 0 || ids.includes(id)))
  return own === undefined ? incident : { ...incident, armedSince: own.since }
}

/** Returns the book after an arming, a disarm, a restore or a remark. */
function withOther(book: IncidentBook, event: StoryEvent, catalogue: Catalogue, now: number): IncidentBook {
  // They come by time, so that nearly all of them are the last.
  const before = book.loose.findLastIndex((one) => byTime(one, event) <= 0) + 1
  const loose = book.loose.toSpliced(before, 0, event)
  const { isArm, isDisarm } = roleOf(event, catalogue)
  // An arming that becomes known late can show that an incident lasted longer.
  const some = isArm ? loose : [event]
  const incidents = book.incidents.map((incident) =>
    absorb(incident, some, book.incidents, catalogue, now, () => false),
  )
  const isTaken = incidents.some(({ events }) => events.some(({ key }) => key === event.key))
  if (!isDisarm || isTaken) return { ...book, incidents, loose }
  const endOf = (incident: Incident) => viewOf(incident, catalogue, now).until ?? 0
  const [latest] = [...incidents].sort((one, other) => endOf(other) - endOf(one))
  const follow = (one: Incident) => (one === latest ? absorb(one, [event], [], catalogue, now) : one)
  return { ...book, incidents: incidents.map(follow), loose }
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
    .filter((incident) => told.has(incident.id) || isNews(incident, begunAt, catalogue, now))
    .map((incident) => withoutFuture(viewOf(incident, catalogue, now), incident))
}

/**
 * Returns true for an incident that was neither over nor old when the node began for the first time.
 *
 * An alarm that became known since, or that the list of alarms shows, is news whatever its time says: the clocks of panel and machine differ, and either may
 * have been wrong.
 */
function isNews(incident: Incident, begunAt: number, catalogue: Catalogue, now: number): boolean {
  const { contact, isListed } = incident
  if (contact !== null || isListed || alarmsIn(incident, catalogue).some(({ isPast }) => !isPast)) return true
  const past = { ...incident, events: incident.events.filter(({ isPast }) => isPast), unlisted: null }
  const wasOpen = viewOf(past, catalogue, begunAt).until === null
  return wasOpen && viewOf(incident, catalogue, now).since > begunAt - maxAgeAtFirst
}

/**
 * Returns the book with times of this machine that are not to come: the clock may have been ahead for a moment, and must
 * not decide about what happens until then.
 */
export function atMost(book: IncidentBook, now: number): IncidentBook {
  const { begunAt, incidents } = book
  const isAhead = ({ unlisted, armedSince }: Incident) =>
    (unlisted !== null && unlisted.at > now) || (armedSince !== null && armedSince > now)
  if (begunAt <= now && !incidents.some(isAhead)) return book
  return {
    ...book,
    begunAt: Math.min(begunAt, now),
    incidents: incidents.map(({ unlisted, armedSince, ...one }) => ({
      ...one,
      unlisted: unlisted && { ...unlisted, at: Math.min(unlisted.at, now) },
      armedSince: armedSince && Math.min(armedSince, now),
    })),
  }
}

/** Returns true if an event can be a part of an incident, or tell whether its partitions are armed. */
export function matters(event: Pick<StoryEvent, 'typeId'>, catalogue: Catalogue): boolean {
  const { ending, isRestore, isDisarm, isArm } = roleOf(event, catalogue)
  return ending?.incident !== undefined || ending?.after === 0 || isRestore || isDisarm || isArm
}

/**
 * Returns the view of an incident in which nothing happened later than it became known. The panel's clock may be ahead: its
 * times still tell which event was first, but nobody is told a time that is to come.
 */
function withoutFuture(view: IncidentView, { before, events }: Incident): IncidentView {
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
