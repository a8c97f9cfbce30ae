import { deviceSubtypes } from '../../service/catalogue/device-types.ts'
import type { Device, Traits } from './device.ts'
import type { PanelPlan } from './panel.ts'
import { type PartitionPlan, type StateRow, stateSet, stateSetWithNight } from './partition.ts'

const userNames = ['Anna', 'Ben', 'Chiara', 'Dmitri'] as const

/** German names by the English ones. */
const germanNames: Readonly<Record<string, string>> = {
  Home: 'Zuhause',
  'Summer house': 'Ferienhaus',
  House: 'Haus',
  Workshop: 'Werkstatt',
  Garage: 'Garage',
  'Front door': 'Haustür',
  'Kitchen window': 'Küchenfenster',
  'Master Bdrm': 'Schlafzimmer',
  'Bedroom window': 'Schlafzimmerfenster',
  'Living room': 'Wohnzimmer',
  Hallway: 'Flur',
  Landing: 'Flur oben',
  'Utility room': 'Waschküche',
  'Winter garden': 'Wintergarten',
  'Workshop door': 'Werkstatttür',
  Cellar: 'Keller',
  Keys: 'Schlüsselbund',
  Porch: 'Vordach',
  'Terrace door': 'Terrassentür',
  Garden: 'Garten',
  Attic: 'Dachboden',
}

/**
 * All simulated panels in order: houses with three partitions alternate with cottages without partitions.
 * @param locale such as `de_DE`; the names are German or English
 */
export function createSites(
  count: number,
  date: string,
  { hasNight = false, locale = 'en_US' } = {},
): PanelPlan[] {
  const states = hasNight ? stateSetWithNight : stateSet
  const plans = Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? createHouse(index / 2, date, states) : createCottage((index - 1) / 2, date, states),
  )
  return locale.startsWith('de') ? plans.map(inGerman) : plans
}

function inGerman(plan: PanelPlan): PanelPlan {
  const german = (name: string) => germanNames[name] ?? name
  return {
    ...plan,
    alias: plan.alias.replace(/^\D*[a-z]/, german),
    partitions: plan.partitions.map((partition) => ({ ...partition, name: german(partition.name) })),
    devices: plan.devices.map(({ name, traits, ...device }) => ({
      ...device,
      name: german(name),
      traits: { ...traits, ...(traits.location && { location: { name: german(traits.location.name) } }) },
    })),
  }
}

function createHouse(index: number, date: string, states: readonly StateRow[]): PanelPlan {
  return {
    serial: index === 0 ? 'A1B2C3' : `A1B2${(0xc3 + index).toString(16).toUpperCase().padStart(2, '0')}`,
    alias: index === 0 ? 'Home' : `Home ${index + 1}`,
    model: 'Simulated 64',
    users: userNames,
    partitions: [
      createPartition(1, 'House', states),
      createPartition(2, 'Workshop', states, 10),
      createPartition(3, 'Garage', states, 15),
    ],
    devices: enrollHouseDevices(828_776 + index * 1000, date),
  }
}

function createCottage(index: number, date: string, states: readonly StateRow[]): PanelPlan {
  return {
    serial: String(12_345 + index).padStart(6, '0'),
    alias: index === 0 ? 'Summer house' : `Summer house ${index + 1}`,
    model: 'Simulated 30',
    users: userNames.slice(0, 2),
    partitions: [createPartition(-1, 'ALL', states)],
    devices: enrollCottageDevices(6_148_585 + index * 1000, date),
  }
}

function createPartition(
  id: number,
  name: string,
  states: readonly StateRow[],
  entryDelay = 20,
): PartitionPlan {
  return { id, name, exitDelay: 20, entryDelay, states }
}

function enrollHouseDevices(firstId: number, date: string): readonly Device[] {
  const allPartitions = [1, 2, 3]
  const workshop = [2]
  const garage = [3]
  return new Installation(firstId, date)
    .enroll('CONTROL_PANEL', 'VENDORA_PANEL', { partitions: allPartitions })
    .enroll('POWER_LINK', 'POWER_LINK', { partitions: allPartitions })
    .enroll('ZONE', 'CONTACT_V', { zone: 'DELAY_1', at: 'Front door' })
    .enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at: 'Kitchen window', repeater: 1 })
    .enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at: 'Master Bdrm', name: 'Bedroom window' })
    .enroll('ZONE', 'FLAT_PIR_SMART', {
      zone: 'INTERIOR',
      at: 'Living room',
      temperature: 20.5,
      brightness: 15,
    })
    .enroll('ZONE', 'FLAT_PIR_SMART', {
      zone: 'INTERIOR_FOLLOW',
      at: 'Hallway',
      temperature: 19,
      brightness: 2,
    })
    .enroll('ZONE', 'S_SMOKE_AND_HEAT', { zone: 'FIRE', at: 'Landing', temperature: 21, signal: 'good' })
    .enroll('ZONE', 'FLOOD', { zone: 'FLOOD', at: 'Utility room', signal: 'poor', repeater: 1 })
    .enroll('ZONE', 'GLASS_BREAK', { zone: 'PERIMETER', at: 'Winter garden' })
    .enroll('ZONE', 'CONTACT_AUX', {
      zone: 'DELAY_1',
      at: 'Workshop',
      name: 'Workshop door',
      partitions: workshop,
    })
    .enroll('ZONE', 'RADAR_MOTION', { zone: 'INTERIOR', at: 'Workshop', prefix: '199', partitions: workshop })
    .enroll('ZONE', 'MC303_VANISH', { zone: 'DELAY_2', at: 'Garage', partitions: garage, signal: 'good' })
    .enroll('ZONE', 'TEMPERATURE', { zone: 'TEMPERATURE', at: 'Cellar', temperature: 12.5 })
    .enroll('WL_SIREN', 'OUTDOOR', { partitions: allPartitions })
    .enroll('WIRELESS_COMMANDER', 'LCD_KEYPAD', { partitions: allPartitions })
    .enroll('KEYFOB', 'KEYFOB_ARM_LED', { name: 'Keys', traits: { owner: { id: 1, name: userNames[0] } } })
    .enroll('PROXY_TAG', 'GENERIC_PROXY_TAG', { traits: { owner: { id: 2, name: userNames[1] } } })
    .enroll('REPEATER', 'BASIC_REPEATER', { partitions: allPartitions })
    .enroll('PGM', 'PGM_ON_PANEL', {
      at: 'Porch',
      partitions: [],
      traits: { parent: { id: firstId, port: 1 } },
    }).devices
}

