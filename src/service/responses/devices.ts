import { deviceSubtypes } from '../catalogue/device-types.ts'
import {
  type Check,
  capitals,
  capitalsOrEmpty,
  capitalsOrNull,
  type DropCount,
  fastRecord,
  flag,
  flagOrFalse,
  flagOrNull,
  id,
  idOrNull,
  integer,
  integerOrNull,
  invalid,
  isObject,
  list,
  number,
  partitionId,
  record,
  text,
  textOrEmpty,
  textOrNull,
  withDefault,
} from '../schema.ts'
import { shared, sharedInARow, sharedObject } from '../shared-values.ts'

/** A device's trouble or condition. Field fact: the interface specification shows warnings only as null. */
export interface Warning {
  /** For example `OPENED`, `LOW_BATTERY`, `TAMPER`, `1_WAY`; an open set. */
  type: string
  severity: string
  /** True if the condition is over and only remembered. */
  in_memory: boolean
}

/** Signal strength of a device: from the panel's last survey, often months old (field fact), not live. */
export interface Rssi {
  /** `strong`, or another word (field fact: good, poor and 1-way are expected); null if it is missing. */
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

/** A trait that is on or off. */
type Switch = Readonly<{ enabled: boolean }>

/** The known traits of a device; null for a trait that the device does not have. */
export interface Traits {
  rssi: Rssi | null
  location: Readonly<{ name: string }> | null
  bypass: Switch | null
  soak: Switch | null
  rarely_used: Switch | null
  meteo_info: { brightness: Measurement | null; temperature: Measurement | null } | null
  parent: { id: number; port: number | null } | null
  owner: { id: number; name: string } | null
}

/** A device enrolled in the panel (interface specification 2.10). */
export interface Device {
  /** The id, which never changes for a device (field fact). */
  id: number
  /** `120-0001`; null for the control panel and its modules (field fact). */
  enrollment_id: string | null
  /** Number within the device type, so it is unique only together with the type. */
  device_number: number | null
  device_type: string
  zone_type: string | null
  /** An open set: services use subtypes that are in no list. */
  subtype: string
  preenroll: boolean
  /** Empty also if the service sends null. */
  warnings: Warning[]
  /** Ids; a list that devices share. */
  partitions: readonly number[]
  traits: Traits
  name: string
  removable: boolean
  renamable: boolean
}

/** An open set: one that nobody knows stays as it is. */
const subtypeOrEmpty = shared((value, tally) => {
  const word = textOrEmpty(value, tally)
  const known = word.toUpperCase()
  return deviceSubtypes.has(known) ? known : word
})
const surveyTimeOrEmpty = sharedInARow(textOrEmpty)
const dateOrEmpty = sharedInARow(textOrEmpty)
const none: readonly number[] = Object.freeze([])
const sharedIntegers = withDefault(
  // Most lists have one id, and no text need be made of it.
  sharedObject(list(partitionId), (ids) => (ids.length === 1 ? ids[0] : ids.join())),
  none,
)

const warning: Check<Warning> = fastRecord((wire, tally) => {
  const type = capitals(wire.type, tally)
  if (type === invalid) return invalid
  return {
    type,
    severity: textOrEmpty(wire.severity, tally),
    in_memory: flagOrFalse(wire.in_memory, tally),
  }
})

const rssi: Check<Rssi> = fastRecord((wire, tally) => ({
  current: textOrNull(wire.current, tally),
  average: textOrNull(wire.average, tally),
  channel: integerOrNull(wire.channel, tally),
  repeater: integerOrNull(wire.repeater, tally),
  last_updated: surveyTimeOrEmpty(wire.last_updated, tally),
}))

const measurement: Check<Measurement> = fastRecord((wire, tally) => {
  const value = number(wire.value, tally)
  return value === invalid ? invalid : { date: dateOrEmpty(wire.date, tally), value }
})

const warningsOrNone = withDefault(list(warning), [])
const rssiOrNull = withDefault(rssi, null)
const measurementOrNull = withDefault(measurement, null)
const location = fastRecord((wire, tally) => {
  const name = text(wire.name, tally)
  return name === invalid ? invalid : { name }
})
const locationOrNull = withDefault(
  sharedObject(location, ({ name }) => name),
  null,
)
/** Shared objects for both values, because each device has three switches and keeps them for days. */
const on: Switch = Object.freeze({ enabled: true })
const off: Switch = Object.freeze({ enabled: false })

const switchOrNull = (value: unknown, tally: DropCount): Switch | null => {
  const isEnabled = isObject(value) ? flag(value.enabled, tally) : invalid
  if (isEnabled === invalid) return null
  return isEnabled ? on : off
}
const meteoOrNull = withDefault(
  fastRecord((wire, tally) => ({
    brightness: measurementOrNull(wire.brightness, tally),
    temperature: measurementOrNull(wire.temperature, tally),
  })),
  null,
)
const parentOrNull = withDefault(record({ id, port: integerOrNull }), null)
const ownerOrNull = withDefault(record({ id, name: textOrEmpty }), null)

// Field fact: a panel that is offline lists its devices without any traits.
function traits(value: unknown, tally: DropCount): Traits {
  const wire = isObject(value) ? value : {}
  return {
    rssi: rssiOrNull(wire.rssi, tally),
    location: locationOrNull(wire.location, tally),
    bypass: switchOrNull(wire.bypass, tally),
    soak: switchOrNull(wire.soak, tally),
    rarely_used: switchOrNull(wire.rarely_used, tally),
    meteo_info: meteoOrNull(wire.meteo_info, tally),
    parent: parentOrNull(wire.parent, tally),
    owner: ownerOrNull(wire.owner, tally),
  }
}

/** The traits of a device that has none. */
export const noTraits: Traits = Object.freeze(traits(undefined, { dropped: 0 }))

const panelDevice: Check<Device> = fastRecord((wire, tally) => {
  const own = id(wire.id, tally)
  if (own === invalid) return invalid
  return {
    id: own,
    enrollment_id: textOrNull(wire.enrollment_id, tally),
    device_number: idOrNull(wire.device_number, tally),
    device_type: capitalsOrEmpty(wire.device_type, tally),
    zone_type: capitalsOrNull(wire.zone_type, tally),
    subtype: subtypeOrEmpty(wire.subtype, tally),
    preenroll: flagOrFalse(wire.preenroll, tally),
    warnings: warningsOrNone(wire.warnings, tally),
    partitions: sharedIntegers(wire.partitions, tally),
    traits: traits(wire.traits, tally),
    name: textOrEmpty(wire.name, tally),
    removable: flagOrFalse(wire.removable, tally),
    renamable: flagOrFalse(wire.renamable, tally),
  }
})

/** The maximum length of the list. The largest panels have fewer than 300 devices. */
const maxDevices = 500

/** The answer to GET /devices (interface specification 4.6). */
export const devices: Check<Device[]> = list(panelDevice, maxDevices)

/** A location of devices. Field fact: the interface specification does not name the operation. */
export interface PanelLocation {
  hel_id: number
  name: string
  /** True if the user can rename it; null if the service leaves it out. */
  is_editable: boolean | null
}

const panelLocation: Check<PanelLocation> = record({
  hel_id: integer,
  name: textOrEmpty,
  is_editable: flagOrNull,
})

/** The answer to GET /locations (field fact). */
export const locations: Check<PanelLocation[]> = list(panelLocation)
