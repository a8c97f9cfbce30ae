import {
  bypassOf,
  detectsHazard,
  hazardOf,
  isOpen,
  isZone,
  standing,
  troubles,
  withBattery,
  withTamper,
} from '../../panel/devices/device.ts'
import { readingTable } from '../../panel/devices/readings.ts'
import type { Device, Measurement } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'
import { deviceObject, setTopic } from '../topics.ts'
import { configuration, diagnostic, type Entity, offAtFirst, onOff } from './component.ts'
import { zoneClass } from './device-class.ts'

/** Facts about the panel for the state of one of its devices. */
export interface DetectorFacts {
  /** True while the zone of the device is in alarm. */
  isAlarmed: boolean
  /** The zone in which the service writes times. */
  timeZone: string
}

/** An entity of a detector, siren, keypad or other device. */
interface DetectorEntity extends Entity<[Device, DetectorFacts], Device> {
  isThere(device: Device): boolean
}

/** The entities of a device, in the order in which they are announced. */
export const detectorEntities: Readonly<Record<string, DetectorEntity>> = {
  open: {
    group: 'zones',
    platform: 'binary_sensor',
    isMain: true,
    isThere: (device) => zoneClass(device) !== null,
    config: (_, device) => ({ device_class: zoneClass(device) ?? 'opening' }),
    state: (device, { isAlarmed }) =>
      onOff(hazardOf(device) ? detectsHazard(device) || isAlarmed : isOpen(device)),
  },
  tamper: fault('tamper', 'TAMPER', withTamper),
  battery: fault('battery', 'LOW_BATTERY', withBattery),
  problem: {
    group: 'zones',
    platform: 'binary_sensor',
    isThere: (device) => !withoutFaults.has(device.device_type) || otherTroubles(device).length > 0,
    config: (builder) => ({
      device_class: 'problem',
      ...diagnostic,
      ...builder.attributes('problem_attributes'),
    }),
    state: (device) => onOff(otherTroubles(device).length > 0),
    attributes: (device) => ({ problem_attributes: { warnings: otherTroubles(device) } }),
  },
  soak: {
    group: 'diagnostics',
    platform: 'binary_sensor',
    icon: 'mdi:test-tube',
    isThere: ({ traits }) => traits.soak !== null,
    config: diagnostic,
    state: ({ traits }) => onOff(traits.soak?.enabled ?? null),
  },
  temperature: measured(
    'temperature',
    readingTable.temperature,
    ({ traits }) => traits.meteo_info?.temperature,
  ),
  illuminance: measured(
    'illuminance',
    readingTable.brightness,
    ({ traits }) => traits.meteo_info?.brightness,
  ),
  signal: {
    group: 'readings',
    platform: 'sensor',
    icon: 'mdi:signal',
    isThere: ({ traits }) => traits.rssi !== null,
    config: (builder) => ({ ...diagnostic, ...offAtFirst, ...builder.attributes('signal_attributes') }),
    state: ({ traits: { rssi } }) => rssi?.current || rssi?.average || null,
    attributes: ({ traits: { rssi } }, { timeZone }) => {
      const surveyed = rssi && utcTime(rssi.last_updated, timeZone)
      return { signal_attributes: { surveyed_at: surveyed ?? null, average: rssi?.average ?? null } }
    },
  },
  bypass: {
    ...bypass('switch'),
    withCommands: true,
    // Neither a voice, nor an area, nor a scene may leave a zone out.
    config: ({ setup }, { id }) => ({
      command_topic: setTopic(setup, `${deviceObject(id)}/bypass`),
      ...configuration,
    }),
  },
  bypassed: { ...bypass('binary_sensor'), withCommands: false, config: diagnostic },
}

/** Returns the entity of a fault: devices of these types have it, and those that report it. */
function fault(deviceClass: string, type: string, types: ReadonlySet<string>): DetectorEntity {
  return {
    group: 'zones',
    platform: 'binary_sensor',
    isThere: (device) => types.has(device.device_type) || troubles(device).includes(type),
    config: { device_class: deviceClass, ...diagnostic },
    state: (device) => onOff(standing(device).includes(type)),
  }
}

function measured(
  deviceClass: string,
  { unit }: { unit?: string | null },
  of: (device: Device) => Measurement | null | undefined,
): DetectorEntity {
  return {
    group: 'readings',
    platform: 'sensor',
    isThere: (device) => of(device) != null,
    config: { device_class: deviceClass, unit_of_measurement: unit, state_class: 'measurement' },
    state: (device) => of(device)?.value ?? null,
  }
}

function bypass(platform: 'switch' | 'binary_sensor'): DetectorEntity {
  return {
    group: 'bypass',
    platform,
    icon: 'mdi:shield-off-outline',
    isThere: (device) => isZone(device) && device.traits.bypass !== null,
    state: (device) => onOff(bypassOf(device)),
  }
}

/** The types of devices that report no fault but a low battery; one of a type that nobody knows can report any. */
const withoutFaults: ReadonlySet<string> = new Set(['KEYFOB', 'PROXY_TAG', 'PGM'])

/** Returns the troubles that have no entity of their own. */
function otherTroubles(device: Device): string[] {
  return troubles(device).filter((type) => type !== 'TAMPER' && type !== 'LOW_BATTERY')
}
