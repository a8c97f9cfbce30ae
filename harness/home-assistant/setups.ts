import { entityGroups, type Setup } from '../../src/home-assistant/setup.ts'
import { deviceSubtypes, deviceTypes, zoneTypes } from '../../src/service/catalogue/device-types.ts'
import { type Device, noTraits, type Traits } from '../../src/service/responses/devices.ts'

/** Returns a setup with all groups of entities and commands. */
export function setupOf(changes: Partial<Setup> = {}): Setup {
  return {
    prefix: 'homeassistant',
    base: 'keyholder',
    form: 'device',
    groups: new Set(entityGroups),
    code: 'none',
    instantNight: false,
    openZones: 'refuse',
    serial: 'A1B2C3',
    keeper: 'here/bridge',
    allowsCommands: true,
    version: '1.2.3',
    nameOf: (text) => text,
    ...changes,
  }
}

const allTraits: Traits = {
  ...noTraits,
  rssi: {
    current: 'strong',
    average: 'good',
    channel: 4,
    repeater: null,
    last_updated: '2026-03-14 09:26:53',
  },
  location: { name: 'Hall' },
  bypass: { enabled: false },
  soak: { enabled: false },
  meteo_info: {
    temperature: { date: '2026-03-14T09:26:53', value: 20.5 },
    brightness: { date: '2026-03-14T09:26:53', value: 15 },
  },
}

/** Returns a zone with all traits. */
export function zoneOf(id: number, changes: Partial<Device> = {}): Device {
  return {
    id,
    enrollment_id: `100-${id}`,
    device_number: id,
    device_type: 'ZONE',
    zone_type: 'PERIMETER',
    subtype: 'CONTACT',
    preenroll: false,
    warnings: [],
    partitions: [1],
    traits: allTraits,
    name: `Zone ${id}`,
    removable: true,
    renamable: true,
    ...changes,
  }
}

/** Returns a warning that stands, or that is only remembered. */
export function warningOf(type: string, in_memory = false): Device['warnings'][number] {
  return { type, severity: 'TROUBLE', in_memory }
}

/** One device of each subtype and of each zone type, of a type that nobody knows, and of each kind that is no zone. */
export const everyDevice: readonly Device[] = [
  ...[...deviceSubtypes.keys(), 'SOMETHING_NEW'].map((subtype) => ({ subtype })),
  ...zoneTypes.map((zone_type) => ({ zone_type })),
  ...[...deviceTypes, 'PENDANT', 'GUARD_KEYBOX', 'GSM', 'SOMETHING_NEW'].map((device_type) => ({
    ...{ device_type, zone_type: null },
  })),
].map((changes, index) => zoneOf(index + 1, changes))
