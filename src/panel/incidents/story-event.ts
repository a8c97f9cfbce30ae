import { day } from '../../duration.ts'
import { type AlarmKind, alarmKinds, isDuress } from '../../service/catalogue/alarm-kind.ts'
import { type Catalogue, groupName } from '../../service/catalogue/catalogue.ts'
import { type EventEnding, endingOf } from '../../service/catalogue/event-endings.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import { wholePanel } from '../../service/responses/status.ts'
import {
  type Check,
  flag,
  integer,
  list,
  record,
  text,
  textOrEmpty,
  withDefault,
  word,
} from '../../service/schema.ts'
import type { DeliveredEvent } from '../events/subscription.ts'
import type { ShownArming } from '../state/alarm-evidence.ts'
import { evidenceOf, isOfList } from '../state/state-changes.ts'

/** The source of an alarm that no event has told: the list of alarms, with the kind that it tells, or the state alone. */
export type Sign = AlarmKind | 'state'

/** An event as a part of a story: of an incident, or of an open condition. */
export interface StoryEvent {
  /** `eventKey` of the public contract. */
  readonly key: string
  readonly typeId: number | null
  /** Milliseconds since 1970 of the panel's clock; of an event without a valid time, that of its neighbor in the list. */
  readonly time: number
  /** Milliseconds since 1970 of this machine's clock at which it became known; null in notes that lack it. */
  readonly readAt: number | null
  /** True if it happened before the node began for the first time, as far as known; also in notes that lack it. */
  readonly isPast: boolean
  /** Decides between events of the same second; a later event has a higher number. */
  readonly order: number
  /** Text in the language of the account. */
  readonly what: string
  /** Number of the zone or user; 0 is the control panel. */
  readonly zone: number
  readonly zoneName: string
  readonly deviceType: string
  readonly actor: string
  /** Empty means the whole panel. */
  readonly partitions: readonly number[]
  /** The source of an alarm that no event has told yet; null for an event. */
  readonly sign: Sign | null
}

/** The check of an event in the notes of a node. */
export const storyEventCheck: Check<StoryEvent> = record({
  key: text,
  typeId: withDefault(integer, null),
  time: integer,
  readAt: withDefault(integer, null),
  isPast: withDefault(flag, true),
  order: integer,
  what: textOrEmpty,
  zone: integer,
  zoneName: textOrEmpty,
  deviceType: textOrEmpty,
  actor: textOrEmpty,
  partitions: list(integer),
  sign: withDefault(word([...alarmKinds, 'state']), null),
})

/** The dependencies of a story on the service. */
export interface StoryContext {
  readonly catalogue: Catalogue
  /** The zone of the times in the events. */
  readonly timeZone: string
  /** Milliseconds since 1970 at which the list was read. */
  readonly readAt: number
  /** The partitions that answers show armed although no event tells it. */
  readonly armings?: readonly ShownArming[]
}

/** An event of the service's list, as it was found. */
type ListedEvent = Pick<DeliveredEvent, 'event' | 'key' | 'sequence' | 'isOfFirstRun'>

/** Milliseconds that a clock can be ahead and still tell which event was first: those of time zones, at most. */
const maxAhead = day

/**
 * Returns events of the service's list as parts of a story. One without a valid time has that of the event before it in
 * the list, or else of the next one. One far in the future happened now, but after those that are known: perhaps it
 * is this machine's clock that was put back.
 * @param listed oldest first
 * @param known those that became known before
 */
export function storyEvents(
  listed: readonly ListedEvent[],
  context: StoryContext,
  known: readonly Pick<StoryEvent, 'time'>[] = [],
): StoryEvent[] {
  const { timeZone, readAt } = context
  // Another time than theirs, because each is told by its own.
  const earliest = Math.max(readAt, ...known.map((one) => one.time + 1))
  const times = listed.map(({ event }) => eventTime(event, timeZone))
  return listed.map((one, at) => {
    const time = times.slice(0, at + 1).findLast(isTime) ?? times.slice(at).find(isTime)
    const told = time === undefined ? readAt : Date.parse(time)
    return storyEvent(one, told > readAt + maxAhead ? Math.min(told, earliest) : told, context)
  })
}

function isTime(time: string | null): time is string {
  return time !== null
}

function storyEvent(
  { event, key, sequence, isOfFirstRun = false }: ListedEvent,
  time: number,
  { catalogue, readAt }: StoryContext,
): StoryEvent {
  const { zone, partitions } = event
  return {
    key,
    typeId: event.type_id,
    time,
    readAt,
    isPast: isOfFirstRun,
    order: sequence,
    what: event.description || (catalogue.get(event.type_id ?? Number.NaN)?.description ?? event.label),
    zone: zone ?? 0,
    zoneName: event.zone_name,
    deviceType: event.device_type,
    actor: event.appointment,
    partitions: partitions.includes(wholePanel) ? [] : [...partitions],
    sign: null,
  }
}

