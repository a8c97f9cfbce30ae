import type { Device } from '../service/responses/devices.ts'
import { Absences } from './absences.ts'
import { isAnyWanted } from './entities/detector.ts'
import { ownDevices } from './entities/entities.ts'
import { type NamedPartition, partitionObject } from './entities/partition-entities.ts'
import { rememberedObjects } from './event-publications.ts'
import { KnownPartitions } from './known-partitions.ts'
import type { Manifest } from './manifest.ts'
import type { ManifestKeeper } from './manifest-keeper.ts'
import type { Setup } from './setup.ts'
import { availabilityTopic, deviceObject, isDeviceObject, stateTopic } from './topics.ts'

/** Knows the partitions and the devices that stay announced although an answer of the service may lack them. */
export class KnownObjects {
  readonly #setup: Setup
  readonly #manifest: Pick<ManifestKeeper, 'objects' | 'partitions'>
  readonly #absences = new Absences()
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

  /**
   * Notes the partitions of an answer.
   * @param at its arrival, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the answers that lack a partition that is gone
   */
  notePartitions(partitions: readonly NamedPartition[], at: number, minAbsence: number): void {
    this.#partitions.note(partitions, at, minAbsence)
  }

  /**
   * Notes a list of devices.
   * @param at its arrival, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the lists that lack a device that is gone
   */
  noteDevices(devices: readonly Device[], at: number, minAbsence: number): void {
    // An empty list is no news: a panel that has been read has at least itself.
    if (devices.length === 0) return
    const known = Object.keys(this.#manifest.objects).filter(isDeviceObject)
    this.#gone = this.#absences.note(known, objectsOf(devices), at, minAbsence)
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
