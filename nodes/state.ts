import type { Node, NodeAPI, NodeDef } from 'node-red'
import { sourceOf } from '../src/messages/source.ts'
import { StateReport } from '../src/messages/state.ts'
import { vocabularies } from '../src/messages/vocabularies.ts'
import type { PartitionState, StateView } from '../src/panel/state.ts'
import { attach } from './shared/attach.ts'
import { numbers, oneOf, tick } from './shared/choices.ts'
import { reporting } from './shared/reporting.ts'
import type { Countdown } from './shared/status-light.ts'

interface StateDef extends NodeDef {
  panel?: string
  partitions?: unknown
  emit?: unknown
  initial?: unknown
  vocabulary?: unknown
}

/** Of several partitions the light shows the state that matters most. */
const mostUrgentFirst = ['ALARM', 'ENTRY_DELAY', 'ARMING', 'PROGRAMMING', 'AWAY', 'HOME', 'DISARM']

/** The node `keyholder-state`: one message for each partition. */
export default function register(RED: NodeAPI): void {
  function StateNode(this: Node, def: StateDef): void {
    RED.nodes.createNode(this, def)
    const partitions = numbers(def.partitions)
    const report = new StateReport({ partitions, vocabulary: oneOf(def.vocabulary, vocabularies) })

    const behaviour = reporting<StateView>(RED, this, {
      emit: oneOf(def.emit, ['change', 'poll']),
      initial: tick(def.initial, true),
      operation: 'status',
      watch: (panel) => panel.state,
      messages: (panel, news, which) =>
        report.messages(news.view, sourceOf(panel, news), which, panel.account.clock.monotonic()),
      text: (view) => word(view, partitions),
    })
    attach(RED, this, def.panel, behaviour)
  }

  function word(view: StateView, partitions: readonly number[]): string | Countdown {
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

  RED.nodes.registerType('keyholder-state', StateNode)
}
