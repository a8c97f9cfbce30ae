import type { Device, Measurement } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'
import {
  bypassOf,
  hasJoined,
  isControlPanel,
  isOpen,
  isZone,
  type ReadingDevice,
  readingDevice,
} from './device.ts'

/** One of the kinds of reading. */
export type ReadingKind =
  | 'rssi'
  | 'temperature'
  | 'brightness'
  | 'open'
  | 'warnings'
  | 'bypassed'
  | 'soak'
  | 'presence'

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

/** The reading of one kind that a device shows; without a date unless it says otherwise. */
type Shown = Pick<Reading, 'value'> & Partial<Omit<Reading, 'kind' | 'unit' | 'device'>>

/** The properties of all readings of a kind. */
interface ReadingRow {
  unit?: Reading['unit']
  /** The form of their sum in the status of a node; absent if the status has none. */
  summary?: 'open' | 'range' | 'warnings'
  /** Returns what a device shows; null if it has no such reading. */
  read(device: Device, timeZone: string, faults: PanelDevices['faults']): Shown | null
}

/** The kinds of readings, in the order in which they are reported. */
export const readingTable: Readonly<Record<ReadingKind, ReadingRow>> = {
  rssi: { read: signal },
  temperature: {
    unit: '°C',
    summary: 'range',
    read: ({ traits }, timeZone) => measured(traits.meteo_info?.temperature, timeZone),
  },
  brightness: {
    unit: 'lx',
    summary: 'range',
    read: ({ traits }, timeZone) => measured(traits.meteo_info?.brightness, timeZone),
  },
  open: { summary: 'open', read: (device) => flag(isZone(device) ? isOpen(device) : null) },
  warnings: { summary: 'warnings', read: (device, _, faults) => warnings(device, faults) },
  bypassed: { read: (device) => flag(bypassOf(device)) },
  soak: { read: ({ traits }) => flag(traits.soak?.enabled) },
  presence: { read: () => flag(true) },
}

/** All kinds, in the order in which they are reported. */
export const readingKinds = Object.keys(readingTable) as ReadingKind[]

/**
 * Returns all current readings of the devices, in their order; a missing trait gives no reading, a device that is gone has
 * only its presence, and one that has not joined the panel yet has none.
 */
export function readings(
  { listed, gone, faults }: Pick<PanelDevices, 'listed' | 'gone' | 'faults'>,
  timeZone: string,
): Reading[] {
  const all: Reading[] = []
  for (const device of listed.filter(hasJoined)) {
    const of = readingDevice(device)
    for (const kind of readingKinds) {
      const shown = readingTable[kind].read(device, timeZone, faults)
      if (shown !== null) all.push(readingOf(kind, shown, of))
    }
  }
  for (const device of gone) all.push(readingOf('presence', { value: false }, readingDevice(device)))
  return all
}

function readingOf(kind: ReadingKind, shown: Shown, device: ReadingDevice): Reading {
  const { unit = null } = readingTable[kind]
  // The value stays in its place, before the unit.
  const dated: Partial<Shown> = shown
  return { kind, value: shown.value, unit, measuredAt: null, measuredAtRaw: '', ...dated, device }
}

// Field fact: panels have four strengths; no spelling of a service except `strong` has been seen.
const levels: ReadonlyMap<string, number> = new Map([
  ['strong', 3],
  ['good', 2],
  ['poor', 1],
  ['1-way', 0],
  ['1_way', 0],
])

function signal({ traits: { rssi } }: Device, timeZone: string): Shown | null {
  const value = rssi?.current || rssi?.average
  if (!rssi || !value) return null
  const { average, channel, repeater, last_updated } = rssi
  return {
    value,
    measuredAt: utcTime(last_updated, timeZone),
    measuredAtRaw: last_updated,
    level: levels.get(value.trim().toLowerCase()) ?? null,
    channel,
    repeater,
    average,
  }
}

function measured(measurement: Measurement | null | undefined, timeZone: string): Shown | null {
  if (!measurement) return null
  const { value, date } = measurement
  return { value, measuredAt: utcTime(date, timeZone), measuredAtRaw: date }
}

/** @param faults of the panel itself; null before they were read */
function warnings(device: Device, faults: PanelDevices['faults']): Shown {
  const isUnread = isControlPanel(device) && faults === null
  const own = isControlPanel(device) ? (faults?.present ?? []) : []
  const types = new Set([...device.warnings, ...own].map(({ type }) => type))
  const since = own.flatMap(({ type, since }) => (since === null ? [] : [[type, since]]))
  return {
    value: [...types],
    ...(isUnread && types.size === 0 && { isUnread: true as const }),
    ...(since.length > 0 && { since: Object.fromEntries(since) }),
  }
}

function flag(value: boolean | null | undefined): Shown | null {
  return value == null ? null : { value }
}
