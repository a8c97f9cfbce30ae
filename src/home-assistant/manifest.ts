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

/** What must be published around the new announcements so that nothing of the old ones stays. */
export interface Replacement {
  /** Before the new announcements. */
  before: Publication[]
  /** After them. */
  after: Publication[]
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
  const newTopics = new Set(configTopics(now, setup))
  const leftTopics = configTopics(old, setup).filter((topic) => !newTopics.has(topic))
  const leftStates = old.states.filter((topic) => !now.states.includes(topic))
  const moves = old.form !== now.form && old.prefix === now.prefix
  const migrations = leftTopics.map((topic) => ({ topic, payload: '{"migrate_discovery":true}' }))
  return {
    before: moves ? migrations : thinner(old, setup, devices),
    after: [...leftTopics, ...leftStates].map((topic) => ({ topic, payload: '' })),
  }
}

/** Returns the announcements of devices that lose entities, in the form of one announcement for each device. */
function thinner(old: Manifest, setup: Setup, devices: readonly AnnouncedDevice[]): Publication[] {
  if (old.form !== 'device' || setup.form !== 'device' || old.prefix !== setup.prefix) return []
  return devices.flatMap((announced) => {
    const keys = new Set(announced.components.map(({ key }) => key))
    const gone = Object.entries(old.objects[announced.object] ?? {}).filter(([key]) => !keys.has(key))
    if (gone.length === 0) return []
    const removed = Object.fromEntries(gone.map(([key, { platform }]) => [key, platform]))
    return [deviceAnnouncement(setup, announced, removed)]
  })
}

/** Returns the topics of all announcements in a manifest. */
function configTopics({ prefix, form, objects }: Manifest, setup: Setup): string[] {
  const place = { ...setup, prefix }
  if (form === 'device') return Object.keys(objects).map((object) => deviceConfigTopic(place, object))
  return Object.values(objects).flatMap((entities) =>
    Object.values(entities).map(({ platform, id }) => entityConfigTopic(place, platform, id)),
  )
}
