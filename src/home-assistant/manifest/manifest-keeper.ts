import { deviceAnnouncement, type Publication } from '../discovery.ts'
import type { AnnouncedDevice } from '../entities/component.ts'
import { partitionsWith } from '../entities/partition-entities.ts'
import type { Setup } from '../setup.ts'
import { deviceConfigTopic, entityConfigTopic, manifestTopic, panelObject } from '../topics.ts'
import { exampleManifest, type Manifest, type ManifestEntity, manifestOf, parseManifest } from './manifest.ts'

/** The place of the manifest, which survives a redeploy. */
export interface ManifestMemory {
  manifest: Manifest | undefined
}

/** The content of a manifest. */
interface ManifestContent {
  devices: readonly AnnouncedDevice[]
  /** The topics of the states that the broker keeps. */
  topics: readonly string[]
  /** The devices that stay announced although they are not listed now. */
  kept: Manifest['objects']
  /** The ids of the partitions. */
  partitions: readonly number[]
}

const nothing: Replacement = { before: [], after: [], moves: false }

/** Knows what was announced, and finds what must be removed or moved to get to what is announced now. */
export class ManifestKeeper {
  readonly #setup: Setup
  readonly #memory: ManifestMemory
  /** The content of the latest manifest, so that no poll builds an equal one; undefined if it must be built. */
  #last: readonly unknown[] | undefined
  #text = ''
  #isConnected = false
  #isHeard = false

  constructor(setup: Setup, memory: ManifestMemory) {
    this.#setup = setup
    this.#memory = memory
  }

  /** All that is announced, by device and key. */
  get objects(): Manifest['objects'] {
    return this.#memory.manifest?.objects ?? {}
  }

  /** The ids of the partitions that are announced. */
  get partitions(): readonly number[] {
    return partitionsWith(Object.keys(this.objects[panelObject] ?? {}))
  }

  /** The manifest as text. */
  get text(): string {
    return this.#text
  }

  /** Goes on from the manifest that the broker has, unless it is the one that was published last. */
  noteManifest(payload: string): void {
    const manifest = payload === this.#text ? undefined : parseManifest(payload, this.#setup)
    if (manifest === undefined) return
    this.#isHeard = true
    this.#memory.manifest = manifest
    this.#last = undefined
  }

  /**
   * Notes that the broker is connected.
   * @param hasPublished true if something was published already, which did not reach a broker that was never connected
   */
  noteConnection(hasPublished: boolean): void {
    if (hasPublished && !this.#isConnected && !this.#isHeard) {
      this.#memory.manifest = undefined
      this.#last = undefined
    }
    this.#isConnected = true
  }

  /**
   * Notes what is announced now; returns what must be published around it. If entities move, nothing is noted yet: that is
   * done by a second call with `hasMoved`, a moment later.
   */
  change({ devices, topics, kept, partitions }: ManifestContent, hasMoved: boolean): Replacement {
    const before = this.#memory.manifest
    const members = [...devices, ...topics]
    const last = this.#last
    if (last?.length === members.length && members.every((one, index) => one === last[index])) return nothing
    const now = manifestOf(this.#setup, devices, topics, kept)
    const text = JSON.stringify(now)
    const old = before ?? exampleManifest(this.#setup, partitions)
    const change = JSON.stringify(before) === text ? nothing : replacement(old, now, this.#setup, devices)
    if (change.moves && !hasMoved) return change
    this.#last = members
    this.#memory.manifest = now
    this.#text = text
    return change
  }
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
    after: cleared([...left.map(({ topic }) => topic), ...leftStates]),
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
function configsOf({ prefix, form, objects }: Manifest, { serial }: Pick<Setup, 'serial'>): Config[] {
  const place = { serial, prefix }
  return Object.entries(objects).flatMap(([object, entities]) => {
    if (form === 'device') return [{ topic: deviceConfigTopic(place, object), object, entities }]
    return Object.entries(entities).map(([key, one]) => {
      const topic = entityConfigTopic(place, one.platform, one.id)
      return { topic, object, entities: { [key]: one } }
    })
  })
}

/** Returns all topics of a panel that the broker keeps, the announcements first and the list of them last. */
export function topicsOf(manifest: Manifest, place: Pick<Setup, 'base' | 'serial'>): string[] {
  const configs = configsOf(manifest, place).map(({ topic }) => topic)
  return [...new Set([...configs, ...manifest.states, manifestTopic(place)])]
}

/** Returns what removes topics from the broker, and with it what they have announced. */
export function cleared(topics: readonly string[]): Publication[] {
  return topics.map((topic) => ({ topic, payload: '' }))
}
