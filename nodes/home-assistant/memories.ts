import type { AnnouncerMemory } from '../../src/home-assistant/announcer-memory.ts'
import type { Publication } from '../../src/home-assistant/discovery.ts'

/** Publications of the nodes and the topics of their panels, kept over a redeploy, by the ids of the nodes. */
export const memories = new Map<string, { place: string; memory: AnnouncerMemory }>()

/**
 * Notes what the look for panels without a node has published, so that a node which serves one of them again publishes the
 * contrary.
 */
export function notePublished(publications: readonly Publication[]): void {
  for (const { memory } of memories.values())
    for (const { topic, payload } of publications) if (memory.sent.has(topic)) memory.sent.set(topic, payload)
}
