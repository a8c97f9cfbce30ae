import { byClockOfNow } from '../../clock.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { wholePanel } from '../../service/responses/status.ts'
import { utcTime } from '../../service/time.ts'
import { type AlarmEvidence, isOverByAnswers, unarmedStates } from '../state/alarm-evidence.ts'
import type { ActiveAlarm, PartitionState, StateView } from '../state/partition-state.ts'
import { maxLead } from './belonging.ts'
import { alarmsIn, type Incident, maxEntryLag, newIncident } from './incident.ts'
import { atMost, type IncidentBook, replaceIncident, viewsOf, withArmings } from './incident-book.ts'
import { newest } from './incident-limits.ts'
import { isEndedByList, viewOf } from './incident-view.ts'
import { alarmsOf } from './running-alarms.ts'
import { byTime, isMove, latestMoves, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** The alarms that the panel lists. */
export interface AlarmList {
  readonly alarms: readonly ActiveAlarm[]
  /** Those of them that the latest answer lacks: they may be over. */
  readonly held?: readonly ActiveAlarm[]
  /** True once two answers agree: there is no other one. Before, an alarm that is not listed may last. */
  readonly isWhole: boolean
  /** The zone of its times, of which one that clocks showed twice can be the second one; absent if none can. */
  readonly timeZone?: string
}

/**
 * Returns the panel's list of alarms; undefined if it has no list of its own.
 * @param timeZone the zone of its times
 */
export function alarmList(
  { partitions, hasAllAlarms = false, heldAlarms = [], isListLost }: StateView,
  timeZone: string,
): AlarmList | undefined {
  // It cannot be read now: what it said last stands.
  if (isListLost) return { alarms: heldAlarms, held: heldAlarms, isWhole: false, timeZone }
  if (partitions.some(({ inferred }) => inferred)) return undefined
  return {
    alarms: partitions.flatMap(({ alarms }) => alarms),
    held: heldAlarms,
    isWhole: hasAllAlarms,
    timeZone,
  }
}

/**
 * Returns the book after the state of the panel was read, with its list of alarms.
 * @param list undefined if the panel has no list of its own
 * @param evidence what the answers show of alarms that no event ends
 */
export function withAlarms(
  before: IncidentBook,
  list: AlarmList | undefined,
  catalogue: Catalogue,
  readAt: number,
  evidence?: AlarmEvidence,
): IncidentBook {
  const { armings = [] } = evidence ?? {}
  const known = atMost(before, readAt)
  const listedOf = (incident: Incident) =>
    (list?.alarms ?? []).filter((alarm) =>
      isAbout(alarm, timesOf(alarm, list?.timeZone), incident, catalogue, readAt),
    )
  // An outage of the panel hides who armed and disarmed it: its list of alarms tells what has lasted since.
  const mayLast = (incident: Incident) =>
    list === undefined ||
    viewOf(incident, catalogue, readAt).until === null ||
    listedOf(incident).some(({ inMemory }) => !inMemory)
  const book = armings.length > 0 ? withArmings(known, armings, catalogue, readAt, mayLast) : known
  const incidents = book.incidents.map((incident): Incident => {
    const unlisted = incident.isListed ? { ...incident, isListed: false } : incident
    const { until } = viewOf(unlisted, catalogue, readAt)
    const own = listedOf(unlisted)
    const active = own.filter(({ inMemory }) => !inMemory)
    // What the latest answer lacks ends nothing, nor does it open again what events have ended.
    if (active.length > 0 && active.every((alarm) => list?.held?.includes(alarm))) return incident
    if (active.length > 0) {
      // What a list has ended stays over while others of the incident are active.
      const isAgain = active.some((alarm) => isOfEnded(alarm, incident, catalogue))
      const stays = isAgain ? null : incident.unlisted
      return incident.isListed && incident.unlisted === stays
        ? incident
        : { ...incident, wasListed: true, isListed: true, unlisted: stays }
    }
    const wasListed = incident.wasListed || own.length > 0
    const isOver = until === null && evidence !== undefined && isOverIn(unlisted, evidence, catalogue, readAt)
    if (list?.isWhole === false && !isOver)
      return wasListed === incident.wasListed ? incident : { ...incident, wasListed }
    // Alarms that became known after a list ended the others.
    const isOpenAgain = incident.unlisted !== null && until === null
    const isUnlisted = list !== undefined && wasListed && (incident.unlisted === null || isOpenAgain)
    const ends = isOver || isUnlisted
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

/** Returns true if the answers show that all alarms of an incident are over that no event has ended. */
function isOverIn(incident: Incident, evidence: AlarmEvidence, catalogue: Catalogue, now: number): boolean {
  // Only time ends a threat.
  const unended = alarmsOf(incident, catalogue, now).filter(
    ({ kind, overAt }) => kind !== 'duress' && overAt === null,
  )
  const moves = [...incident.before, ...incident.events].filter((event) => isMove(event, catalogue))
  return (
    unended.length > 0 &&
    unended.every(({ event }) => {
      const { time, partitions } = event
      const move = moves.findLast((one) => byTime(one, event) < 0 && shareAPartition(one, event))
      const isDisarm = move !== undefined && roleOf(move, catalogue).isDisarm
      const disarmKnownAt = isDisarm ? byClockOfNow(notedAt(move), evidence.epochs) : null
      const knownAt = byClockOfNow(notedAt(event), evidence.epochs)
      const isOfList = event.sign === null ? roleOf(event, catalogue).isOfList : event.sign !== 'state'
      return isOverByAnswers({ time, knownAt, disarmKnownAt, partitions, isOfList }, evidence, now)
    })
  )
}

/** Returns the time by this machine's clock at which an event was noted; what was listed before this process began may be old. */
function notedAt({ time, readAt, isPast }: StoryEvent): number {
  if (readAt === null) return time
  return isPast ? Math.min(time, readAt) : readAt
}

/** Returns the times that an entry of the panel's list can mean: two in the hour that the clocks repeat. */
export function timesOf({ time, timeRaw }: ActiveAlarm, timeZone: string | undefined): number[] {
  const again = timeZone === undefined ? null : utcTime(timeRaw, timeZone, true)
  return [time, again].flatMap((one) => (one === null ? [] : [Date.parse(one)]))
}

/**
 * Returns true if an entry of the panel's list is about one of the alarms of an incident, and not about one that became
 * known before it or follows it. A past alarm, which is only in memory, must have been since its begin.
 *
 * The entry has a time of the panel, so it is compared with the events, not with the list that has ended the incident.
 */
export function isAbout(
  { zone, partitions, inMemory }: ActiveAlarm,
  times: readonly number[],
  incident: Incident,
  catalogue: Catalogue,
  now: number,
): boolean {
  const { since, until } = viewOf(incident, catalogue, now)
  const alarms = alarmsIn(incident, catalogue)
  const place = { partitions: partitions.includes(wholePanel) ? [] : partitions }
  const isOpen = until === null
  const last = isEndedByList(incident, catalogue, now)
    ? Math.max(...alarms.map((alarm) => alarm.time)) + maxEntryLag
    : (until ?? Number.POSITIVE_INFINITY)
  // An earlier alarm may become known late.
  const first = isOpen && !inMemory ? since - maxLead : since
  const isThen =
    times.length === 0 ? isOpen && !inMemory : times.some((time) => time >= first && time <= last)
  return isThen && alarms.some((alarm) => alarm.zone === (zone ?? 0) && shareAPartition(alarm, place))
}

/** Returns true if an entry of the panel's list is about the place of an alarm that a list has ended. */
function isOfEnded({ zone }: ActiveAlarm, incident: Incident, catalogue: Catalogue): boolean {
  const { order } = incident.unlisted ?? { order: Number.NEGATIVE_INFINITY }
  return alarmsIn(incident, catalogue).some((alarm) => alarm.order <= order && alarm.zone === (zone ?? 0))
}

/** Returns true if a partition is armed, in a delay or in an alarm: a burglar who cuts the line gains something. */
export function isGuarded({ partitions }: Pick<Contact, 'partitions'>): boolean {
  return partitions.some(({ active, value }) => active && !unarmedStates.has(value))
}

/** The contact with a panel, and the last known states of its partitions. */
export interface Contact {
  readonly online: boolean
  readonly partitions: readonly Pick<PartitionState, 'active' | 'value'>[]
}

/**
 * Returns the book after the state of the panel was read.
 *
 * A burglar who cuts the line of a panel ends its alarm for everybody elsewhere. So a loss of the contact is told while the panel
 * is armed, in a delay or in an alarm: as a part of the open incident, else as an incident of its own. It ends when the panel
 * is back.
 * @param now milliseconds since 1970
 */
export function withContact(
  book: IncidentBook,
  { online, partitions }: Contact,
  catalogue: Catalogue,
  now: number,
): IncidentBook {
  const lost = book.incidents.find(({ contact }) => contact !== null && contact.backAt === null)
  const replace = (one: Incident, contact: Incident['contact']) =>
    replaceIncident(book, one, { ...one, contact })
  if (online) {
    const lostAt = lost?.contact?.lostAt
    return lost === undefined || lostAt === undefined
      ? book
      : replace(lost, { lostAt, backAt: Math.max(lostAt, now) })
  }
  if (lost !== undefined) return book
  const running = viewsOf(book, catalogue, now).findLast(
    ({ kind, status }) => kind !== 'duress' && status !== 'closed',
  )
  if (running === undefined && !isGuarded({ partitions })) return book
  const contact = { lostAt: now, backAt: null }
  const known = book.incidents.find(({ id }) => id === running?.id)
  if (known !== undefined) return replace(known, contact)
  const before = latestMoves(book.loose.filter((event) => isMove(event, catalogue)))
  const incident: Incident = { ...newIncident(`contact-${now}`), before, contact }
  return { ...book, incidents: newest([...book.incidents, incident], catalogue, now) }
}
