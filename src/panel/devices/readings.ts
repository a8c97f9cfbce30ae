import type { Device, Measurement } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'

/** The kinds of readings, in the order in which they are reported. */
export const readingKinds = [
  'rssi',
  'temperature',
  'brightness',
  'open',
  'warnings',
  'bypassed',
  'soak',
  'presence',
] as const

/** One of the kinds of reading. */
export type ReadingKind = (typeof readingKinds)[number]

/** The device of a reading (interface specification 2.10); null if the service does not say. */
export interface ReadingDevice {
  id: number
  /** The number within the type. */
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
  /** True for one that was entered in the panel but has not joined yet: it has no readings. */
  preenroll: boolean
  /** The user of a keyfob. */
  owner: { id: number; name: string } | null
  /** The device that an output (PGM) is connected to, and the port there. */
  parent: { id: number; port: number | null } | null
}

/** One value read from one device. */
export interface Reading {
  kind: ReadingKind
  /**
   * rssi: the service's word; temperature and brightness: number; warnings: their types; open, bypassed, soak and
   * presence: boolean.
   */
  value: string | number | boolean | string[]
  unit: '°C' | 'lx' | null
  /** ISO 8601 in UTC; null if the service gives no date. */
  measuredAt: string | null
  /** The service's own text for the date; empty if there is none. */
  measuredAtRaw: string
  /** Only for rssi: strong 3, good 2, poor 1, 1-way 0; null for any other word. */
  level?: number | null
  /** Only for rssi. */
  channel?: number | null
  /** Only for rssi: number of the repeater in between. */
  repeater?: number | null
  /** Only for rssi: the service's word for the average. */
  average?: string | null
  /** Only for warnings of the panel itself: true while its own faults were not read yet, so that nobody knows the value. */
  isUnread?: true
  /** Only for warnings of the panel itself: since when it reports them, in ISO 8601 in UTC, as far as the service tells. */
  since?: Record<string, string>
  device: ReadingDevice
}

/** A fault that the panel reports of itself, such as `AC_FAILURE`: no warning of a device need tell it. */
export interface PanelFault {
  /** The service's word for it. */
  type: string
  /** ISO 8601 in UTC; null if the service does not tell it. */
  since: string | null
}

/** A fault of a zone whose entry does not say that it is one: the list of devices need not tell it. */
export interface ZoneFault extends PanelFault {
  /** The number of the zone. */
  zone: number
  /** Its name, else its location; empty if the service tells neither. */
  name: string
}

/** The faults that a panel reports of itself. */
export interface PanelFaults {
  /** Also those that one list lacks: only a second one shows that they are over. */
  present: readonly PanelFault[]
  /** Faults in the same lists that have a zone and no type of device; absent without any. */
  ofZones?: readonly ZoneFault[]
  /** True once two lists agree: there is no other fault. */
  areAll: boolean
}

/** The devices of a panel. */
export interface PanelDevices {
  /** The devices of the latest list. */
  listed: readonly Device[]
  /** The devices that this list lacks, as they were last listed: only a second list shows that they are gone. */
  held: readonly Device[]
  /** The devices that the panel no longer has. */
  gone: readonly Device[]
  /** True once two lists agree: the panel has no other device than those listed and held. */
  hasAll: boolean
  /** False if the panel is offline, or if nobody knows: the list is then of the time before. */
  isCurrent: boolean
  /**
   * The faults that the panel reports of itself; null before they were read, absent if nobody wants them, or if the panel has no
   * lists of them.
   */
  faults?: PanelFaults | null
}

/**
 * Returns all current readings of the devices, in their order; a missing trait gives no reading, a device that is gone has
 * only its presence, and one that has not joined the panel yet has none.
 */
export function readings(
  { listed, gone, faults }: Pick<PanelDevices, 'listed' | 'gone' | 'faults'>,
  timeZone: string,
): Reading[] {
  return [
    ...listed.filter(hasJoined).flatMap((device) => readingsOf(device, timeZone, faults)),
    ...gone.map((device) => undated('presence', false, readingDevice(device))),
  ]
}

/** Returns true for a device that has joined the panel, not only been entered there. */
export function hasJoined({ preenroll }: Pick<Device, 'preenroll'>): boolean {
  return !preenroll
}

/** Returns true for a device that the list shows as bypassed. */
export function isBypassed({ traits }: Pick<Device, 'traits'>): boolean {
  return traits.bypass?.enabled === true
}

