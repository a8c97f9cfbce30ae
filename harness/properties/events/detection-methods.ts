import { contentOf, stateText } from '../../../src/panel/events/cursor/cursor-format.ts'
import {
  type EventHistory,
  type FeedDiff,
  type FeedEvent,
  findNewEvents,
} from '../../../src/panel/events/new-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'
import type { DetectionMethod, HistoryKind } from './event-histories.ts'

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

/** Returns common methods and the kinds of history in which they fail. */
export function faultyMethods(): Record<string, { method: () => DetectionMethod; fails: HistoryKind[] }> {
  /** Returns a method that never reports a gap. */
  const from = <M>(initial: M, look: (memory: M, list: PanelEvent[]) => [M, PanelEvent[]]) => {
    return (): DetectionMethod => {
      let memory = initial
      let isFirst = true
      return ({ list }) => {
        const [after, fresh] = look(memory, list)
        memory = after
        const given = isFirst ? [] : fresh
        isFirst = false
        return { fresh: given, isGap: false }
      }
    }
  }
  const idOf = ({ event }: PanelEvent) => event ?? 0
  const textOf = ({ event, type_id, zone, datetime }: PanelEvent) => `${event} ${type_id} ${zone} ${datetime}`
  const highestOf = (list: PanelEvent[], least: number) => Math.max(least, ...list.map(idOf))
  const latestOf = (list: PanelEvent[], least: string) =>
    [least, ...list.map(({ datetime }) => datetime)].sort().at(-1) ?? least
  const reach = (list: PanelEvent[], known: string[]) =>
    list.findLastIndex((event) => known.includes(textOf(event)))
  return {
    'time later than the last time': {
      method: from('', (last, list) => [
        latestOf(list, last),
        list.filter(({ datetime }) => datetime > last),
      ]),
      fails: ['twins', 'late', 'clock', 'burst', 'log'],
    },
    'id above the highest id': {
      method: from(0, (highest, list) => [
        highestOf(list, highest),
        list.filter((event) => idOf(event) > highest),
      ]),
      fails: ['late', 'reset', 'burst', 'log'],
    },
    'id not in the set of ids': {
      method: from(new Set<number>(), (known, list) => [
        new Set([...known, ...list.map(idOf)]),
        list.filter((event) => !known.has(idOf(event))),
      ]),
      fails: ['burst', 'log'],
    },
    'text not in any earlier list': {
      method: from(new Set<string>(), (known, list) => [
        new Set([...known, ...list.map(textOf)]),
        list.filter((event) => !known.has(textOf(event))),
      ]),
      fails: ['burst', 'log'],
    },
    'text not in the previous list': {
      method: from<string[]>([], (known, list) => [
        list.map(textOf),
        list.filter((event) => !known.includes(textOf(event))),
      ]),
      fails: ['hiccup', 'burst', 'log'],
    },
    'everything after the newest known event': {
      method: from<string[]>([], (known, list) => [list.map(textOf), list.slice(reach(list, known) + 1)]),
      fails: ['late', 'hiccup', 'burst'],
    },
  }
}
