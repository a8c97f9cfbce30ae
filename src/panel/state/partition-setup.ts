import type { PanelInfo, PanelPartition, StateDefinition } from '../../service/responses/panel-info.ts'
import { defaultStates, requestable } from '../../service/state-rules.ts'

/** The panel's setup for a partition that is in a given state. */
export interface PartitionSetup {
  /** Empty if the setup does not name it. */
  name: string
  /** True if the setup does not say. */
  active: boolean
  /** Seconds. */
  exitDelay: number | null
  /** States that a client can request now, in the order of the state set (interface specification 3). */
  settable: string[]
}

/** Returns the setup of the partition `id`, and what can be requested while the service reports `state`. */
export function partitionSetup(info: PanelInfo | null, id: number, state: string): PartitionSetup {
  const partition = findPartition(info, id)
  return {
    name: partition?.name ?? '',
    active: partition?.active ?? true,
    exitDelay: exitDelayOf(info, id),
    settable: requestable(stateDefinitions(info, id), state),
  }
}

/** Returns the seconds that people have to leave the partition `id`; null if the setup does not say. */
export function exitDelayOf(info: PanelInfo | null, id: number): number | null {
  return findPartition(info, id)?.exit_delay_time ?? null
}

/** Returns the definitions of the states that the partition `id` can be in; empty if they are unknown. */
export function stateDefinitions(info: PanelInfo | null, id: number): readonly StateDefinition[] {
  // Nothing is known about a panel whose setup was not read yet, so nothing is offered.
  if (info === null) return []
  const sets = [...info.state_sets.values()]
  if (sets.length === 0) return defaultStates
  const named = info.state_sets.get(findPartition(info, id)?.state_set ?? '')
  // A single set applies whatever its name is: `all` and `default` are both in use.
  return named ?? (sets.length === 1 ? (sets[0] ?? []) : [])
}

function findPartition(info: PanelInfo | null, id: number): PanelPartition | undefined {
  return info?.partitions.find((partition) => partition.id === id)
}
