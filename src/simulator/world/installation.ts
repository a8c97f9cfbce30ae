import { deviceSubtypes } from '../../service/catalogue/device-subtypes.ts'
import type { Device, Traits } from './device.ts'

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
