import { deviceAnnouncement, type Publication } from './discovery.ts'
import type { AnnouncedDevice } from './entities/component.ts'
import { partitionObject } from './entities/partition-entities.ts'
import { type Form, forms, type Setup } from './setup.ts'
import { deviceConfigTopic, entityConfigTopic, panelObject, uniqueId } from './topics.ts'

/** An announced entity: its platform, and the id in the topic of its single announcement. */
export interface ManifestEntity {
  platform: string
  id: string
}

/**
 * All that was announced. It is kept on the broker, so that the next process can remove what is gone since.
 */
export interface Manifest {
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
  { prefix, form }: Setup,
  devices: readonly AnnouncedDevice[],
  states: readonly string[],
  kept: Manifest['objects'] = {},
): Manifest {
  const objects = devices.map(({ object, components }) => [
    object,
    Object.fromEntries(components.map(({ key, platform, id }) => [key, { platform, id }])),
  ])
  return { prefix, form, objects: { ...kept, ...Object.fromEntries(objects) }, states }
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
  return { prefix: setup.prefix, form: 'single', objects, states: [] }
}

/** Parses a manifest from the broker; undefined for anything else. */
export function parseManifest(payload: string): Manifest | undefined {
  try {
    const { prefix, form, objects, states } = JSON.parse(payload)
    const isKnown = typeof prefix === 'string' && forms.includes(form) && isTable(objects)
    const areTopics = Array.isArray(states) && states.every((topic) => typeof topic === 'string')
    return isKnown && areTopics && isObjects(objects) ? { prefix, form, objects, states } : undefined
  } catch {
    return undefined
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isObjects(value: Record<string, unknown>): value is Record<string, Record<string, ManifestEntity>> {
  const isEntity = (one: unknown) =>
    isTable(one) && typeof one.platform === 'string' && typeof one.id === 'string'
  return Object.values(value).every(
    (entities) => isTable(entities) && Object.values(entities).every(isEntity),
  )
}

/** Publications before and after the new announcements, so that nothing of the old ones stays. */
export interface Replacement {
  /** Before the new announcements. */
  before: Publication[]
  /** After them. */
  after: Publication[]
  /** True if Home Assistant needs a moment after `before`, because entities move. */
  moves: boolean
}

/**
 * Returns what leads from the old announcements to the new ones.
 *
 * Within a form, what is gone is removed. Between the forms, Home Assistant is told before that the entities move, so
 * that it keeps them with their history, and the old announcements are removed afterwards.
 */
export function replacement(
  old: Manifest,
  now: Manifest,
  setup: Setup,
  devices: readonly AnnouncedDevice[],
): Replacement {
  const newTopics = new Set(configsOf(now, setup).map(({ topic }) => topic))
  const left = configsOf(old, setup).filter(({ topic }) => !newTopics.has(topic))
  const leftStates = old.states.filter((topic) => !now.states.includes(topic))
  const isOtherForm = old.form !== now.form && old.prefix === now.prefix
  const before = isOtherForm ? migrations(left, now, setup, devices) : thinner(old, setup, devices)
  return {
    before,
    moves: isOtherForm && before.length > 0,
    after: [...left.map(({ topic }) => topic), ...leftStates].map((topic) => ({ topic, payload: '' })),
  }
}

/**
 * Returns what tells Home Assistant that entities move. It is told only of those that the new announcements have: it keeps
 * an entity that moves, and could not remove it any more. A device first loses its other entities.
 */
function migrations(
  left: readonly Config[],
  now: Manifest,
  setup: Setup,
  devices: readonly AnnouncedDevice[],
): Publication[] {
  const idOf = ({ platform, id }: ManifestEntity) => `${platform} ${id}`
  const ids = new Set(Object.values(now.objects).flatMap((entities) => Object.values(entities).map(idOf)))
  return left.flatMap(({ topic, object, entities }) => {
    const gone = Object.entries(entities).filter(([, one]) => !ids.has(idOf(one)))
    if (gone.length === Object.keys(entities).length) return []
    const announced = devices.find((one) => one.object === object)
    const thinned =
      gone.length === 0 || announced === undefined
        ? []
        : [deviceAnnouncement(setup, announced, platformsOf(gone))]
    return [...thinned, { topic, payload: '{"migrate_discovery":true}' }]
  })
}

/** Returns the announcements of devices that lose entities, in the form of one announcement for each device. */
function thinner(old: Manifest, setup: Setup, devices: readonly AnnouncedDevice[]): Publication[] {
  if (old.form !== 'device' || setup.form !== 'device' || old.prefix !== setup.prefix) return []
  return devices.flatMap((announced) => {
    const keys = new Set(announced.components.map(({ key }) => key))
    const gone = Object.entries(old.objects[announced.object] ?? {}).filter(([key]) => !keys.has(key))
    return gone.length === 0 ? [] : [deviceAnnouncement(setup, announced, platformsOf(gone))]
  })
}

function platformsOf(entities: readonly [string, ManifestEntity][]): Record<string, string> {
  return Object.fromEntries(entities.map(([key, { platform }]) => [key, platform]))
}

/** The topic of an announcement, and what it announces. */
interface Config {
  topic: string
  object: string
  entities: Readonly<Record<string, ManifestEntity>>
}

/** Returns the topics of all announcements in a manifest. */
function configsOf({ prefix, form, objects }: Manifest, setup: Setup): Config[] {
  const place = { ...setup, prefix }
  return Object.entries(objects).flatMap(([object, entities]) => {
    if (form === 'device') return [{ topic: deviceConfigTopic(place, object), object, entities }]
    return Object.entries(entities).map(([key, one]) => {
      const topic = entityConfigTopic(place, one.platform, one.id)
      return { topic, object, entities: { [key]: one } }
    })
  })
}
