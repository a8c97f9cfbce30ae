import type { PanelDevices } from '../panel/devices/readings.ts'
import type { Device } from '../service/responses/devices.ts'
import { ownDevices } from './announced-entities.ts'
import { isAnyWanted } from './entities/detector.ts'
import { type NamedPartition, partitionObject } from './entities/partition-entities.ts'
import { rememberedObjects } from './events/event-publications.ts'
import type { Manifest } from './manifest/manifest.ts'
import type { ManifestKeeper } from './manifest/manifest-keeper.ts'
import type { Setup } from './setup.ts'
import { availabilityTopic, deviceObject, isDeviceObject, stateTopic } from './topics.ts'

/** Knows the partitions and the devices that stay announced although an answer of the service may lack them. */
export class KnownObjects {
  readonly #setup: Setup
  readonly #manifest: Pick<ManifestKeeper, 'objects' | 'partitions'>
  readonly #partitions = new KnownPartitions()
  #gone: ReadonlySet<string> = new Set()

  constructor(setup: Setup, manifest: Pick<ManifestKeeper, 'objects' | 'partitions'>) {
    this.#setup = setup
    this.#manifest = manifest
    this.noteManifest()
  }

  /** The partitions, ordered by id. */
  get partitions(): readonly NamedPartition[] {
    return this.#partitions.all
  }

  /** Notes that the manifest may be another one. */
  noteManifest(): void {
    this.#partitions.noteAnnounced(this.#manifest.partitions)
  }

  /** Notes the partitions that are there. @param areAll true if it is certain that there is no other one */
  notePartitions(partitions: readonly NamedPartition[], areAll: boolean): void {
    this.#partitions.note(partitions, areAll)
  }

  /** Notes the devices: until they are all known, one that is announced may be there. */
  noteDevices({ listed, held, gone, hasAll }: PanelDevices): void {
    const there = objectsOf([...listed, ...held])
    const announced = Object.keys(this.#manifest.objects).filter(isDeviceObject)
    this.#gone = hasAll ? new Set(announced.filter((object) => !there.has(object))) : objectsOf(gone)
  }

  /** Returns the devices that are announced and not listed now, but not yet gone and still wanted. */
  unlisted(devices: readonly Device[] = []): Manifest['objects'] {
    const listed = objectsOf(devices)
    const mayReturn = ([object, entities]: [string, object]) =>
      isDeviceObject(object) &&
      // A listed device that is not announced has no entity left.
      !listed.has(object) &&
      !this.#gone.has(object) &&
      isAnyWanted(this.#setup, Object.keys(entities))
    return Object.fromEntries(Object.entries(this.#manifest.objects).filter(mayReturn))
  }

  /**
   * Returns the topics of all states that the broker keeps, also of those that this process has not published.
   * @param unlisted the devices that are not listed now
   */
  topics(published: readonly string[], unlisted: readonly string[]): string[] {
    const { groups } = this.#setup
    const partitions = groups.has('alarm_panel') ? this.partitions : []
    const objects = [
      ...unlisted,
      ...partitions.map(({ id }) => partitionObject(id)),
      ...(groups.has('events') ? rememberedObjects : []),
    ]
    const topics = objects.map((object) => stateTopic(this.#setup, object))
    return [...new Set([...published, ...topics, availabilityTopic(this.#setup)])].toSorted()
  }
}

function objectsOf(devices: readonly Device[]): ReadonlySet<string> {
  return new Set(ownDevices(devices).map(({ id }) => deviceObject(id)))
}

/** Knows the partitions of a panel and their names, also those that one answer of the service leaves out. */
class KnownPartitions {
  readonly #known = new Map<number, NamedPartition>()

  /** All partitions, ordered by id. */
  get all(): readonly NamedPartition[] {
    return [...this.#known.values()].toSorted((one, other) => one.id - other.id)
  }

  /** Notes the ids of partitions that were announced before: one answer without them is no reason to remove them. */
  noteAnnounced(ids: readonly number[]): void {
    for (const id of ids) if (!this.#known.has(id)) this.#known.set(id, { id, name: '' })
  }

  /** Notes the partitions that are there. @param areAll true if it is certain that there is no other one */
  note(partitions: readonly NamedPartition[], areAll: boolean): void {
    for (const { id, name, night } of partitions) {
      const before = this.#known.get(id)
      // Both are missing until the setup of the panel was read.
      this.#known.set(id, { id, name: name || (before?.name ?? ''), night: night ?? before?.night ?? null })
    }
    const ids = new Set(partitions.map(({ id }) => id))
    for (const id of areAll ? [...this.#known.keys()] : []) if (!ids.has(id)) this.#known.delete(id)
  }
}
