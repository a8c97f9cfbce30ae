import { type AlarmKind, kindOfListed } from '../../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { EventEnding } from '../../service/catalogue/event-endings.ts'
import { wholePanel } from '../../service/responses/status.ts'
import { type ActiveAlarm, type StateView, withoutThreats } from '../state/partition-state.ts'
import { alarmsIn, type Incident, isKnownWith } from './incident.ts'
import { type Pair, pairEvents } from './pairing.ts'
import { areOfOnePlace, byTime, isArmedAt, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** An alarm of an incident, with the times at which it was restored and over; null while it is not. */
export interface Alarm {
  readonly event: StoryEvent
  readonly kind: AlarmKind
  readonly restored: number | null
  readonly canBeRestored: boolean
  readonly overAt: number | null
  /** True if only the list of alarms tells that it is over: `overAt` is then a time of this machine's clock. */
  readonly isUnlisted: boolean
}

/** The ending of an alarm of an unknown type. */
const unknownAlarm: EventEnding = { restores: [], incident: 'alarm' }

/** The alarms of each incident at the latest time for which they were asked. */
const latest = new WeakMap<Incident, { alarms: readonly Alarm[]; catalogue: Catalogue; now: number }>()

/**
 * Returns the alarms of an incident, each with the time at which it was over.
 *
 * An alarm is over with the first of these: a disarm or a cancellation in one of its partitions; its restore, unless one
 * of its partitions is armed then by the events or the answers; the list of alarms, once it has shown the incident and no longer does; for types that
 * nothing of this ends, time.
 *
 * The list has a time of this machine and the events have times of the panel, so the order in which they became known
 * decides between them. Events that became known soon after the list tell with the panel's own time what it has shown.
 * @param now milliseconds since 1970
 */
export function alarmsOf(incident: Incident, catalogue: Catalogue, now: number): readonly Alarm[] {
  const known = latest.get(incident)
  // Later, time changes only those that it can still end.
  const isOver = ({ overAt, isUnlisted }: Alarm) => overAt !== null && !isUnlisted
  if (known?.catalogue === catalogue)
    if (known.now === now || (known.now < now && known.alarms.every(isOver))) return known.alarms
  const alarms = newAlarms(incident, catalogue, now)
  latest.set(incident, { alarms, catalogue, now })
  return alarms
}

function newAlarms(incident: Incident, catalogue: Catalogue, now: number): Alarm[] {
  const { events, before, unlisted } = incident
  const pairs = new Map(
    pairEvents(events, catalogue, now).map((pair): [StoryEvent, Pair] => [pair.start, pair]),
  )
  const moves = [...before, ...events]
  return alarmsIn(incident, catalogue).map((event) => {
    const { ending = unknownAlarm } = roleOf(event, catalogue)
    const kind = kindOfSign(event) ?? ending.incident ?? 'alarm'
    const restore = restoreOf(event, events, pairs, catalogue)
    const isRestoredForGood =
      restore !== null &&
      !isShownArmed(restore, event, incident) &&
      !isArmedAt(restore.time, event, moves, catalogue)
    // The list does not show a threat.
    const list = kind !== 'duress' && unlisted !== null && event.order <= unlisted.order ? unlisted : null
    const ends = [
      ending.after === undefined ? null : (pairs.get(event)?.endedAt ?? null),
      ending.after === undefined ? (disarmAfter(event, events, catalogue)?.time ?? null) : null,
      isRestoredForGood && (list === null || isKnownWith(list, restore)) ? restore.time : null,
    ].filter((at) => at !== null)
    const isUnlisted = ends.length === 0 && list !== null
    const endedAt = isUnlisted ? list.at : Math.min(...ends)
    return {
      event,
      kind,
      restored: restore?.time ?? null,
      canBeRestored: ending.restores.length > 0,
      overAt: Number.isFinite(endedAt) ? Math.max(event.time, endedAt) : null,
      isUnlisted,
    }
  })
}

/** Returns true if answers have shown that the panel was armed when the restore of an alarm became known. */
function isShownArmed(
  { readAt, time, order, isPast }: StoryEvent,
  alarm: StoryEvent,
  { armedSince, unlisted }: Incident,
): boolean {
  // The answer that has ended the alarm may have shown a disarm.
  const isLater = unlisted !== null && order > unlisted.order && alarm.order <= unlisted.order
  // A first list has restores of long ago: of them, as of the state, their own time counts.
  const knownAt = isPast ? time : (readAt ?? time)
  return armedSince !== null && armedSince <= knownAt && !isLater
}

/** Returns the kind of an alarm that no event has told; null for an event. */
function kindOfSign({ sign }: StoryEvent): AlarmKind | null {
  return sign === 'state' ? 'alarm' : sign
}

/** Returns the restore of an alarm, also one that comes after a disarm; null if there is none. */
function restoreOf(
  event: StoryEvent,
  events: readonly StoryEvent[],
  pairs: ReadonlyMap<StoryEvent, Pair>,
  catalogue: Catalogue,
): StoryEvent | null {
  const end = pairs.get(event)?.end
  if (!end) return null
  if (roleOf(end, catalogue).isRestore) return end
  const named = roleOf(event, catalogue).ending?.restores ?? []
  const later = events.find(
    (other) =>
      byTime(event, other) < 0 &&
      other.zone === event.zone &&
      other.typeId !== null &&
      named.includes(other.typeId),
  )
  return later ?? null
}

function disarmAfter(event: StoryEvent, events: readonly StoryEvent[], catalogue: Catalogue) {
  return events.find(
    (other) => byTime(event, other) < 0 && roleOf(other, catalogue).isDisarm && shareAPartition(event, other),
  )
}

/** An alarm that runs: the panel's list shows it as active, or nothing that is known has ended it. */
export interface RunningAlarm {
  readonly kind: AlarmKind
  readonly deviceType: string
  /** Number of the zone or user; 0 is the control panel. */
  readonly zone: number
  readonly name: string
  /** Empty means the whole panel. */
  readonly partitions: readonly number[]
  /** Milliseconds since 1970 of its first event; null if the service does not tell it. */
  readonly since: number | null
  /** `eventKey` of that event; null if none is known. */
  readonly eventKey: string | null
}

/**
 * Returns the alarms of incidents that are not over, by time. A threat is none of them, because the person who threatens
 * may see what they change.
 * @param now milliseconds since 1970
 */
export function unendedAlarms(
  incidents: readonly Incident[],
  catalogue: Catalogue,
  now: number,
): RunningAlarm[] {
  return incidents.flatMap((incident) => {
    const alarms = alarmsOf(incident, catalogue, now).filter(({ kind }) => kind !== 'duress')
    const lasting = alarms.filter(({ overAt }) => overAt === null)
    // The panel's list can show an incident that its events have ended.
    return (lasting.length === 0 && incident.isListed ? alarms.slice(-1) : lasting).map(ofEvent)
  })
}

/** Returns the alarms that the panel's list shows as active. */
export function listedAlarms({ partitions }: StateView): RunningAlarm[] {
  return partitions.flatMap(({ alarms }) =>
    withoutThreats(alarms)
      .filter(({ inMemory }) => !inMemory)
      .map(ofList),
  )
}

/** Returns an entry of the panel's list of alarms as an alarm that runs. */
export function ofList(alarm: ActiveAlarm): RunningAlarm {
  const { type, deviceType, zone, zoneName, location, partitions, time } = alarm
  return {
    kind: kindOfListed(type),
    deviceType,
    // The service leaves out the zone of an alarm of the control panel.
    zone: zone ?? 0,
    name: zoneName || location,
    partitions: partitions.includes(wholePanel) ? [] : partitions,
    since: time === null ? null : Date.parse(time),
    eventKey: null,
  }
}

/** Returns the alarms without those of a place that has an earlier one in the list. */
export function oncePerPlace(alarms: readonly RunningAlarm[]): RunningAlarm[] {
  return alarms.filter((alarm, at) => !alarms.slice(0, at).some((other) => isSamePlace(alarm, other)))
}

function isSamePlace(one: RunningAlarm, other: RunningAlarm): boolean {
  return areOfOnePlace(one, other) && shareAPartition(one, other)
}

function ofEvent({ event, kind }: Alarm): RunningAlarm {
  const { deviceType, zone, zoneName, actor, partitions, time, key, sign } = event
  const name = zoneName || (deviceType === 'USER' ? actor : '')
  return { kind, deviceType, zone, name, partitions, since: time, eventKey: sign === null ? key : null }
}
