import { minute } from '../../duration.ts'
import { alarmKinds } from '../../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { type ContactLoss, type Incident, isConfirmed } from './incident.ts'
import { type Alarm, alarmsOf } from './running-alarms.ts'
import { armingOf, byTime, roleOf, type StoryEvent } from './story-event.ts'

/** The kinds of incidents, the most serious first: those of alarms, and a mere loss of the contact with the panel. */
export const incidentKinds = [...alarmKinds, 'contact'] as const

/** The kind of an incident. */
export type IncidentKind = (typeof incidentKinds)[number]

/** The ways in which an incident can stand. */
export const incidentStatuses = ['open', 'restored', 'closed'] as const

/** A zone or device of an incident. */
export interface IncidentZone {
  zone: number
  name: string
  /** Milliseconds since 1970 of its first alarm. */
  first: number
  /** Milliseconds since 1970 at which its last alarm was restored; null while it is not. */
  restored: number | null
}

/** A person, and the time of what they did. */
export interface UserAction {
  name: string
  at: number
}

/**
 * An incident as messages show it. Times are milliseconds since 1970.
 *
 * A code that was entered under threat counts as the disarm that it also is. Only `kind`, if there was nothing else,
 * `threat` and the timeline tell of it.
 */
export interface IncidentView {
  id: string
  kind: IncidentKind
  status: (typeof incidentStatuses)[number]
  /** False until an event tells it: the panel has not reported it yet, or never will. */
  confirmed: boolean
  since: number
  until: number | null
  /** Empty means the whole panel. */
  partitions: number[]
  /** In the order of their first alarms. */
  zones: IncidentZone[]
  /** Where the first alarm of the kind came from; null for a threat and for a loss of contact. */
  place: Pick<IncidentZone, 'zone' | 'name'> | null
  /** The number of its alarms, each repetition counted; a threat is none. */
  alarms: number
  /** The number of them that an event has told. */
  reported: number
  armedBy: UserAction | null
  disarmedBy: UserAction | null
  /** The first code that was entered under threat; null if none was. */
  threat: UserAction | null
  contact: ContactLoss | null
  /** The zones that the panel has left out until the disarm; empty once it is closed. */
  leftOut: readonly number[]
  timeline: readonly StoryEvent[]
}

/**
 * Returns what is told of an incident. It depends on its events and on the panel's list of alarms, not on the order in
 * which they became known.
 *
 * The incident is closed when all its alarms are over and the panel's list of alarms shows none of them as active.
 * @param now milliseconds since 1970
 */
export function viewOf(incident: Incident, catalogue: Catalogue, now: number): IncidentView {
  return look(incident, catalogue, now).view
}

/** Returns true for an incident that is over because the list of alarms no longer shows one of its alarms. */
export function isEndedByList(incident: Incident, catalogue: Catalogue, now: number): boolean {
  const { view, isUnlisted } = look(incident, catalogue, now)
  return view.until !== null && isUnlisted
}

/** The view of an incident, and true if only the list of alarms tells the end of one of its alarms. */
interface Look {
  view: IncidentView
  isUnlisted: boolean
}

/** The looks at the alarms of incidents, because one list asks for them often. */
const looks = new WeakMap<readonly Alarm[], Look>()

function look(incident: Incident, catalogue: Catalogue, now: number): Look {
  const alarms = alarmsOf(incident, catalogue, now)
  const known = looks.get(alarms)
  if (known !== undefined) return known
  const next = newLook(incident, catalogue, alarms)
  looks.set(alarms, next)
  return next
}

