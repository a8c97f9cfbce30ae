import type { EventMessage, EventPayload } from '../../messages/event-message.ts'
import { noAlarms } from '../../panel/state/inferred-state.ts'

/** The types of the event entity. */
export const eventTypes = [
  'alarm',
  'alarm_restore',
  'duress',
  'tamper',
  'tamper_restore',
  'trouble',
  'trouble_restore',
  'battery',
  'arm',
  'disarm',
  'online',
  'offline',
  'other',
] as const

/** One of the types of the event entity. */
export type EventType = (typeof eventTypes)[number]

/** The device triggers; each is also the payload on their topic. */
export const triggers = ['alarm', 'duress', 'tamper', 'fire', 'gas', 'flood', 'panic', 'line'] as const

/** One of the device triggers. */
export type Trigger = (typeof triggers)[number]

/** Contact ID codes without their qualifier. */
const tamper = /^(137|144|145|383)$/
const alarm = /^(1[0-5]\d|220)$/
/** Gas, water and temperatures, which the service reports as alerts. */
const environment = /^15\d$/

/** The end of an alarm by a user who disarms; the service then reports the disarming without a name. */
const cancelAlarm = '406'

/** Returns the three digits of a Contact ID without the qualifier; an empty text if there is none. */
function contactCode({ contactId }: EventPayload): string {
  return contactId?.slice(-3) ?? ''
}

/** Returns the type of an event: by the group of its type, then by family and Contact ID. */
export function eventTypeOf(event: EventPayload): EventType {
  const { group, label, typeId } = event
  const code = contactCode(event)
  if (label === 'DISARM') return 'disarm'
  if (label === 'ARM' && group === 'EP_OPEN_CLOSE') return 'arm'
  if (typeId !== null && noAlarms.has(typeId)) return 'other'
  switch (group) {
    case 'EP_DURESS':
      return 'duress'
    case 'EP_ALARM':
      return tamper.test(code) ? 'tamper' : 'alarm'
    case 'EP_ALERT':
      return label === 'BATTERY' ? 'battery' : environment.test(code) ? 'alarm' : 'trouble'
    case 'EP_RESTORE':
      // The end of a communication loss has the code of a tamper too.
      if (tamper.test(code) && label !== 'NONE') return 'tamper_restore'
      return alarm.test(code) || code === cancelAlarm ? 'alarm_restore' : 'trouble_restore'
    case 'EP_ONLINE':
      return 'online'
    case 'EP_OFFLINE':
      return 'offline'
    default:
      return 'other'
  }
}

/** The kinds of alarm that have a trigger of their own, by Contact ID. */
const triggerOfCode: readonly (readonly [RegExp, Trigger])[] = [
  [/^11[0148]$/, 'fire'],
  [/^(151|162)$/, 'gas'],
  [/^(113|154)$/, 'flood'],
  [/^(101|120|129|133)$/, 'panic'],
]

/** Returns the triggers that an event fires: `alarm` for every alarm, and its kind. */
export function triggersOf(event: EventPayload): Trigger[] {
  const type = eventTypeOf(event)
  const code = contactCode(event)
  if (type === 'duress' || type === 'tamper') return [type]
  if (type === 'trouble') return /^35\d$/.test(code) ? ['line'] : []
  if (type !== 'alarm') return []
  const kind = triggerOfCode.find(([pattern]) => pattern.test(code))?.[1]
  return kind === undefined ? ['alarm'] : ['alarm', kind]
}

/** Returns the payload of the event entity: its type, and what Home Assistant shows as attributes. */
export function eventState({ payload, late, redelivered }: EventMessage): Record<string, unknown> {
  const { time, actor, zone, zoneName, description, partitions, typeId, group } = payload
  return {
    event_type: eventTypeOf(payload),
    time,
    actor,
    zone,
    zone_name: zoneName,
    description,
    partitions,
    type_id: typeId,
    group,
    ...(late && { late }),
    ...(redelivered && { redelivered }),
  }
}

/** Returns who armed or disarmed with an event; undefined if it tells neither. */
export function whoSet({
  payload,
}: EventMessage): { key: 'armed_by' | 'disarmed_by'; name: string } | undefined {
  const type = eventTypeOf(payload)
  const key = type === 'arm' ? 'armed_by' : 'disarmed_by'
  const isDisarm = type === 'disarm' || contactCode(payload) === cancelAlarm
  if (payload.actor === '' || (type !== 'arm' && !isDisarm)) return undefined
  return { key, name: payload.actor }
}