function enrollCottageDevices(firstId: number, date: string): readonly Device[] {
  return new Installation(firstId, date)
    .enroll('CONTROL_PANEL', 'VENDORA_PANEL')
    .enroll('POWER_LINK', 'POWER_LINK')
    .enroll('ZONE', 'CONTACT', { zone: 'DELAY_1', at: 'Front door' })
    .enroll('ZONE', 'CONTACT', { zone: 'PERIMETER', at: 'Terrace door' })
    .enroll('ZONE', 'MOTION_OUTDOOR', { zone: 'OUTDOOR', at: 'Garden', temperature: 8.5, brightness: 40 })
    .enroll('ZONE', 'FLAT_PIR_SMART', { zone: 'INTERIOR', at: 'Living room', temperature: 14, brightness: 1 })
    .enroll('ZONE', 'SMOKE', { zone: 'FIRE', at: 'Attic' })
    .enroll('WL_SIREN', 'INDOOR')
    .enroll('WIRELESS_COMMANDER', 'PROXIMITY_KEYPAD')
    .enroll('KEYFOB', 'BASIC_KEYFOB', { traits: { owner: { id: 1, name: userNames[0] } } })
    .enroll('ZONE', 'MOTION_CAMERA', { zone: 'INTERIOR', at: 'Hallway', traits: { vod: {} } }).devices
}

/** The date of the stored radio survey: the same for all devices of a panel, long ago (field fact). */
const rssiSurveyDate = '2026-03-14 09:26:53'

const builtInTypes: ReadonlySet<string> = new Set(['CONTROL_PANEL', 'POWER_LINK'])

/** Properties that differ from the usual device of a type. */
interface DeviceOptions {
  zone?: string
  at?: string
  name?: string
  partitions?: readonly number[]
  prefix?: string
  signal?: string
  repeater?: number
  temperature?: number
  brightness?: number
  traits?: Traits
}

/** Enrolls devices one by one, as an installer does, and keeps the list. */
export class Installation {
  readonly devices: Device[] = []
  readonly #firstId: number
  readonly #date: string

  /** @param date time of the first measurements, `YYYY-MM-DDTHH:MM:SS` */
  constructor(firstId: number, date: string) {
    this.#firstId = firstId
    this.#date = date
  }

  /**
   * Enrolls a device: numbers are counted within the device type, ids over all (interface specification
   * 2.10).
   */
  enroll(deviceType: string, subtype: string, options: DeviceOptions = {}): this {
    const number = this.devices.filter((one) => one.device_type === deviceType).length + 1
    const prefix = options.prefix ?? deviceSubtypes.get(subtype)?.enrollment_prefix ?? ''
    const isAddOn = !builtInTypes.has(deviceType)
    const code = String(1000 + ((this.#firstId + this.devices.length * 137) % 9000))
    this.devices.push({
      id: this.#firstId + this.devices.length,
      enrollment_id: prefix !== '' ? `${prefix}-${code}` : null,
      device_number: number,
      device_type: deviceType,
      zone_type: options.zone ?? (deviceType === 'PGM' ? 'OUTPUT' : null),
      subtype,
      preenroll: false,
      warnings: null,
      partitions: options.partitions ?? [1],
      traits: this.#createTraits(deviceType, subtype, options),
      name: options.name ?? '',
      removable: isAddOn,
      renamable: isAddOn,
    })
    return this
  }

  /** Returns the traits of a device type (interface specification 2.10, "seen combinations"). */
  #createTraits(deviceType: string, subtype: string, options: DeviceOptions): Traits {
    const { zone, at, temperature, brightness } = options
    const traits: Traits = {}
    if (['ZONE', 'WL_SIREN', 'WIRELESS_COMMANDER', 'REPEATER'].includes(deviceType)) {
      const signal = options.signal ?? 'strong'
      const channel = 4 + ((this.devices.length * 7) % 18)
      traits.rssi = {
        average: signal,
        current: signal,
        channel,
        repeater: options.repeater ?? null,
        last_updated: rssiSurveyDate,
      }
    }
    if (at !== undefined) traits.location = { name: at }
    if (deviceType === 'ZONE') {
      if (zone !== 'FIRE') traits.bypass = { enabled: false }
      traits.soak = { enabled: false }
      if (!subtype.startsWith('GLASS_BREAK')) traits.rarely_used = { enabled: false }
    }
    if (temperature !== undefined) {
      traits.meteo_info = { temperature: { date: this.#date, value: temperature } }
    }
    if (brightness !== undefined) {
      traits.meteo_info = { ...traits.meteo_info, brightness: { date: this.#date, value: brightness } }
    }
    return { ...traits, ...options.traits }
  }
}
