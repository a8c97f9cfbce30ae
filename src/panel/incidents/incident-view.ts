import { minute } from '../../duration.ts'
import { type AlarmKind, alarmKinds } from '../../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { type Alarm, alarmsOf } from './alarm-end.ts'
import type { Incident } from './incident.ts'
import { armingOf } from './moves.ts'
import { byTime, roleOf, type StoryEvent } from './story-event.ts'

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
  kind: AlarmKind
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

/**
 * Returns what is told of an incident. It depends on its events and on the panel's list of alarms, not on the order in
 * which they became known.
 *
 * The incident is closed when all its alarms are over and the panel's list of alarms shows none of them as active.
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
  const arming = armingOf(before, partitions, catalogue)
  const threat = alarms.find(({ kind }) => kind === 'duress')
  // What became known before the end may come after it.
  const timeline = events.filter((event) => {
    const { ending, isRestore } = roleOf(event, catalogue)
    const lasts = until === null || event.time <= until
    return ending?.incident !== undefined || isRestore || lasts || isTail(event, until, catalogue)
  })
  return {
    id: incident.id,
    kind: alarmKinds.find((kind) => kinds.includes(kind)) ?? 'alarm',
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
