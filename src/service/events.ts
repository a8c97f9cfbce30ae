import { type Check, flag, integer, list, or, record, text } from './check.ts'

/**
 * An entry of the panel's event list (interface specification 2.12), both shapes in one.
 *
 * `event` is null where the service gives no usable id: absent, or too large to be exact. It may also be 0,
 * which is no id either (field fact: the installer service sends 0 throughout).
 */
export interface PanelEvent {
  event: number | null
  type_id: number | null
  label: string
  description: string
  /** Name of the actor. */
  appointment: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  video: boolean
  device_type: string
  /** Zone or user number; null for the server itself, 0 for the control panel. */
  zone: number | null
  /** Shape A; services before version 10 and shape B call it `name`. */
  zone_name: string
  partitions: number[]
}

interface WireEvent extends PanelEvent {
  name: string
}

const wireEvent: Check<WireEvent> = record({
  event: or(integer, null),
  type_id: or(integer, null),
  label: or(text, ''),
  description: or(text, ''),
  appointment: or(text, ''),
  datetime: or(text, ''),
  video: or(flag, false),
  device_type: or(text, ''),
  zone: or(integer, null),
  zone_name: or(text, ''),
  name: or(text, ''),
  partitions: or(list(integer), []),
})

const panelEvent: Check<PanelEvent> = (value, tally) => {
  const checked = wireEvent(value, tally)
  if (typeof checked === 'symbol') return checked
  const { name, ...event } = checked
  if (event.zone_name === '') event.zone_name = name
  return event
}

/** The answer to GET /events (interface specification 4.8), in whatever order the service keeps it. */
export const panelEvents: Check<PanelEvent[]> = list(panelEvent)
