import { readingDevice } from '../../panel/devices/device.ts'
import type { Device } from '../../service/responses/devices.ts'
import type { Setup } from '../setup.ts'
import { deviceObject, identifierOf, panelObject } from '../topics.ts'
import { type AnnouncedDevice, ComponentBuilder, isWanted, stateOf } from './component.ts'
import { type DetectorFacts, detectorEntities } from './detector-entities.ts'
import type { PanelIdentity } from './panel-entities.ts'

/** Returns true if the setup has at least one of these entities of a device. */
export function isAnyWanted(setup: Setup, known: readonly string[]): boolean {
  return Object.entries(detectorEntities).some(
    ([key, entity]) => known.includes(key) && isWanted(setup, entity),
  )
}

/** The word for each type of device that has neither a name nor a location. */
export const deviceWords: ReadonlyMap<string, string> = new Map([
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
  const word = deviceWords.get(device.device_type)
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
 * @param known see `entitiesOf`
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
  const components = entitiesOf(setup, device, known).map(([key, entity]) =>
    builder.component(key, entity, device),
  )
  if (components.length === 0) return undefined
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
    components,
  }
}

/**
 * Returns the wanted entities that a device has, by their keys.
 * @param known the entities that were announced before: a reading that is missing for a while is no reason to remove them
 */
export function entitiesOf(setup: Setup, device: Device, known: readonly string[]) {
  return Object.entries(detectorEntities).filter(
    ([key, entity]) => isWanted(setup, entity) && (entity.isThere(device) || known.includes(key)),
  )
}

/** Returns the state of a device as JSON: a member for each of its entities, and their attributes. */
export function detectorState(
  { components }: AnnouncedDevice,
  device: Device,
  facts: DetectorFacts,
): Record<string, unknown> {
  const keys = components.map(({ key }) => key)
  return stateOf(detectorEntities, keys, device, facts)
}
