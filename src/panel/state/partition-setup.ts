import type { PanelInfo, PanelPartition, StateDefinition } from '../service/panel-info.ts'
import { defaultStates, requestable } from '../service/state-rules.ts'

/** What the panel's set-up says of a partition that is in a given state. */
export interface PartitionFacts {
  /** Empty where the set-up does not name it. */
  name: string
  /** True where the set-up does not say. */
  active: boolean
  /** Seconds. */
  exitDelay: number | null
  /** States that a client may request now, in the order of the state set (interface specification 3). */
  settable: string[]
}

/** The set-up of the partition `id`, and what may be requested while the service says that it is in `state`. */
export function partitionFacts(info: PanelInfo | null, id: number, state: string): PartitionFacts {
  const partition = setUpOf(info, id)
  return {
    name: partition?.name ?? '',
    active: partition?.active ?? true,
    exitDelay: exitDelayOf(info, id),
    settable: requestable(stateDefinitions(info, id), state),
  }
}

/** Seconds that people have to leave the partition `id`; null where the set-up does not say. */
export function exitDelayOf(info: PanelInfo | null, id: number): number | null {
  return setUpOf(info, id)?.exit_delay_time ?? null
}

/** The definitions of the states that the partition `id` can be in; none where they are not known. */
export function stateDefinitions(info: PanelInfo | null, id: number): readonly StateDefinition[] {
  // Of a panel that has not told its set-up yet nothing is known, so nothing is offered.
  if (info === null) return []
  const sets = [...info.state_sets.values()]
  if (sets.length === 0) return defaultStates
  const named = info.state_sets.get(setUpOf(info, id)?.state_set ?? '')
  // Where there is one set only, it is meant, whatever it is called: `all` and `default` are both in use.
  return named ?? (sets.length === 1 ? (sets[0] ?? []) : [])
}

function setUpOf(info: PanelInfo | null, id: number): PanelPartition | undefined {
  return info?.partitions.find((partition) => partition.id === id)
}
