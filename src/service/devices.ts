import { type Check, flag, integer, list, number, or, record, text } from './check.ts'

/** A trouble or condition of a device. Field fact: the interface specification shows warnings only as null. */
export interface Warning {
  /** For example `OPENED`, `LOW_BATTERY`, `TAMPER`, `1_WAY`; an open set. */
  type: string
  severity: string
  /** True when the condition is over and only remembered. */
  in_memory: boolean
}

/** Signal strength of a device: the panel's last survey, often months old (field fact), not a live value. */
export interface Rssi {
  /** `strong`, or another word (field fact: good, poor and 1-way are expected); null where it is missing. */
  current: string | null
  average: string | null
  channel: number | null
  repeater: number | null
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  last_updated: string
}

/** One measured value with its own date. */
export interface Measurement {
  /** `YYYY-MM-DDTHH:MM:SS` without a zone. */
  date: string
  /** Field fact: temperature in degrees Celsius, brightness in lux. */
  value: number
}

/** What is known of a device beyond its identity; null is a trait that it does not show. */
export interface Traits {
  rssi: Rssi | null
  location: { name: string } | null
  bypass: { enabled: boolean } | null
  soak: { enabled: boolean } | null
  rarely_used: { enabled: boolean } | null
  meteo_info: { brightness: Measurement | null; temperature: Measurement | null } | null
  parent: { id: number; port: number | null } | null
  owner: { id: number; name: string } | null
}

/** A device enrolled in the panel (interface specification 2.10). */
export interface Device {
  /** The same for the same device for ever (field fact). */
  id: number
  /** `120-0001`; null for the control panel and its modules (field fact). */
  enrollment_id: string | null
  /** Counts within the device type, so it is unique only together with it. */
  device_number: number | null
  device_type: string
  zone_type: string | null
  /** An open set: services name subtypes that no list has. */
  subtype: string
  preenroll: boolean
  /** Empty also where the service says null. */
  warnings: Warning[]
  partitions: number[]
  traits: Traits
  name: string
  removable: boolean
  renamable: boolean
}

const enabled = or(record({ enabled: flag }), null)
const measurement = or(record({ date: or(text, ''), value: number }), null)

const warning: Check<Warning> = record({
  type: text,
  severity: or(text, ''),
  in_memory: or(flag, false),
})

const rssi: Check<Rssi> = record({
  current: or(text, null),
  average: or(text, null),
  channel: or(integer, null),
  repeater: or(integer, null),
  last_updated: or(text, ''),
})

const knownTraits: Check<Traits> = record({
  rssi: or(rssi, null),
  location: or(record({ name: text }), null),
  bypass: enabled,
  soak: enabled,
  rarely_used: enabled,
  meteo_info: or(record({ brightness: measurement, temperature: measurement }), null),
  parent: or(record({ id: integer, port: or(integer, null) }), null),
  owner: or(record({ id: integer, name: or(text, '') }), null),
})

// Field fact: a panel that is offline shows its devices with no traits at all.
const traits: Check<Traits> = (value, tally) => {
  const known = knownTraits(value, tally)
  return typeof known === 'symbol' ? knownTraits({}, tally) : known
}

const panelDevice: Check<Device> = record({
  id: integer,
  enrollment_id: or(text, null),
  device_number: or(integer, null),
  device_type: or(text, ''),
  zone_type: or(text, null),
  subtype: or(text, ''),
  preenroll: or(flag, false),
  warnings: or(list(warning), []),
  partitions: or(list(integer), []),
  traits,
  name: or(text, ''),
  removable: or(flag, false),
  renamable: or(flag, false),
})

/** The answer to GET /devices (interface specification 4.6). */
export const devices: Check<Device[]> = list(panelDevice)
