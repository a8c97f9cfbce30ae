import type { FlowGraph, NodeName } from './flow-graph.ts'
import type { FlowTrace } from './flow-trace.ts'

/** The kinds of ways out that have a name in the locales, and the words by which a node is known as one. */
const kindWords = {
  phone: /ntfy|pushover|telegram|gotify|pushbullet|prowl|whatsapp|signal|threema|sms|twilio|push/i,
  mail: /e-?mail|smtp/i,
  siren: /siren|sirene|horn|hupe/i,
  light: /light|lamp|licht|hue/i,
} as const

/** The kinds of ways out; `other` is shown by its name alone. */
export const wayKinds = [...(Object.keys(kindWords) as (keyof typeof kindWords)[]), 'other'] as const

/** A node that tells or wakes somebody or switches something, and what came of the alarm there. */
export interface WayOut extends NodeName {
  kind: (typeof wayKinds)[number]
  /** `told`: it was done, or was given the message and never says so; `missed`: it got nothing. */
  state: 'told' | 'failed' | 'missed' | 'disabled'
  /** Seconds from the deed of the scene, such as an opened window, until it was told; null if it was not. */
  seconds: number | null
  /** The words that it was told, as a person reads them; empty if they are not known. */
  text: string
}

/** Returns what came of the alarm at some nodes, those that were told first; nodes that are no way out are left out. */
export function waysOut(trace: FlowTrace, graph: FlowGraph, ids: readonly string[]): WayOut[] {
  const ways = ids
    .filter((id) => graph.isNotification(id))
    .map((id): WayOut => {
      const news = (trace.visits.get(id)?.arrivals ?? []).filter(({ sending }) => trace.isNews(sending))
      const alarms = news.filter(({ sending }) => sending.alarm !== '')
      const chosen = alarms.length > 0 ? alarms : news
      // A retry can tell what failed at first.
      const told = chosen.find(({ hasFailed }) => !hasFailed) ?? chosen[0]
      const way = { ...graph.name(id), kind: kindOf(graph, id) }
      if (told === undefined) {
        const state = graph.disabledBy(id) === undefined ? 'missed' : 'disabled'
        return { ...way, state, seconds: null, text: '' }
      }
      const seconds = Math.round(((told.doneAt ?? told.at) - trace.deedAt) / 100) / 10
      return { ...way, state: told.hasFailed ? 'failed' : 'told', seconds, text: told.text }
    })
  return ways.toSorted((a, b) => (a.seconds ?? Number.MAX_VALUE) - (b.seconds ?? Number.MAX_VALUE))
}

/** Returns the ways out that are known to act if these nodes send something. */
export function actingWays(
  graph: FlowGraph,
  sources: readonly string[],
): Pick<WayOut, 'kind' | 'name' | 'type'>[] {
  const ids = new Set(sources.flatMap((id) => [...graph.downstream(id)]))
  return [...ids]
    .filter((id) => graph.mayAct(id) && graph.runs(id))
    .map((id) => ({ ...graph.name(id), kind: kindOf(graph, id) }))
}

function kindOf(graph: FlowGraph, id: string): WayOut['kind'] {
  const { type, name, url, topic } = graph.fields(id)
  const words = [type, name, url, topic].filter((one) => typeof one === 'string').join(' ')
  return wayKinds.find((kind) => kind !== 'other' && kindWords[kind].test(words)) ?? 'other'
}
