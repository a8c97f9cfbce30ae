import type { Device, Measurement } from '../service/devices.ts'
import { utcTime } from '../service/time.ts'

/** What can be read of a device, in the order in which it is reported. */
export const kinds = ['rssi', 'temperature', 'brightness', 'open', 'warnings'] as const

/** One of the kinds of reading. */
export type Kind = (typeof kinds)[number]

/** The device a reading is of (interface specification 2.10); null where the service does not say. */
export interface ReadingDevice {
  id: number
  /** Counts within the type. */
  number: number | null
  type: string
  subtype: string
  zoneType: string | null
  /** Its name, else its location, else its type and number. */
  label: string
  name: string
  location: string
  partitions: number[]
  enrollmentId: string | null
  /** Left out of arming. */
  bypassed: boolean | null
  /** In test mode: reports, but never raises an alarm. */
  soak: boolean | null
}

/** One value read of one device. */
export interface Reading {
  kind: Kind
  /** rssi: the service's word; temperature and brightness: number; open: boolean; warnings: their types. */
  value: string | number | boolean | string[]
  unit: '°C' | 'lx' | null
  /** ISO 8601 in UTC; null where the service gives no date. */
  measuredAt: string | null
  /** The service's own text for it; empty where there is none. */
  measuredAtRaw: string
  /** Of rssi: strong 3, good 2, poor 1, 1-way 0; null for any other word. */
  level?: number | null
  /** Of rssi. */
  channel?: number | null
  /** Of rssi: number of the repeater in between. */
  repeater?: number | null
  /** Of rssi: the service's word for the average. */
  average?: string | null
  device: ReadingDevice
}

/** All that can be read of the devices now, in their order; a trait that is missing gives no reading. */
export function readings(devices: readonly Device[], timeZone: string): Reading[] {
  return devices.flatMap((device) => readingsOf(device, timeZone))
}

function readingsOf(device: Device, timeZone: string): Reading[] {
  const { temperature = null, brightness = null } = device.traits.meteo_info ?? {}
  const of = readingDevice(device)
  return [
    ...rssi(device, of, timeZone),
    ...measured('temperature', '°C', temperature, of, timeZone),
    ...measured('brightness', 'lx', brightness, of, timeZone),
    ...open(device, of),
    undated('warnings', [...new Set(device.warnings.map(({ type }) => type))], of),
  ]
}

// Field fact: panels name four strengths; how a service spells them beyond `strong` has not been seen.
const levels: ReadonlyMap<string, number> = new Map([
  ['strong', 3],
  ['good', 2],
  ['poor', 1],
  ['1-way', 0],
  ['1_way', 0],
])

function rssi({ traits: { rssi } }: Device, device: ReadingDevice, timeZone: string): Reading[] {
  if (!rssi?.current) return []
  const { current, average, channel, repeater, last_updated } = rssi
  return [
    {
      kind: 'rssi',
      value: current,
      unit: null,
      measuredAt: utcTime(last_updated, timeZone),
      measuredAtRaw: last_updated,
      level: levels.get(current.trim().toLowerCase()) ?? null,
      channel,
      repeater,
      average,
      device,
    },
  ]
}

function measured(
  kind: Kind,
  unit: '°C' | 'lx',
  measurement: Measurement | null,
  device: ReadingDevice,
  timeZone: string,
): Reading[] {
  if (measurement === null) return []
  const { value, date } = measurement
  return [{ kind, value, unit, measuredAt: utcTime(date, timeZone), measuredAtRaw: date, device }]
}

/** The warning OPENED is the only sign of an open door or window that the service gives (field fact). */
function open({ device_type, warnings }: Device, device: ReadingDevice): Reading[] {
  if (device_type !== 'ZONE') return []
  return [
    undated(
      'open',
      warnings.some(({ type, in_memory }) => type === 'OPENED' && !in_memory),
      device,
    ),
  ]
}

function undated(kind: Kind, value: Reading['value'], device: ReadingDevice): Reading {
  return { kind, value, unit: null, measuredAt: null, measuredAtRaw: '', device }
}

/** Who a device is, as messages tell it. */
export function readingDevice(device: Device): ReadingDevice {
  const { id, device_number, device_type, traits } = device
  const name = device.name.trim()
  const location = traits.location?.name.trim() ?? ''
  return {
    id,
    number: device_number,
    type: device_type,
    subtype: device.subtype,
    zoneType: device.zone_type,
    // Without a number the id is better than a label that several devices share.
    label: name || location || `${device_type} ${device_number ?? `id ${id}`}`.trim(),
    name: device.name,
    location,
    partitions: device.partitions,
    enrollmentId: device.enrollment_id,
    bypassed: traits.bypass?.enabled ?? null,
    soak: traits.soak?.enabled ?? null,
  }
}
