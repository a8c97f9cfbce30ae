import { contentOf, stateText } from '../../../src/panel/events/cursor/cursor-format.ts'
import {
  type EventHistory,
  type FeedDiff,
  type FeedEvent,
  findNewEvents,
} from '../../../src/panel/events/new-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'
import type { DetectionMethod } from './event-histories.ts'

export const serial = 'A1B2C3'

/** The events for a node that has received everything before the list. */
export interface Sighting extends FeedDiff {
  fresh: FeedEvent[]
  isGap: boolean
}

/** Compares a list with the history. The numbers show what is new, and one that no event has is a gap. */
export function see(memory: EventHistory | null, list: readonly PanelEvent[]): Sighting {
  const diff = findNewEvents(memory, serial, list)
  if (memory === null) return { ...diff, fresh: [], isGap: false }
  const fresh = diff.listed.filter(({ sequence }) => sequence >= memory.next)
  return { ...diff, fresh, isGap: diff.memory.next - memory.next > fresh.length }
}

/** Returns the method of the product; its memory is written and read at each restart. */
export function productMethod(onSighting: (sighting: Sighting) => void = () => {}): DetectionMethod {
  let memory: EventHistory | null = null
  return ({ list, isRestart }) => {
    if (isRestart && memory !== null)
      memory = contentOf(stateText({ serial, memory, positions: {} }))?.state?.memory ?? null
    const sighting = see(memory, list)
    memory = sighting.memory
    onSighting(sighting)
    return { fresh: sighting.fresh.map(({ event }) => event), isGap: sighting.isGap }
  }
}

/** The usual method, which takes for new what has a later time than all before; it never reports a gap. */
export function timeMethod(): DetectionMethod {
  let latest: string | undefined
  return ({ list }) => {
    const last = latest
    latest = list.reduce((one, { datetime }) => (datetime > one ? datetime : one), last ?? '')
    return { fresh: last === undefined ? [] : list.filter(({ datetime }) => datetime > last), isGap: false }
  }
}
