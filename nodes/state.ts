import type { Node, NodeAPI, NodeDef } from 'node-red'
import { sourceOf } from '../src/messages/source.ts'
import { StateReport } from '../src/messages/state.ts'
import { vocabularies } from '../src/messages/vocabularies.ts'
import type { StateView } from '../src/panel/state.ts'
import { attach } from './shared/attach.ts'
import { numbers, oneOf, tick } from './shared/choices.ts'
import { reporting } from './shared/reporting.ts'

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
      messages: (panel, news, which) => report.messages(news.view, sourceOf(panel, news), which),
      text: (view) => word(view, partitions),
    })
    attach(RED, this, def.panel, behaviour)
  }

  function word(view: StateView, partitions: readonly number[]): string {
    const shown = view.partitions.filter(({ id }) => partitions.length === 0 || partitions.includes(id))
    const values = shown.map(({ value }) => value)
    const value = mostUrgentFirst.find((urgent) => values.includes(urgent))
    return value === undefined ? (values[0] ?? '') : RED._(`state.status.${value}`)
  }

  RED.nodes.registerType('keyholder-state', StateNode)
}
