import { minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { type EventEnding, type IncidentKind, incidentKinds } from '../../service/catalogue/event-endings.ts'
import { type Pair, pairEvents } from './pairing.ts'
import { byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** A list of alarms that no longer shows an incident. */
export interface Unlisted {
  /** Milliseconds since 1970. */
  readonly at: number
  /** The highest order of the events that were known then. */
  readonly order: number
}

/** An incident: what belongs together from the first alarm until the panel says that it is over. */
export interface Incident {
  /** `eventKey` of the alarm that opened it here; never changes. */
  readonly id: string
  /** Its events, each once, by time. */
  readonly events: readonly StoryEvent[]
  /** The latest arming or disarming of its partitions before it, as far as known. */
  readonly before: readonly StoryEvent[]
  /** True once the panel's list of alarms has shown it as active. */
  readonly wasListed: boolean
  /** True while the panel's list of alarms shows it as active. */
  readonly isListed: boolean
  /** The first list that no longer showed it; null if there was none. */
  readonly unlisted: Unlisted | null
}

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

/** An incident as messages show it. Times are milliseconds since 1970. */
export interface IncidentView {
  id: string
  kind: IncidentKind
  status: 'open' | 'restored' | 'closed'
  since: number
  until: number | null
  /** Empty means the whole panel. */
  partitions: number[]
  /** In the order of their first alarms. */
  zones: IncidentZone[]
  armedBy: UserAction | null
  disarmedBy: UserAction | null
  /** The first code that was entered under threat; null if none was. */
  threat: UserAction | null
  timeline: readonly StoryEvent[]
}

/** The alarms of an incident, each with the time at which it was over; null while it is not. */
interface Alarm {
  readonly event: StoryEvent
  readonly kind: IncidentKind
  readonly restored: number | null
  readonly canBeRestored: boolean
  readonly overAt: number | null
}

/**
 * Returns what is told of an incident. It depends on its events and on the panel's list of alarms, not on the order in
 * which they became known.
 *
 * An alarm is over with the first of these: a disarm or a cancellation in one of its partitions; its restore, unless one
 * of its partitions is armed then; the list of alarms, once it has shown the incident and no longer does; for types that
 * nothing of this ends, time. The incident is closed when all its alarms are over and the list shows none as active.
 * @param now milliseconds since 1970
 */
export function viewOf(incident: Incident, catalogue: Catalogue, now: number): IncidentView {
  const known = latest.get(incident)
  if (known?.catalogue === catalogue && known.now === now) return known.view
  const view = newView(incident, catalogue, now)
  latest.set(incident, { catalogue, now, view })
  return view
}

/** The latest view of each incident, because one list asks for it often. */
const latest = new WeakMap<Incident, { catalogue: Catalogue; now: number; view: IncidentView }>()

function newView(incident: Incident, catalogue: Catalogue, now: number): IncidentView {
  const alarms = alarmsOf(incident, catalogue, now)
  const restorable = alarms.filter(({ canBeRestored }) => canBeRestored)
  const isOver = alarms.every(({ overAt }) => overAt !== null) && !incident.isListed
  const isRestored = restorable.length > 0 && restorable.every(({ restored }) => restored !== null)
  const kinds = alarms.map(({ kind }) => kind)
  const since = alarms[0]?.event.time ?? 0
  const until = isOver ? Math.max(...alarms.map(({ overAt }) => overAt ?? since)) : null
  const { before, events } = incident
  const partitions = partitionsOf(alarms.map(({ event }) => event))
  const arming = before.findLast((event) => isArmed(event, before, partitions, catalogue))
  const threat = alarms.find(({ kind }) => kind === 'duress')
  // What became known before the end may come after it.
  const timeline = events.filter((event) => {
    const { ending, isRestore } = roleOf(event, catalogue)
    const lasts = until === null || event.time <= until
    return ending?.incident !== undefined || isRestore || lasts || isTail(event, until, catalogue)
  })
  return {
    id: incident.id,
    kind: incidentKinds.find((kind) => kinds.includes(kind)) ?? 'alarm',
    status: isOver ? 'closed' : isRestored ? 'restored' : 'open',
    since,
    until,
    partitions,
    zones: zonesOf(alarms),
    armedBy: arming === undefined ? null : userActionOf(arming),
    disarmedBy: disarmOf(alarms, timeline, catalogue),
    threat: threat === undefined ? null : userActionOf(threat.event),
    timeline,
  }
}

/** Milliseconds after the end of an incident in which the panel still reports about it. */
const maxTail = minute

/** Returns true for a disarm right after the end: the panel reports it with several events. */
export function isTail(event: StoryEvent, until: number | null, catalogue: Catalogue): boolean {
  return roleOf(event, catalogue).isDisarm && event.time <= (until ?? 0) + maxTail
}

/** Returns the events of an incident that are alarms, by time. */
export function alarmsIn({ id, events }: Incident, catalogue: Catalogue): StoryEvent[] {
  // The service may no longer know the type of the alarm that opened it.
  return events.filter((event) => event.key === id || roleOf(event, catalogue).ending?.incident !== undefined)
}

/** The ending of an alarm of an unknown type. */
const unknownAlarm: EventEnding = { restores: [], incident: 'alarm' }

function alarmsOf(incident: Incident, catalogue: Catalogue, now: number): Alarm[] {
  const { events, before, unlisted } = incident
  const pairs = new Map(
    pairEvents(events, catalogue, now).map((pair): [StoryEvent, Pair] => [pair.start, pair]),
  )
  const moves = [...before, ...events]
  return alarmsIn(incident, catalogue).map((event) => {
    const { ending = unknownAlarm } = roleOf(event, catalogue)
    const kind = ending.incident ?? 'alarm'
    const restored = restoreOf(event, events, pairs, catalogue)
    const ends = [
      ending.after === undefined ? null : (pairs.get(event)?.endedAt ?? null),
      ending.after === undefined ? disarmAfter(event, events, catalogue) : null,
      restored === null || isArmedAt(restored, event, moves, catalogue) ? null : restored,
      // The list does not show a threat.
      unlisted !== null && kind !== 'duress' && isBefore(event, unlisted) ? unlisted.at : null,
    ].filter((at) => at !== null)
    const overAt = ends.length === 0 ? null : Math.max(event.time, Math.min(...ends))
    return { event, kind, restored, canBeRestored: ending.restores.length > 0, overAt }
  })
}

/** Returns true if an event was known, or had happened, when a list was read; the panel's clock may be ahead. */
function isBefore({ time, order }: StoryEvent, unlisted: Unlisted): boolean {
  return time <= unlisted.at || order <= unlisted.order
}

/** Returns the time of the restore of an alarm, also one that comes after a disarm; null if there is none. */
function restoreOf(
  event: StoryEvent,
  events: readonly StoryEvent[],
  pairs: ReadonlyMap<StoryEvent, Pair>,
  catalogue: Catalogue,
): number | null {
  const end = pairs.get(event)?.end
  if (!end) return null
  if (roleOf(end, catalogue).isRestore) return end.time
  const named = roleOf(event, catalogue).ending?.restores ?? []
  const later = events.find(
    (other) =>
      byTime(event, other) < 0 &&
      other.zone === event.zone &&
      other.typeId !== null &&
      named.includes(other.typeId),
  )
  return later?.time ?? null
}

function disarmAfter(event: StoryEvent, events: readonly StoryEvent[], catalogue: Catalogue): number | null {
  const disarm = events.find(
    (other) => byTime(event, other) < 0 && roleOf(other, catalogue).isDisarm && shareAPartition(event, other),
  )
  return disarm?.time ?? null
}

/** Returns true if a partition of an event is armed at a time, as far as the arming and disarming tell. */
function isArmedAt(
  time: number,
  event: StoryEvent,
  moves: readonly StoryEvent[],
  catalogue: Catalogue,
): boolean {
  const latest = moves.findLast((other) => {
    const { isArm, isDisarm } = roleOf(other, catalogue)
    return other.time <= time && (isArm || isDisarm) && shareAPartition(event, other)
  })
  return latest !== undefined && roleOf(latest, catalogue).isArm
}

/** Returns true for an arming that no later disarm has undone in all of the partitions. */
function isArmed(
  arming: StoryEvent,
  moves: readonly StoryEvent[],
  partitions: readonly number[],
  catalogue: Catalogue,
): boolean {
  if (!roleOf(arming, catalogue).isArm) return false
  const armed = arming.partitions.length > 0 ? arming.partitions : partitions
  const undoes = ({ partitions: off }: StoryEvent) =>
    off.length === 0 || (armed.length > 0 && armed.every((id) => off.includes(id)))
  return !moves.some(
    (event) => byTime(arming, event) < 0 && roleOf(event, catalogue).isDisarm && undoes(event),
  )
}

function disarmOf(
  alarms: readonly Alarm[],
  events: readonly StoryEvent[],
  catalogue: Catalogue,
): UserAction | null {
  const [first] = alarms
  const disarm = events.find(
    (event) => first !== undefined && byTime(first.event, event) < 0 && roleOf(event, catalogue).isDisarm,
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

function zonesOf(alarms: readonly Alarm[]): IncidentZone[] {
  const zones = new Map<string, { zone: IncidentZone; own: Alarm[] }>()
  for (const alarm of alarms) {
    // A threat has a user and no zone.
    if (alarm.kind === 'duress') continue
    const { zone, deviceType, zoneName, actor, time: first } = alarm.event
    const name = zoneName || (deviceType === 'USER' ? actor : '')
    const place = `${zone} ${deviceType}`
    const known = zones.get(place) ?? { zone: { zone, name, first, restored: null }, own: [] }
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
