import type { Node, NodeAPI } from 'node-red'
import { sourceOf } from '../../src/messages/source.ts'
import { StateReport } from '../../src/messages/state.ts'
import { vocabularies } from '../../src/messages/vocabularies.ts'
import type { PartitionState, StateView } from '../../src/panel/state.ts'
import type { AttachedDef, Behaviour } from '../shared/attach.ts'
import type { Countdown } from '../shared/status-light.ts'
import { numbers, oneOf, tick } from './choices.ts'
import { reporting } from './reporting.ts'

/** The settings of a state node, as they stand in a flow file. */
export interface StateDef extends AttachedDef {
  partitions?: unknown
  emit?: unknown
  initial?: unknown
  vocabulary?: unknown
}

/** Of several partitions the light shows the state that matters most. */
const mostUrgentFirst = ['ALARM', 'ENTRY_DELAY', 'ARMING', 'PROGRAMMING', 'AWAY', 'HOME', 'DISARM']

/** What a state node does: reports the partitions it has chosen, in its vocabulary. */
export function behaviour(RED: NodeAPI, node: Node, def: StateDef): Behaviour {
  const partitions = numbers(def.partitions)
  const report = new StateReport({ partitions, vocabulary: oneOf(def.vocabulary, vocabularies) })

  return reporting<StateView>(RED, node, {
    emit: oneOf(def.emit, ['change', 'poll']),
    initial: tick(def.initial, true),
    operation: 'status',
    watch: (panel) => panel.state,
    messages: (panel, news, which) =>
      report.messages(news.view, sourceOf(panel, news), which, panel.account.clock.monotonic()),
    text: (view) => word(RED, view, partitions),
  })
}

function word(RED: NodeAPI, view: StateView, partitions: readonly number[]): string | Countdown {
  const shown = view.partitions.filter(({ id }) => partitions.length === 0 || partitions.includes(id))
  const values = shown.map(({ value }) => value)
  const value = mostUrgentFirst.find((urgent) => values.includes(urgent))
  if (value === undefined) return values[0] ?? ''
  const word = RED._(`state.status.${value}`)
  const until = value === 'ARMING' ? allArmedAt(shown) : 0
  if (until === 0) return word
  const counted = (seconds: number) => RED._('state.status.arming', { seconds: String(seconds) })
  return { until, text: (seconds) => (seconds > 0 ? counted(seconds) : word) }
}

/** When the last exit delay ends, in milliseconds of the monotonic clock; 0 where that is not known. */
function allArmedAt(partitions: readonly PartitionState[]): number {
  return Math.max(0, ...partitions.map(({ exitUntil }) => exitUntil ?? 0))
}
