import type { AnnouncedDevice } from '../entities/component.ts'
import { partitionsWith } from '../entities/partition-entities.ts'
import type { Setup } from '../setup.ts'
import { panelObject } from '../topics.ts'
import { exampleManifest, type Manifest, manifestOf } from './manifest.ts'
import { parseManifest } from './manifest-format.ts'
import { type Replacement, replacement } from './replacement.ts'

/** The place of the manifest, which survives a redeploy. */
export interface ManifestMemory {
  manifest: Manifest | undefined
}

/** The content of a manifest. */
export interface ManifestContent {
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
