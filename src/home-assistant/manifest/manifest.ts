import { type AnnouncedDevice, platforms } from '../entities/component.ts'
import { partitionObject } from '../entities/partition-entities.ts'
import { type Form, forms, type Setup } from '../setup.ts'
import { isDeviceObject, isStateTopic, isTopic, panelObject, uniqueId } from '../topics.ts'

/** An announced entity: its platform, and the id in the topic of its single announcement. */
export interface ManifestEntity {
  platform: string
  id: string
}

/**
 * All that was announced. It is kept on the broker, so that the next process can remove what is gone since.
 */
export interface Manifest {
  /** The node that has announced it; the first member, see `keeperIn`. */
  keeper: string
  prefix: string
  form: Form
  /** The entities by device and key. */
  objects: Readonly<Record<string, Readonly<Record<string, ManifestEntity>>>>
  /** The topics of the states that the broker keeps. */
  states: readonly string[]
}

/**
 * Returns the manifest of announced devices.
 * @param kept the objects of an earlier manifest that stay although they are not announced now
 */
export function manifestOf(
  { keeper, prefix, form }: Setup,
  devices: readonly AnnouncedDevice[],
  states: readonly string[],
  kept: Manifest['objects'] = {},
): Manifest {
  const objects = devices.map(({ object, components }) => [
    object,
    Object.fromEntries(components.map(({ key, platform, id }) => [key, { platform, id }])),
  ])
  return { keeper, prefix, form, objects: { ...kept, ...Object.fromEntries(objects) }, states }
}

/**
 * Returns the manifest of what the example of version 0.1.0 announced: an alarm control panel for each partition. A
 * panel that was never announced is treated as if the example had announced it.
 */
export function exampleManifest(setup: Setup, partitions: readonly number[]): Manifest {
  const entities = partitions.map((id) => [
    partitionObject(id),
    { platform: 'alarm_control_panel', id: uniqueId(setup, [`${id}`]) },
  ])
  const objects = { [panelObject]: Object.fromEntries(entities) }
  return { keeper: '', prefix: setup.prefix, form: 'single', objects, states: [] }
}

/** The characters of the longest manifest that is believed: ten times that of a panel with all the devices it can have. */
const maxLength = 1_000_000

/**
 * Parses a manifest from the broker; undefined for anything else. What it lists is removed once it is gone, and whoever can
 * write below the topics of the panel can write one: so it may list nothing but announcements and states of this panel. The
 * prefix may be another one, which the user has changed since.
 */
export function parseManifest(payload: string, place: Pick<Setup, 'base' | 'serial'>): Manifest | undefined {
  if (payload.length > maxLength) return undefined
  try {
    const { keeper, prefix, form, objects, states } = JSON.parse(payload)
    const isKnown = typeof prefix === 'string' && isTopic(prefix) && forms.includes(form)
    const areStates =
      Array.isArray(states) && states.every((one) => typeof one === 'string' && isStateTopic(place, one))
    return isKnown && areStates && isObjects(objects, place)
      ? { keeper: typeof keeper === 'string' ? keeper : '', prefix, form, objects, states }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the node that has announced what a manifest lists; an empty text if it does not say so. Each node hears the
 * manifests of all panels, so none is parsed for it.
 */
export function keeperIn(payload: string): string {
  const [, text] = /^\{"keeper":("(?:[^"\\]|\\.){1,200}")/.exec(payload) ?? []
  try {
    return text === undefined ? '' : JSON.parse(text)
  } catch {
    return ''
  }
}

function isObjects(value: unknown, place: Pick<Setup, 'serial'>): value is Manifest['objects'] {
  return (
    isTable(value) &&
    Object.entries(value).every(
      ([object, entities]) =>
        (object === panelObject || isDeviceObject(object)) &&
        isTable(entities) &&
        Object.entries(entities).every(([key, one]) => isName(key) && isEntity(one, place)),
    )
  )
}

function isEntity(value: unknown, place: Pick<Setup, 'serial'>): value is ManifestEntity {
  if (!isTable(value)) return false
  const { platform, id } = value
  const isPlatform = platforms.some((one) => one === platform)
  return isPlatform && typeof id === 'string' && isName(id) && id.startsWith(uniqueId(place, ['']))
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells if a text has only those characters that Home Assistant accepts in a part of a topic. */
function isName(text: string): boolean {
  return /^[\w-]+$/.test(text)
}