function newLook(incident: Incident, catalogue: Catalogue, alarms: readonly Alarm[]): Look {
  const { before, events, contact } = incident
  const threat = alarms.find(({ kind }) => kind === 'duress')
  const open = alarms.filter(({ kind }) => kind !== 'duress')
  // A threat is shown as a disarm, so it prolongs no other alarm.
  const shown = open.length > 0 ? open : alarms
  const restorable = shown.filter(({ canBeRestored }) => canBeRestored)
  const isOver = shown.every(({ overAt }) => overAt !== null) && !incident.isListed
  const isRestored = restorable.length > 0 && restorable.every(({ restored }) => restored !== null)
  const kind = alarmKinds.find((one) => shown.some((alarm) => alarm.kind === one)) ?? 'alarm'
  const since = shown[0]?.event.time ?? 0
  const until = isOver ? Math.max(...shown.map(({ overAt }) => overAt ?? since)) : null
  const partitions = partitionsOf(shown.map(({ event }) => event))
  const arming = armingOf(before, partitions, catalogue)
  const isUnlisted = alarms.some((alarm) => alarm.isUnlisted)
  // What became known before the end may come after it.
  const timeline = events.filter((event) => {
    if (event.sign !== null) return false
    const { ending, isRestore } = roleOf(event, catalogue)
    const lasts = until === null || isUnlisted || event.time <= until
    return ending?.incident !== undefined || isRestore || lasts || isTail(event, until, catalogue)
  })
  const first = open.find((alarm) => alarm.kind === kind)
  const view: IncidentView = {
    id: incident.id,
    kind,
    status: isOver ? 'closed' : isRestored ? 'restored' : 'open',
    confirmed: isConfirmed(incident, catalogue),
    since,
    until,
    partitions,
    zones: zonesOf(open.filter(({ event }) => event.sign !== 'state')),
    place: first === undefined || first.event.sign === 'state' ? null : placeOf(first.event),
    alarms: open.length,
    reported: open.filter(({ event }) => event.sign === null).length,
    armedBy: arming === undefined ? null : userActionOf(arming),
    disarmedBy: disarmOf(shown, timeline, catalogue),
    threat: threat === undefined ? null : userActionOf(threat.event),
    contact,
    leftOut: isOver ? [] : incident.leftOut,
    timeline,
  }
  const isContactAlone = contact !== null && events.length === 0
  return { view: isContactAlone ? withContactAlone(view, contact) : view, isUnlisted }
}

/** Returns the view of an incident that is a mere loss of the contact. */
function withContactAlone(view: IncidentView, { lostAt, backAt }: ContactLoss): IncidentView {
  const status = backAt === null ? 'open' : 'closed'
  return { ...view, kind: 'contact', status, since: lostAt, until: backAt }
}

/** Milliseconds after the end of an incident in which the panel still reports about it. */
const maxTail = minute

/** Returns true for a disarm right after the end: the panel reports it with several events. */
export function isTail(event: StoryEvent, until: number | null, catalogue: Catalogue): boolean {
  return roleOf(event, catalogue).isDisarm && event.time <= (until ?? 0) + maxTail
}

/** Returns the first disarm after the first alarm; a code that was entered under threat is one itself. */
function disarmOf(
  [first]: readonly Alarm[],
  events: readonly StoryEvent[],
  catalogue: Catalogue,
): UserAction | null {
  const disarm = events.find(
    (event) => first !== undefined && byTime(first.event, event) <= 0 && roleOf(event, catalogue).isDisarm,
  )
  return disarm === undefined ? null : userActionOf(disarm)
}

function userActionOf({ actor, time }: StoryEvent): UserAction {
  return { name: actor, at: time }
}

/** Returns the partitions of events; empty if one of them is about the whole panel. */
function partitionsOf(events: readonly StoryEvent[]): number[] {
  if (events.some(({ partitions }) => partitions.length === 0)) return []
  return [...new Set(events.flatMap(({ partitions }) => partitions))].sort((one, other) => one - other)
}

/** Returns the place of an alarm: its zone, the person with the button, or the control panel. */
function placeOf({ zone, deviceType, zoneName, actor }: StoryEvent): Pick<IncidentZone, 'zone' | 'name'> {
  return { zone, name: zoneName || (deviceType === 'USER' ? actor : '') }
}

function zonesOf(alarms: readonly Alarm[]): IncidentZone[] {
  const zones = new Map<string, { zone: IncidentZone; own: Alarm[] }>()
  for (const alarm of alarms) {
    const { zone, deviceType, time: first } = alarm.event
    const place = `${zone} ${deviceType}`
    const known = zones.get(place) ?? { zone: { ...placeOf(alarm.event), first, restored: null }, own: [] }
    known.own.push(alarm)
    zones.set(place, known)
  }
  return [...zones.values()].map(({ zone, own }) => ({ ...zone, restored: lastRestore(own) }))
}

/** Returns the time at which the last of the alarms was restored; null if one that has a restore was not. */
function lastRestore(alarms: readonly Alarm[]): number | null {
  const restores = alarms.filter(({ canBeRestored }) => canBeRestored).map(({ restored }) => restored)
  const known = restores.filter((restored) => restored !== null)
  return known.length > 0 && known.length === restores.length ? Math.max(...known) : null
}