function readingsOf(device: Device, timeZone: string, faults: PanelDevices['faults']): Reading[] {
  const { temperature = null, brightness = null } = device.traits.meteo_info ?? {}
  const of = readingDevice(device)
  const ofPanel = faults === null ? null : (faults?.present ?? [])
  const own = device.device_type === 'CONTROL_PANEL' ? ofPanel : []
  return [
    ...rssi(device, of, timeZone),
    ...measured('temperature', '°C', temperature, of, timeZone),
    ...measured('brightness', 'lx', brightness, of, timeZone),
    ...open(device, of),
    warnings(device, own, of),
    ...flag('bypassed', of.bypassed, of),
    ...flag('soak', of.soak, of),
    undated('presence', true, of),
  ]
}

// Field fact: panels have four strengths; no spelling of a service except `strong` has been seen.
const levels: ReadonlyMap<string, number> = new Map([
  ['strong', 3],
  ['good', 2],
  ['poor', 1],
  ['1-way', 0],
  ['1_way', 0],
])

function rssi({ traits: { rssi } }: Device, device: ReadingDevice, timeZone: string): Reading[] {
  const value = rssi?.current || rssi?.average
  if (!rssi || !value) return []
  const { average, channel, repeater, last_updated } = rssi
  return [
    {
      kind: 'rssi',
      value,
      unit: null,
      measuredAt: utcTime(last_updated, timeZone),
      measuredAtRaw: last_updated,
      level: levels.get(value.trim().toLowerCase()) ?? null,
      channel,
      repeater,
      average,
      device,
    },
  ]
}

function measured(
  kind: ReadingKind,
  unit: '°C' | 'lx',
  measurement: Measurement | null,
  device: ReadingDevice,
  timeZone: string,
): Reading[] {
  if (measurement === null) return []
  const { value, date } = measurement
  return [{ kind, value, unit, measuredAt: utcTime(date, timeZone), measuredAtRaw: date, device }]
}

/** Reads the warning OPENED, the only sign of an open door or window that the service gives (field fact). */
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

/** @param own null before they were read */
function warnings(device: Device, own: readonly PanelFault[] | null, of: ReadingDevice): Reading {
  const faults = own ?? []
  const types = new Set([...device.warnings, ...faults].map(({ type }) => type))
  const since = faults.flatMap(({ type, since }) => (since === null ? [] : [[type, since]]))
  return {
    ...undated('warnings', [...types], of),
    ...(own === null && types.size === 0 && { isUnread: true as const }),
    ...(since.length > 0 && { since: Object.fromEntries(since) }),
  }
}

function flag(kind: ReadingKind, value: boolean | null, device: ReadingDevice): Reading[] {
  return value === null ? [] : [undated(kind, value, device)]
}

function undated(kind: ReadingKind, value: Reading['value'], device: ReadingDevice): Reading {
  return { kind, value, unit: null, measuredAt: null, measuredAtRaw: '', device }
}

/** Returns the device as messages describe it. */
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
    // Without a number, the id is better than a label that several devices share.
    label: name || location || `${device_type} ${device_number ?? `id ${id}`}`.trim(),
    name: device.name,
    location,
    partitions: [...device.partitions],
    enrollmentId: device.enrollment_id,
    bypassed: traits.bypass?.enabled ?? null,
    soak: traits.soak?.enabled ?? null,
    preenroll: device.preenroll,
    owner: traits.owner,
    parent: traits.parent,
  }
}

/** Warnings that are no trouble: what the device detects, and what is over and only remembered. */
const noTrouble: ReadonlySet<string> = new Set([
  ...['OPENED', 'BYPASS', 'FIRE', 'PANIC', 'EMERGENCY', 'SMOKE_OPEN', 'HEAT_OPEN', 'COLD_ALERT', 'HOT_ALERT'],
  ...['FREEZER_ALERT', 'FREEZING_ALERT'],
])

/** Warnings of a device that the panel does not hear any more. */
export const silence: ReadonlySet<string> = new Set(['INACTIVE', 'NO_ACTIVE', 'WENT_OFFLINE'])

/** Returns the types of the warnings that stand now, each once. */
export function standing({ warnings }: Device): string[] {
  const types = warnings.filter(({ in_memory, type }) => !in_memory && !type.endsWith('_MEMORY'))
  return [...new Set(types.map(({ type }) => type))].toSorted()
}

/** Returns the types of the standing warnings that are a trouble of the device. */
export function troubles(device: Device): string[] {
  return standing(device).filter(isTrouble)
}

/** Returns true for a word of the service that means a trouble: neither what a device detects, nor what is over. */
export function isTrouble(type: string): boolean {
  return !noTrouble.has(type) && !type.endsWith('_MEMORY')
}
