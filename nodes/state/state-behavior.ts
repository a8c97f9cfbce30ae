import type { Node, NodeAPI } from 'node-red'
import { StateReport } from '../../src/messages/state-message.ts'
import { vocabularies } from '../../src/messages/vocabularies.ts'
import { isUnready, type StateView } from '../../src/panel/state/partition-state.ts'
import type { AttachedDef, Behavior } from '../binding/panel-binding.ts'
import { polledBehavior } from '../binding/polled-behavior.ts'
import { booleanOption, deliveringNode, integerList, oneOf } from '../shared/node-options.ts'
import { alarmText } from '../shared/node-status.ts'
import { stateStatus } from './state-status.ts'

/** The settings of a state node, as stored in a flow file. */
export interface StateDef extends AttachedDef {
  partitions?: unknown
  emit?: unknown
  initial?: unknown
  instances?: unknown
  vocabulary?: unknown
}

/** Returns the behavior of a state node: it reports the selected partitions in its vocabulary. */
export function behavior(RED: NodeAPI, node: Node, def: StateDef): Behavior {
  const partitions = integerList({ ...def }, 'partitions')
  const report = new StateReport({ partitions, vocabulary: oneOf(def.vocabulary, vocabularies) })

  return polledBehavior<StateView>(RED, node, {
    emit: oneOf(def.emit, ['change', 'poll']),
    initial: booleanOption(def.initial, true),
    deliveredTo: deliveringNode(node, def),
    nothingChosen:
      'The panel has none of the partitions selected in this node. Change "Partitions" in this node.',
    operation: 'status',
    watch: (panel) => panel.state,
    messages: (panel, snapshot, which) =>
      report.messages(snapshot.view, panel.sourceOf(snapshot), which, panel.account.clock.monotonic()),
    texts: (panel, { view }) => {
      const { facts } = panel.situation
      const fine = stateStatus(view, partitions, panel.devices.latest?.view.listed)
      const chosen = view.partitions.filter(({ id }) => partitions.length === 0 || partitions.includes(id))
      // A tamper can be an alarm while all is disarmed.
      const alarm = chosen.every(({ value }) => value === 'DISARM') ? alarmText(facts) : undefined
      return fine && { fine, alarm, isPending: chosen.some(isUnready) }
    },
  })
}
