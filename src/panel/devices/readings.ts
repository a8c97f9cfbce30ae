import type { Device, Measurement } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'
import { hasJoined, isControlPanel, isOpen, isZone, type ReadingDevice, readingDevice } from './device.ts'

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

function readingsOf(device: Device, timeZone: string, faults: PanelDevices['faults']): Reading[] {
  const { temperature = null, brightness = null } = device.traits.meteo_info ?? {}
  const of = readingDevice(device)
  const ofPanel = faults === null ? null : (faults?.present ?? [])
  const own = isControlPanel(device) ? ofPanel : []
  return [
    ...rssi(device, of, timeZone),
    ...measured('temperature', '°C', temperature, of, timeZone),
    ...measured('brightness', 'lx', brightness, of, timeZone),
    ...(isZone(device) ? [undated('open', isOpen(device), of)] : []),
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
