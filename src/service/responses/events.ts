import {
  type Check,
  capitalsOrEmpty,
  fastRecord,
  flagOrFalse,
  idOrNull,
  integer,
  integerOrNull,
  list,
  partitionIds,
  textOrEmpty,
  withDefault,
} from '../schema.ts'
import { utcTime } from '../time.ts'

/** The five counters of forwarding an event, done or still to be done (interface specification 6.2). */
export interface Delivery {
  queue: number
  success: number
  failed: number
  retry: number
  processing: number
}

/**
 * An entry of the panel's event list (interface specification 2.12). The type covers both shapes.
 *
 * `event` is null if the service sends no usable id: absent, or too large to be exact. It can also be 0,
 * which is not an id either (field fact: the installer service always sends 0).
 */
export interface PanelEvent {
  event: number | null
  /** Key in the event-type catalogue (interface specification 6.3). */
  type_id: number | null
  /** Event family, such as `ARM`, `BURGLER` or `OFFLINE`; an open set. It does not classify the event. */
  label: string
  description: string
  /** Name of the actor. */
  appointment: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  video: boolean
  /** `IPMP` for the server itself; `USER`, `CONTROL_PANEL` and others. */
  device_type: string
  /** Zone or user number; null for the server itself, 0 for the control panel. */
  zone: number | null
  /** Shape A; services before version 10 and shape B call it `name`. */
  zone_name: string
  /** Empty or containing -1 means the whole panel. */
  partitions: number[]
  /** Shape B only. */
  delivery?: Delivery
  /** Ours: present if `datetime` was shown twice, because the clocks were put back, and the second time is meant. */
  isRepeatedTime?: true
}

/** Returns the time of an event, ISO 8601 in UTC; null if the service's text is not a valid time. */
export function eventTime({ datetime, isRepeatedTime }: PanelEvent, timeZone: string): string | null {
  return utcTime(datetime, timeZone, isRepeatedTime)
}

const count = withDefault(integer, 0)

const delivery: Check<Delivery> = fastRecord((wire, tally) => ({
  queue: count(wire.queue, tally),
  success: count(wire.success, tally),
  failed: count(wire.failed, tally),
  retry: count(wire.retry, tally),
  processing: count(wire.processing, tally),
}))

const forwarded = withDefault(delivery, undefined)

const panelEvent: Check<PanelEvent> = fastRecord((wire, tally) => {
  const event: PanelEvent = {
    event: idOrNull(wire.event, tally),
    type_id: idOrNull(wire.type_id, tally),
    label: textOrEmpty(wire.label, tally),
    description: textOrEmpty(wire.description, tally),
    appointment: textOrEmpty(wire.appointment, tally),
    datetime: textOrEmpty(wire.datetime, tally),
    video: flagOrFalse(wire.video, tally),
    device_type: capitalsOrEmpty(wire.device_type, tally),
    zone: idOrNull(wire.zone, tally),
    zone_name: textOrEmpty(wire.zone_name, tally) || textOrEmpty(wire.name, tally),
    partitions: partitionIds(wire.partitions, tally),
  }
  const counters = forwarded(wire.delivery, tally)
  if (counters !== undefined) event.delivery = counters
  return event
})

/** No answer has room for more complete events; a longer list can only have incomplete ones. */
const maxEvents = 4000

/** The answer to GET /events (interface specification 4.8), in the order of the service, which can be any. */
export const panelEvents: Check<PanelEvent[]> = list(panelEvent, maxEvents)

/**
 * An entry of the panel's own log (interface specification 2.11); the known examples have the newest entry
 * first.
 */
export interface LogEntry {
  /** The `code_vis` of the matching event type (6.1), so several entries can have the same id. */
  id: number | null
  /** Source, such as the control panel or a numbered user. */
  location: string
  description: string
  /** Number of the partition as text, or empty. */
  partition: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  time: string
}

const logEntry: Check<LogEntry> = fastRecord((wire, tally) => ({
  id: integerOrNull(wire.id, tally),
  location: textOrEmpty(wire.location, tally),
  description: textOrEmpty(wire.description, tally),
  partition: textOrEmpty(wire.partition, tally),
  time: textOrEmpty(wire.time, tally),
}))

/** The answer to GET /standard_log (interface specification 4.7). */
export const standardLog: Check<LogEntry[]> = list(logEntry)
