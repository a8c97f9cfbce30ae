import type { EventGlimpse } from '../panel/events/event-history.ts'
import type { DeliveredEvent, Gap } from '../panel/events/subscription.ts'
import type { Source } from '../panel/snapshot.ts'
import {
  type Catalogue,
  codeOrNull,
  type EventType,
  groupName,
  stripLabelPrefix,
} from '../service/catalogue/catalogue.ts'
import { type Delivery, eventTime, type PanelEvent } from '../service/responses/events.ts'
import { concerns } from '../service/responses/status.ts'
import { utcTime } from '../service/time.ts'
import { type Message, message } from './message.ts'

/** The events that a flow wants to receive; an empty list means all. */
export interface EventFilter {
  /**
   * Profile groups, with or without `EP_`, in any case; `other` means events that the catalogue does not
   * have.
   */
  groups: readonly string[]
  typeIds: readonly number[]
  /** Event families, with or without `EL_`. */
  labels: readonly string[]
  /** Partition ids; an event that names no partition concerns all of them. */
  partitions: readonly number[]
}

/**
 * The payload for an event; null and empty text mean that neither the event nor the catalogue has a value.
 */
export interface EventPayload {
  /** The service's id, even if it is 0; null if the service gives no exact one. Not a key: use `eventKey`. */
  id: number | null
  typeId: number | null
  /** Profile group such as `EP_ALARM`. */
  group: string | null
  /**
   * Family such as `BURGLER`. Alarms and their restores have the same family, so it does not prove an alarm.
   */
  label: string
  description: string
  descriptionOriginal: string
  /** All digits of the service: 3, or 4 with the qualifier. */
  contactId: string | null
  /** True if the qualifier of `contactId` is 3: a restore, and for opening and closing, that it was armed. */
  restore: boolean
  sia: string | null
  vis: string | null
  /** The person or thing that caused the event. */
  actor: string
  deviceType: string
  /** Zone or user number; null for the server itself, 0 for the control panel. */
  zone: number | null
  zoneName: string
  partitions: number[]
  video: boolean
  /** ISO 8601 in UTC; null if the service's text is not a valid time. */
  time: string | null
  timeRaw: string
  /** True if the catalogue has the type id. */
  known: boolean
  /** The counters of forwarding the event; only a service with events of shape B has them. */
  delivery?: Delivery
}

/** One event, on the topic `<panel>/event/<group>`; `late` and `redelivered` are present only when true. */
export interface EventMessage extends Message<EventPayload> {
  eventKey: string
  late?: true
  redelivered?: true
}

/** Returns true if the flow wants to receive the event; `type` is its row of the catalogue. */
export function matches(event: PanelEvent, type: EventType | undefined, choice: EventFilter): boolean {
  const { groups, typeIds, labels, partitions } = choice
  const group = groupWord(type)
  const label = labelOf(event, type).toLowerCase()
  return (
    (groups.length === 0 || groups.some((chosen) => groupName(chosen) === group)) &&
    (typeIds.length === 0 || (event.type_id !== null && typeIds.includes(event.type_id))) &&
    (labels.length === 0 || labels.some((chosen) => stripLabelPrefix(chosen).toLowerCase() === label)) &&
    (partitions.length === 0 || partitions.some((chosen) => concerns(event.partitions, chosen)))
  )
}

/** Builds the message for an event; `timeZone` is the one in which the service writes times. */
export function eventMessage(
  { event, key }: Pick<DeliveredEvent, 'event' | 'key'>,
  catalogue: Catalogue,
  source: Source,
  timeZone: string,
  { late = false, redelivered = false }: Partial<Pick<DeliveredEvent, 'late' | 'redelivered'>> = {},
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
    // The installer service always sends 0: this is not an id and cannot tell events apart (field fact).
    id: event.event,
    typeId: event.type_id,
    group: type?.group ?? null,
    label: labelOf(event, type),
    description: event.description || (type?.description ?? ''),
    descriptionOriginal: type?.descriptionOriginal ?? '',
    contactId: codeOrNull(type?.contactId),
    restore: /^3\d{3}$/.test(type?.contactId ?? ''),
    sia: codeOrNull(type?.sia),
    vis: type?.vis || null,
    actor: event.appointment,
    deviceType: event.device_type,
    zone: event.zone,
    zoneName: event.zone_name,
    partitions: [...event.partitions],
    video: event.video,
    time: eventTime(event, timeZone),
    timeRaw: event.datetime,
    known: type !== undefined,
    ...(event.delivery && { delivery: { ...event.delivery } }),
  }
}

function typeOf({ type_id }: PanelEvent, catalogue: Catalogue): EventType | undefined {
  return type_id === null ? undefined : catalogue.get(type_id)
}

function labelOf(event: PanelEvent, type: EventType | undefined): string {
  return stripLabelPrefix(event.label || (type?.label ?? ''))
}

function groupWord(type: EventType | undefined): string {
  return groupName(type?.group ?? '') || 'other'
}

/** An edge of a gap as messages contain it. */
export interface GapEvent {
  id: number | null
  typeId: number | null
  /** ISO 8601 in UTC; null if the service's text is not a valid time. */
  time: string | null
  timeRaw: string
}

/** Builds the message for a gap, on the topic `<panel>/gap`. */
export function gapMessage(
  { lastKnown, oldestShown }: Gap,
  source: Source,
  timeZone: string,
): Message<{ lastKnown: GapEvent | null; oldestShown: GapEvent | null }> {
  return message(source, 'gap', {
    lastKnown: gapEvent(lastKnown, timeZone),
    oldestShown: gapEvent(oldestShown, timeZone),
  })
}

function gapEvent(edge: EventGlimpse | null, timeZone: string): GapEvent | null {
  if (edge === null) return null
  return { id: edge.id || null, typeId: edge.typeId, time: utcTime(edge.time, timeZone), timeRaw: edge.time }
}
