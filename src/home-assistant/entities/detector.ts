import {
  bypassOf,
  detectsHazard,
  hazardOf,
  isOpen,
  isZone,
  readingDevice,
  standing,
  troubles,
  withBattery,
  withTamper,
} from '../../panel/devices/device.ts'
import type { Device } from '../../service/responses/devices.ts'
import { utcTime } from '../../service/time.ts'
import type { EntityGroup, EntityText, Setup } from '../setup.ts'
import { deviceObject, identifierOf, panelObject, setTopic } from '../topics.ts'
import {
  type AnnouncedDevice,
  type Component,
  ComponentBuilder,
  configuration,
  diagnostic,
  type EntityState,
  offAtFirst,
  onOff,
} from './component.ts'
import { zoneClass } from './device-class.ts'
import type { PanelIdentity } from './panel-entities.ts'

/** Facts about the panel for the state of one of its devices. */
interface DetectorFacts {
  /** True while the zone of the device is in alarm. */
  isAlarmed: boolean
  /** The zone in which the service writes times. */
  timeZone: string
}

type Key =
  | 'open'
  | 'tamper'
  | 'battery'
  | 'problem'
  | 'soak'
  | 'temperature'
  | 'illuminance'
  | 'signal'
  | 'bypass'
  | 'bypassed'

const groupOf: Record<Key, EntityGroup> = {
  open: 'zones',
  tamper: 'zones',
  battery: 'zones',
  problem: 'zones',
  soak: 'diagnostics',
  temperature: 'readings',
  illuminance: 'readings',
  signal: 'readings',
  bypass: 'bypass',
  bypassed: 'bypass',
}

const keys = Object.keys(groupOf) as Key[]

function isWanted({ groups, allowsCommands }: Setup, key: Key): boolean {
  return groups.has(groupOf[key]) && key !== (allowsCommands ? 'bypassed' : 'bypass')
}

/** Returns true if the setup has at least one of these entities of a device. */
export function isAnyWanted(setup: Setup, known: readonly string[]): boolean {
  return keys.some((key) => known.includes(key) && isWanted(setup, key))
}

/** The word for each type of device that has neither a name nor a location. */
const words: ReadonlyMap<string, EntityText> = new Map([
  ['ZONE', 'zone'],
  ['WL_SIREN', 'siren'],
  ['WIRELESS_COMMANDER', 'keypad'],
  ['KEYFOB', 'keyfob'],
  ['PROXY_TAG', 'tag'],
  ['REPEATER', 'repeater'],
  ['PGM', 'output'],
])

/** Returns the name of a device, or else its location, or else a word for its type and its number. */
export function nameOfDevice({ nameOf }: Pick<Setup, 'nameOf'>, device: Device): string {
  const { label, name, location, number } = readingDevice(device)
  const word = words.get(device.device_type)
  if (name || location || word === undefined || number === null) return label
  return nameOf(word, { id: `${number}` })
}

/** The parts of subtypes that stay in capitals. */
const abbreviations = /^(PIR|CO|LED|LCD|PGM|PRG|AC|AUX|HW|WL|IOV|IOS|IN|SR|LR|V|.*\d.*)$/

