import type { Node, NodeAPI } from 'node-red'
import { second } from '../src/duration.ts'
import { StateReport } from '../src/messages/state-message.ts'
import { vocabularies } from '../src/messages/vocabularies.ts'
import { secondsUntil } from '../src/panel/state/exit-delay.ts'
import type { PartitionState, StateView } from '../src/panel/state/partition-state.ts'
import { booleanOption, integerList, oneOf } from './shared/node-options.ts'
import type { ChangingText } from './shared/node-status.ts'
import type { AttachedDef, Behavior } from './shared/panel-binding.ts'
import { polledBehavior } from './shared/polled-behavior.ts'

/** The settings of a state node, as stored in a flow file. */
export interface StateDef extends AttachedDef {
  partitions?: unknown
  emit?: unknown
  initial?: unknown
  vocabulary?: unknown
}

/** States by priority: with several partitions, the status shows the first of these that occurs. */
const mostUrgentFirst = ['ALARM', 'ENTRY_DELAY', 'ARMING', 'PROGRAMMING', 'AWAY', 'HOME', 'DISARM']

/** Returns the behavior of a state node: it reports the selected partitions in its vocabulary. */
export function behavior(RED: NodeAPI, node: Node, def: StateDef): Behavior {
  const partitions = integerList({ ...def }, 'partitions')
  const report = new StateReport({ partitions, vocabulary: oneOf(def.vocabulary, vocabularies) })

  return polledBehavior<StateView>(RED, node, {
    emit: oneOf(def.emit, ['change', 'poll']),
    initial: booleanOption(def.initial, true),
    nothingChosen:
      'The panel has none of the partitions selected in this node. Change "Partitions" in this node.',
    operation: 'status',
    watch: (panel) => panel.state,
    messages: (panel, snapshot, which) =>
      report.messages(snapshot.view, panel.sourceOf(snapshot), which, panel.account.clock.monotonic()),
    text: (view) => word(RED, view, partitions),
  })
}

function word(RED: NodeAPI, view: StateView, partitions: readonly number[]): string | ChangingText {
  const shown = view.partitions.filter(({ id }) => partitions.length === 0 || partitions.includes(id))
  const values = shown.map(({ value }) => value)
  const value = mostUrgentFirst.find((urgent) => values.includes(urgent))
  if (value === undefined) return values[0] ?? ''
  const word = RED._(`state.status.${value}`)
  const until = value === 'ARMING' ? allArmedAt(shown) : 0
  if (until === 0) return word
  const counted = (seconds: number) => RED._('state.status.arming', { seconds: String(seconds) })
  return countdown(until, (seconds) => (seconds > 0 ? counted(seconds) : word))
}

/**
 * Returns a status text with the remaining seconds.
 * @param until milliseconds of the monotonic clock
 */
export function countdown(until: number, text: (seconds: number) => string): ChangingText {
  return (now) => {
    const left = secondsUntil(until, now)
    return { text: text(left), changesIn: left === 0 ? undefined : until - second * (left - 1) - now }
  }
}

/** Returns the end of the last exit delay, in milliseconds of the monotonic clock; 0 if unknown. */
function allArmedAt(partitions: readonly PartitionState[]): number {
  return Math.max(0, ...partitions.map(({ exitUntil }) => exitUntil ?? 0))
}
