import type { EventFields } from './event-log.ts'

/** One entry of `warnings` (field fact: the interface specification 2.10 shows only null). */
export interface Warning {
  type: string
  severity: string
  in_memory: boolean
}

/** A reading and the time it was taken, `YYYY-MM-DDTHH:MM:SS` in UTC. */
export interface Reading {
  date: string
  value: number
}

/** The properties of a device (interface specification 2.10); all are optional. */
export interface Traits {
  rssi?: {
    average: string
    current: string
    channel: number
    repeater: number | null
    last_updated: string
  }
  location?: { name: string }
  bypass?: { enabled: boolean }
  soak?: { enabled: boolean }
  rarely_used?: { enabled: boolean }
  meteo_info?: { temperature?: Reading; brightness?: Reading }
  parent?: { id: number; port: number }
  owner?: { id: number; name: string }
  /** Marks a detector with a camera (field fact). */
  vod?: Record<string, never>
}

/** An enrolled device in the service's format (interface specification 2.10). */
export interface Device {
  readonly id: number
  /** Null for the panel itself and its network module (field fact). */
  readonly enrollment_id: string | null
  readonly device_number: number
  readonly device_type: string
  readonly zone_type: string | null
  readonly subtype: string
  preenroll: boolean
  warnings: Warning[] | null
  readonly partitions: readonly number[]
  traits: Traits
  name: string
  readonly removable: boolean
  readonly renamable: boolean
}

/** Returns true if the device has a warning of `type`, active or in memory. */
export function hasWarning(device: Device, type: string): boolean {
  return device.warnings?.some((warning) => warning.type === type) ?? false
}

/** Sets a warning; replaces an existing one. */
export function setWarning(device: Device, type: string, remembered = false): void {
  clearWarning(device, type)
  device.warnings = [...(device.warnings ?? []), { type, severity: 'TROUBLE', in_memory: remembered }]
}

/** Removes a warning; without warnings the value is null, not an empty list. */
export function clearWarning(device: Device, type: string): void {
  const remaining = device.warnings?.filter((warning) => warning.type !== type) ?? []
  device.warnings = remaining.length > 0 ? remaining : null
}

/** Removes the warnings that are only in memory, as the next arming does. */
export function clearRememberedWarnings(device: Device): void {
  const remaining = device.warnings?.filter((warning) => !warning.in_memory) ?? []
  device.warnings = remaining.length > 0 ? remaining : null
}

/** Returns the display name of a device: its name, or its location, or its type with the number. */
export function getLabel(device: Device): string {
  return device.name || device.traits.location?.name || `${device.device_type} ${device.device_number}`
}

/** Returns the fields of an event caused by `device`. */
export function deviceSource(device: Device): Omit<EventFields, 'type_id'> {
  if (device.device_type === 'CONTROL_PANEL') return { partitions: [...device.partitions] }
  return {
    appointment: getLabel(device),
    device_type: device.device_type,
    zone: device.device_number,
    zone_name: getLabel(device),
    partitions: [...device.partitions],
  }
}

/** Returns true for a contact, which can be open; a motion detector never reports OPENED (field fact). */
export function isContact(device: Device): boolean {
  return /CONTACT|MC303|OUT_MC/.test(device.subtype)
}