/** The part of an event in a story. */
interface Role {
  /** The events that end it; undefined if it starts nothing. */
  readonly ending: EventEnding | undefined
  /** True if it says that something is over, such as a zone that is closed again. */
  readonly isRestore: boolean
  /** True if it ends the alarms of its partitions; a code that is entered under threat disarms too. */
  readonly isDisarm: boolean
  readonly isArm: boolean
  /** True for an alarm that the panel's list of alarms shows: it puts its partitions in alarm, and is not about a device. */
  readonly isOfList: boolean
}

/** The roles by type, of each catalogue. */
const known = new WeakMap<Catalogue, Map<number | null, Role>>()

/** Returns the part of an event, by its type. */
export function roleOf({ typeId }: Pick<StoryEvent, 'typeId'>, catalogue: Catalogue): Role {
  return known.get(catalogue)?.get(typeId) ?? noteRole(typeId, catalogue)
}

function noteRole(typeId: number | null, catalogue: Catalogue): Role {
  const role = newRole(typeId, catalogue)
  known.set(catalogue, (known.get(catalogue) ?? new Map()).set(typeId, role))
  return role
}

function newRole(typeId: number | null, catalogue: Catalogue): Role {
  const type = typeId === null ? undefined : catalogue.get(typeId)
  const event = { type_id: typeId } as PanelEvent
  const evidence = evidenceOf(event, catalogue)
  const group = groupName(type?.group ?? '')
  return {
    ending: type && endingOf(type, catalogue),
    isRestore: (group === 'restore' || group === 'online') && evidence === null,
    isDisarm: evidence === 'DISARM' || evidence === 'CANCEL' || (type !== undefined && isDuress(type)),
    isArm: evidence === 'AWAY' || evidence === 'HOME',
    isOfList: isOfList(event, catalogue),
  }
}

/** Returns true if two events are about a common partition. */
export function shareAPartition(
  { partitions: some }: Pick<StoryEvent, 'partitions'>,
  { partitions: others }: Pick<StoryEvent, 'partitions'>,
): boolean {
  return some.length === 0 || others.length === 0 || some.some((id) => others.includes(id))
}

/** Returns true if two events are about the same zone, or the same device of another kind. */
export function areOfOnePlace(
  one: Pick<StoryEvent, 'zone' | 'deviceType'>,
  other: Pick<StoryEvent, 'zone' | 'deviceType'>,
): boolean {
  return one.zone === other.zone && (one.deviceType === other.deviceType || one.zone === 0)
}

/** Compares two events: below 0 if the former one happened earlier. */
export function byTime(one: StoryEvent, other: StoryEvent): number {
  // A sign has the order of the latest event that was known before it.
  return (
    one.time - other.time ||
    one.order - other.order ||
    Number(one.sign !== null) - Number(other.sign !== null)
  )
}

/** Returns true for an event that arms or disarms. */
export function isMove(event: StoryEvent, catalogue: Catalogue): boolean {
  const { isArm, isDisarm } = roleOf(event, catalogue)
  return isArm || isDisarm
}

/** Returns the latest of the moves of each partition, by time. */
export function latestMoves(moves: readonly StoryEvent[]): StoryEvent[] {
  const byPlace = [...moves]
    .sort(byTime)
    .flatMap((event) => placesOf(event).map((place) => [place, event] as const))
  return [...new Set(new Map(byPlace).values())].sort(byTime)
}

function placesOf({ partitions }: StoryEvent): number[] {
  return partitions.length === 0 ? [-1] : [...partitions]
}

/** Returns true if a partition of an event is armed at a time, as far as the arming and disarming tell. */
export function isArmedAt(
  time: number,
  event: StoryEvent,
  moves: readonly StoryEvent[],
  catalogue: Catalogue,
): boolean {
  const latest = moves.findLast(
    (other) => other.time <= time && isMove(other, catalogue) && shareAPartition(event, other),
  )
  return latest !== undefined && roleOf(latest, catalogue).isArm
}

/** Returns the latest arming of the moves that no later disarm has undone in all of the partitions. */
export function armingOf(
  moves: readonly StoryEvent[],
  partitions: readonly number[],
  catalogue: Catalogue,
): StoryEvent | undefined {
  return moves.findLast((event) => isArmed(event, moves, partitions, catalogue))
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
