import type { Catalogue, EventType } from '../service/catalogue.ts'
import { bareGroup, bareLabel } from '../service/event-words.ts'
import type { PanelEvent } from '../service/events.ts'
import { concerns } from '../service/partition.ts'
import { utcTime } from '../service/time.ts'
import { type Message, message, type Source } from './source.ts'

/** What a flow wants to hear of the events; an empty list means all. */
export interface EventChoice {
  /** Profile groups, with or without `EP_`, in any case; `other` are events that the catalogue does not know. */
  groups: readonly string[]
  typeIds: readonly number[]
  /** Families of events, with or without `EL_`. */
  labels: readonly string[]
  /** Partition ids; an event that names no partition concerns them all. */
  partitions: readonly number[]
}

/** An event and what it is known by, the same for the same event for ever. */
export interface KeyedEvent {
  event: PanelEvent
  key: string
}

/** Why an event may need to be treated with care. */
export interface EventMarks {
  /** It happened while the flow was not running. */
  late?: boolean
  /** It may have been told before a crash. */
  redelivered?: boolean
}

/** What a flow is told of an event; null and empty text are what neither the event nor the catalogue says. */
export interface EventPayload {
  /** As the service says it, also 0; null where it gives none that is exact. No key: `eventKey` is. */
  id: number | null
  typeId: number | null
  /** Profile group such as `EP_ALARM`. */
  group: string | null
  /** Family such as `BURGLER`; no verdict, it stands on alarms and on their restores. */
  label: string
  description: string
  descriptionOriginal: string
  contactId: string | null
  sia: string | null
  vis: string | null
  /** Who or what caused it. */
  actor: string
  deviceType: string
  /** Zone or user number; null for the server itself, 0 for the control panel. */
  zone: number | null
  zoneName: string
  partitions: number[]
  video: boolean
  /** ISO 8601 in UTC; null where the service's text is no time. */
  time: string | null
  timeRaw: string
  /** Whether the catalogue has the type id. */
  known: boolean
}

/** One event, on the topic `<panel>/event/<group>`; `late` and `redelivered` are there only when true. */
export interface EventMessage extends Message<EventPayload> {
  eventKey: string
  late?: true
  redelivered?: true
}

/** Whether a flow wants to hear of the event; `type` is its row of the catalogue. */
export function passes(event: PanelEvent, type: EventType | undefined, choice: EventChoice): boolean {
  const { groups, typeIds, labels, partitions } = choice
  const group = groupWord(type)
  const label = labelOf(event, type).toLowerCase()
  return (
    (groups.length === 0 || groups.some((chosen) => bareGroup(chosen) === group)) &&
    (typeIds.length === 0 || (event.type_id !== null && typeIds.includes(event.type_id))) &&
    (labels.length === 0 || labels.some((chosen) => bareLabel(chosen).toLowerCase() === label)) &&
    (partitions.length === 0 || partitions.some((chosen) => concerns(event.partitions, chosen)))
  )
}

/** The message that tells a flow of the event; `timeZone` is the one in which the service writes times. */
export function eventMessage(
  { event, key }: KeyedEvent,
  catalogue: Catalogue,
  source: Source,
  timeZone: string,
  { late = false, redelivered = false }: EventMarks = {},
): EventMessage {
  const type = typeOf(event, catalogue)
  return {
    ...message(source, `event/${groupWord(type)}`, payload(event, type, timeZone)),
    eventKey: key,
    ...(late && { late }),
    ...(redelivered && { redelivered }),
  }
}

function payload(event: PanelEvent, type: EventType | undefined, timeZone: string): EventPayload {
  return {
    // The installer service sends 0 throughout: no id, and nothing to tell events apart by (field fact).
    id: event.event,
    typeId: event.type_id,
    group: type?.group ?? null,
    label: labelOf(event, type),
    description: event.description || (type?.description ?? ''),
    descriptionOriginal: type?.descriptionOriginal ?? '',
    contactId: type?.contactId || null,
    sia: type?.sia || null,
    vis: type?.vis || null,
    actor: event.appointment,
    deviceType: event.device_type,
    zone: event.zone,
    zoneName: event.zone_name,
    partitions: [...event.partitions],
    video: event.video,
    time: utcTime(event.datetime, timeZone),
    timeRaw: event.datetime,
    known: type !== undefined,
  }
}

function typeOf({ type_id }: PanelEvent, catalogue: Catalogue): EventType | undefined {
  return type_id === null ? undefined : catalogue.get(type_id)
}

function labelOf(event: PanelEvent, type: EventType | undefined): string {
  return bareLabel(event.label || (type?.label ?? ''))
}

function groupWord(type: EventType | undefined): string {
  return bareGroup(type?.group ?? '') || 'other'
}
