import { minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { maxDelay } from '../state/alarm-evidence.ts'
import { roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** An answer that shows that an incident is over: a list of alarms without it, or a status after a disarm. */
export interface Unlisted {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The highest order of the events that were known then. */
  readonly order: number
}

/** A loss of the contact with the panel. Times are milliseconds since 1970. */
export interface ContactLoss {
  readonly lostAt: number
  /** Null while the contact is lost. */
  readonly backAt: number | null
}

/**
 * An incident: what belongs together from the first alarm until the panel says that it is over; or, without any event, a
 * loss of the contact with the panel.
 */
export interface Incident {
  /** `eventKey` of the alarm that opened it here, or a text of its own; never changes. */
  readonly id: string
  /** Its events, each once, by time. */
  readonly events: readonly StoryEvent[]
  /** The latest arming or disarming of its partitions before it, as far as known. */
  readonly before: readonly StoryEvent[]
  /** True once the panel's list of alarms has shown it, be it in memory only. */
  readonly wasListed: boolean
  /** True while the panel's list of alarms shows it as active. */
  readonly isListed: boolean
  /** The first answer that showed that it is over, although no event did; null if there was none. */
  readonly unlisted: Unlisted | null
  /** The latest loss of the contact during it; null if there was none. */
  readonly contact: ContactLoss | null
  /**
   * Milliseconds since 1970 since when answers show one of its partitions armed of a panel that does not report it; null if none
   * does.
   */
  readonly armedSince: number | null
  /** The numbers of its zones that the panel has left out until the disarm, as far as a list of devices has shown it. */
  readonly leftOut: readonly number[]
}

/**
 * Returns true if an event became known before a list of alarms, or soon after it, so that it can have happened before. Of
 * notes that do not tell when it became known, the times decide.
 */
export function isKnownWith(list: Unlisted, { order, time, readAt }: StoryEvent): boolean {
  return order <= list.order || (readAt === null ? time <= list.at : readAt - list.at <= maxDelay)
}

/** Returns an incident without its events. */
export function newIncident(id: string): Incident {
  return {
    ...{ id, events: [], before: [], wasListed: false, isListed: false },
    ...{ unlisted: null, contact: null, armedSince: null, leftOut: [] },
  }
}

/** Returns the events of an incident that are alarms, by time. */
export function alarmsIn({ id, events }: Incident, catalogue: Catalogue): StoryEvent[] {
  // The service may no longer know the type of the alarm that opened it.
  return events.filter(
    (event) =>
      event.key === id || event.sign !== null || roleOf(event, catalogue).ending?.incident !== undefined,
  )
}

/** Returns true once an event has told an alarm of an incident, or the loss of the contact. */
export function isConfirmed(incident: Incident, catalogue: Catalogue): boolean {
  const alarms = alarmsIn(incident, catalogue)
  return alarms.length === 0 || alarms.some(({ sign }) => sign === null)
}

/** Milliseconds by which an entry of the panel's list of alarms can be later than the event of its alarm. */
export const maxEntryLag = minute

/**
 * Returns an incident without the signs for which a better one is there now: an event of the same zone, or of any zone
 * instead of a mere state. A threat is none: neither the list nor the state shows it. The list that has ended an entry has
 * ended its event.
 */
export function withoutSignsOf(incident: Incident, better: StoryEvent, catalogue: Catalogue): Incident {
  if (roleOf(better, catalogue).ending?.incident === 'duress') return incident
  const isLess = ({ sign, zone, partitions }: StoryEvent) =>
    sign !== null && (sign === 'state' || zone === better.zone) && shareAPartition({ partitions }, better)
  const less = incident.events.filter(isLess)
  if (less.length === 0) return incident
  const { unlisted } = incident
  const isOver = less.some(
    ({ sign, order, time }) =>
      sign !== 'state' &&
      order <= (unlisted?.order ?? Number.NEGATIVE_INFINITY) &&
      Math.abs(time - better.time) <= maxEntryLag,
  )
  return {
    ...incident,
    events: incident.events.filter((event) => !isLess(event)),
    unlisted: unlisted && isOver ? { ...unlisted, order: Math.max(unlisted.order, better.order) } : unlisted,
  }
}
