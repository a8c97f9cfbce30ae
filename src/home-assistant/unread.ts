import type { Publication } from './discovery.ts'
import { unknownDiagnostics } from './entities/diagnostics.ts'
import type { Publisher } from './publisher.ts'
import type { Setup } from './setup.ts'
import { availabilityTopic, stateTopic } from './topics.ts'

/**
 * Returns what tells that nobody reads a panel: its states on the broker are old.
 * @param hasDiagnostics true if the diagnostics are announced, which are available as long as Node-RED is connected
 */
export function unreadPublications(
  place: Pick<Setup, 'base' | 'serial'>,
  hasDiagnostics: boolean,
): Publication[] {
  const availability = { topic: availabilityTopic(place), payload: 'offline' }
  const diagnostics = { topic: stateTopic(place, 'diagnostics'), payload: JSON.stringify(unknownDiagnostics) }
  return hasDiagnostics ? [availability, diagnostics] : [availability]
}

/** Returns the topics of what tells that nobody reads a panel. */
export function unreadTopics(place: Pick<Setup, 'base' | 'serial'>): string[] {
  return unreadPublications(place, true).map(({ topic }) => topic)
}

/** The memory of whether a panel was read. */
export interface ReadMemory {
  /** True if the states that the broker keeps were read since the start, by this process or by another instance. */
  isRead: boolean
}

/** Tells that a panel is offline while nobody has read it: its states on the broker are those of an earlier process. */
export class UnreadPanel {
  readonly #memory: ReadMemory
  readonly #publisher: Publisher
  readonly #publications: readonly Publication[]
  #isUnread = false

  constructor(setup: Setup, memory: ReadMemory, publisher: Publisher) {
    this.#memory = memory
    this.#publisher = publisher
    this.#publications = unreadPublications(setup, setup.groups.has('diagnostics'))
  }

  /** Notes that the panel was read, here or by another instance. */
  noteRead(): void {
    this.#isUnread = false
    this.#memory.isRead = true
  }

  /** Notes that the panel is not read, or not yet; see `Announcer.noteUnread`. */
  noteUnread(isForLong: boolean): void {
    if (isForLong) this.#memory.isRead = false
    this.#isUnread = !this.#memory.isRead
  }

  /**
   * Publishes that the panel is not read from now on, because the node ends. Flows that stop may lose the message, so the next
   * node publishes it again.
   */
  leave(): void {
    this.#memory.isRead = false
    this.#isUnread = false
    this.#publisher.replace(this.#publications)
  }

  /** Publishes that the panel is offline while it is not read. */
  publish(): void {
    if (this.#isUnread) this.#publisher.keep(this.#publications)
  }
}
