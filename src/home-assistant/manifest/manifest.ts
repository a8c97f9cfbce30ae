import type { AnnouncedDevice } from '../entities/component.ts'
import { partitionObject } from '../entities/partition-entities.ts'
import type { Form, Setup } from '../setup.ts'
import { panelObject, uniqueId } from '../topics.ts'

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
