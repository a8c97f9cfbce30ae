import type { EventMessage, EventPayload } from '../../messages/event-message.ts'
import { isControlPanel } from '../../panel/devices/device.ts'
import { type AlarmKind, alarmKindOf, kindOfCode } from '../../service/catalogue/alarm-kind.ts'

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

/**
 * Temperatures, by Contact ID without its qualifier. They are troubles that begin no incident, because nobody disarms
 * them; here they are alarms, because a freezer that thaws is worth a notification at once.
 */
const temperature = /^15[2389]$/

/** The end of an alarm by a user who disarms; the disarming that follows names nobody, or the panel. */
const cancelAlarm = '406'

/** Returns the three digits of a Contact ID without the qualifier; an empty text if there is none. */
function contactCode({ contactId }: EventPayload): string {
  return contactId?.slice(-3) ?? ''
}

/** Returns the type of an event: by its kind of alarm, then by the group of its type, its family and its Contact ID. */
export function eventTypeOf(event: EventPayload): EventType {
  const { group, label } = event
  const code = contactCode(event)
  if (label === 'DISARM') return 'disarm'
  if (label === 'ARM' && group === 'EP_OPEN_CLOSE') return 'arm'
  const kind = alarmKindOf(event)
  if (kind !== null) return kind === 'duress' || kind === 'tamper' ? kind : 'alarm'
  switch (group) {
    case 'EP_ALERT':
      return label === 'BATTERY' ? 'battery' : temperature.test(code) ? 'alarm' : 'trouble'
    case 'EP_RESTORE': {
      const ended = code === cancelAlarm ? 'alarm' : kindOfCode(code)
      if (ended === null) return 'trouble_restore'
      if (ended !== 'tamper') return 'alarm_restore'
      // The end of a communication loss has the code of a tamper too.
      return code === '383' && label === 'NONE' ? 'trouble_restore' : 'tamper_restore'
    }
    case 'EP_ONLINE':
      return 'online'
    case 'EP_OFFLINE':
      return 'offline'
    default:
      return 'other'
  }
}

/** The trigger of each kind of alarm besides `alarm`, where it has one. */
const triggerOfKind: Readonly<Partial<Record<AlarmKind, Trigger>>> = {
  fire: 'fire',
  gas: 'gas',
  flood: 'flood',
  panic: 'panic',
  // There is no trigger for it; a person called for help in both cases.
  medical: 'panic',
}

/** Returns the triggers that an event fires: `alarm` for every alarm, and its kind. */
export function triggersOf(event: EventPayload): Trigger[] {
  const type = eventTypeOf(event)
  if (type === 'duress' || type === 'tamper') return [type]
  if (type === 'trouble') return /^35\d$/.test(contactCode(event)) ? ['line'] : []
  if (type !== 'alarm') return []
  const trigger = triggerOfKind[alarmKindOf(event) ?? 'alarm']
  return trigger === undefined ? ['alarm'] : ['alarm', trigger]
}

/** The sources of events that have numbers of their own. */
const otherThanZones: ReadonlySet<string> = new Set([
  ...['USER', 'CONTROL_PANEL', 'POWER_LINK', 'IPMP', 'WL_SIREN', 'WIRELESS_COMMANDER', 'KEYFOB'],
  ...['PROXY_TAG', 'REPEATER', 'PGM'],
])

/** Returns the payload of the event entity: its type, and what Home Assistant shows as attributes. */
export function eventState({ payload, late, redelivered }: EventMessage): Record<string, unknown> {
  const { time, actor, zone, zoneName, deviceType, description, partitions, typeId, group } = payload
  // The service numbers users and devices of all types in the same field.
  const isUser = deviceType === 'USER'
  return {
    event_type: eventTypeOf(payload),
    time,
    actor,
    user: isUser ? zone : null,
    zone: otherThanZones.has(deviceType) ? null : zone,
    zone_name: isUser ? '' : zoneName,
    device_type: deviceType,
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
  // After an alarm the panel itself may report the disarming or the cancellation, and is nobody: the other one has the name.
  const isOfPanel = isDisarm && isControlPanel({ device_type: payload.deviceType })
  if (payload.actor === '' || isOfPanel || (type !== 'arm' && !isDisarm)) return undefined
  return { key, name: payload.actor }
}
