import type { EventMemory } from './events/remembered-events.ts'
import type { ManifestMemory } from './manifest/manifest-keeper.ts'
import type { ReadMemory } from './unread.ts'

/** The memory of the publications. It survives a redeploy, so that nothing unchanged is published again. */
export interface AnnouncerMemory extends ManifestMemory, EventMemory, ReadMemory {
  /** True once the broker has sent anything: what is published reaches it. */
  isBrokerHeard: boolean
  /** The topics of a bridge or of Home Assistant that have told its start, as a new message and not as a kept one. */
  readonly started: Set<string>
}

/** Returns the memory of an announcer that has published nothing. */
export function emptyMemory(): AnnouncerMemory {
  return {
    sent: new Map(),
    remembered: new Map(),
    manifest: undefined,
    isBrokerHeard: false,
    isRead: false,
    started: new Set(),
  }
}