/** Returns the subtype of a device as a model that can be read: `Flat PIR smart` for `FLAT_PIR_SMART`. */
function modelOf(subtype: string): string {
  const parts = subtype
    .replace(/^S_(?=.)/, '')
    .split('_')
    .filter(Boolean)
  const text = parts.map((part) => (abbreviations.test(part) ? part : part.toLowerCase())).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Returns a detector, siren, keypad or other device with its entities; undefined if it has none.
 * @param panel the panel that it belongs to: its detectors are of the same maker
 * @param known the entities that were announced before: a reading that is missing for a while is no reason to remove them
 */
export function announcedDetector(
  setup: Setup,
  device: Device,
  known: readonly string[] = [],
  panel: Pick<PanelIdentity, 'title' | 'manufacturer'> = { title: '', manufacturer: '' },
): AnnouncedDevice | undefined {
  const { enrollmentId, subtype, location } = readingDevice(device)
  const object = deviceObject(device.id)
  const name = nameOfDevice(setup, device)
  const builder = new ComponentBuilder(setup, object, panel.title, name)
  const wanted = keys.filter((key) => isWanted(setup, key) && (has(device, key) || known.includes(key)))
  if (wanted.length === 0) return undefined
  return {
    object,
    device: {
      identifiers: [identifierOf(setup, object)],
      name,
      ...(panel.manufacturer && { manufacturer: panel.manufacturer }),
      ...(subtype && { model: modelOf(subtype), model_id: subtype }),
      ...(location && { suggested_area: location }),
      ...(enrollmentId && { serial_number: enrollmentId }),
      via_device: identifierOf(setup, panelObject),
    },
    components: wanted.map((key) => component(key, builder, setup, device)),
  }
}

/** The types of devices that report no fault but a low battery; one of a type that nobody knows can report any. */
const withoutFaults: ReadonlySet<string> = new Set(['KEYFOB', 'PROXY_TAG', 'PGM'])

/** Returns the entities that a device has because of what it reports now. */
export function reportedKeys(device: Device): Extract<Key, 'tamper' | 'battery' | 'problem'>[] {
  const types = troubles(device)
  return [
    ...(types.includes('TAMPER') ? (['tamper'] as const) : []),
    ...(types.includes('LOW_BATTERY') ? (['battery'] as const) : []),
    ...(otherTroubles(device).length > 0 ? (['problem'] as const) : []),
  ]
}

/** Returns the troubles that have no entity of their own. */
function otherTroubles(device: Device): string[] {
  return troubles(device).filter((type) => type !== 'TAMPER' && type !== 'LOW_BATTERY')
}

function has(device: Device, key: Key): boolean {
  const { device_type, traits } = device
  if (reportedKeys(device).some((reported) => reported === key)) return true
  switch (key) {
    case 'open':
      return zoneClass(device) !== null
    case 'tamper':
      return withTamper.has(device_type)
    case 'battery':
      return withBattery.has(device_type)
    case 'problem':
      return !withoutFaults.has(device_type)
    case 'soak':
      return traits.soak !== null
    case 'temperature':
      return traits.meteo_info?.temperature != null
    case 'illuminance':
      return traits.meteo_info?.brightness != null
    case 'signal':
      return traits.rssi !== null
    case 'bypass':
    case 'bypassed':
      return isZone(device) && traits.bypass !== null
  }
}

function component(key: Key, builder: ComponentBuilder, setup: Setup, device: Device): Component {
  const object = deviceObject(device.id)
  switch (key) {
    case 'open':
      return builder.shown('binary_sensor', key, null, { device_class: zoneClass(device) ?? 'opening' })
    case 'tamper':
    case 'battery':
      return builder.shown('binary_sensor', key, key, { device_class: key, ...diagnostic })
    case 'problem':
      return builder.shown('binary_sensor', key, key, {
        device_class: 'problem',
        ...diagnostic,
        ...builder.attributes('problem_attributes'),
      })
    case 'soak':
    case 'bypassed':
      return builder.shown('binary_sensor', key, key, diagnostic)
    case 'temperature':
      return builder.shown('sensor', key, key, measured('temperature', '°C'))
    case 'illuminance':
      return builder.shown('sensor', key, key, measured('illuminance', 'lx'))
    case 'signal':
      return builder.shown('sensor', key, key, {
        ...diagnostic,
        ...offAtFirst,
        ...builder.attributes('signal_attributes'),
      })
    case 'bypass':
      // Neither a voice, nor an area, nor a scene may leave a zone out.
      return builder.shown('switch', key, key, {
        command_topic: setTopic(setup, `${object}/bypass`),
        ...configuration,
      })
  }
}

function measured(deviceClass: string, unit: string): Record<string, unknown> {
  return { device_class: deviceClass, unit_of_measurement: unit, state_class: 'measurement' }
}

/** Returns the state of a device as JSON: a member for each of its entities, and their attributes. */
export function detectorState(
  { components }: AnnouncedDevice,
  device: Device,
  facts: DetectorFacts,
): Record<string, unknown> {
  const state: Record<string, unknown> = {}
  for (const { key } of components) Object.assign(state, stateOf(key as Key, device, facts))
  return state
}

function stateOf(key: Key, device: Device, facts: DetectorFacts): Record<string, EntityState | object> {
  const { traits } = device
  const warns = (type: string) => onOff(standing(device).includes(type))
  switch (key) {
    case 'open':
      return { open: onOff(hazardOf(device) ? detectsHazard(device) || facts.isAlarmed : isOpen(device)) }
    case 'tamper':
      return { tamper: warns('TAMPER') }
    case 'battery':
      return { battery: warns('LOW_BATTERY') }
    case 'problem': {
      const others = otherTroubles(device)
      return { problem: onOff(others.length > 0), problem_attributes: { warnings: others } }
    }
    case 'soak':
      return { soak: onOff(traits.soak?.enabled ?? null) }
    case 'temperature':
      return { temperature: traits.meteo_info?.temperature?.value ?? null }
    case 'illuminance':
      return { illuminance: traits.meteo_info?.brightness?.value ?? null }
    case 'signal': {
      const { rssi } = traits
      const surveyed = rssi && utcTime(rssi.last_updated, facts.timeZone)
      return {
        signal: rssi?.current || rssi?.average || null,
        signal_attributes: { surveyed_at: surveyed ?? null, average: rssi?.average ?? null },
      }
    }
    case 'bypass':
    case 'bypassed':
      return { [key]: onOff(bypassOf(device)) }
  }
}
