import type { PanelInfo, StateDefinition } from '../../service/responses/panel-info.ts'
import { wholePanel } from '../../service/responses/partition.ts'
import type { PanelStatus } from '../../service/responses/status.ts'
import { partitionSetup, stateDefinitions } from '../state/partition-setup.ts'
import { isOnline, type StateView } from '../state/partition-state.ts'

/** A partition before or after a command. */
export interface PartitionSituation {
  id: number
  /** Empty if the setup does not name it. */
  name: string
  /**
   * The service's own word: during an alarm and the exit delay it is the armed state, unlike in messages to
   * flows.
   */
  state: string
  /** `EXIT` during the exit delay, usually empty. */
  status: string
  /** Null if the service does not say. */
  ready: boolean | null
  /** States that can be requested now. */
  settable: readonly string[]
  definitions: readonly StateDefinition[]
}

/** A panel before or after a command. */
export interface Situation {
  /** Null if the service does not say. */
  online: boolean | null
  partitions: readonly PartitionSituation[]
}

/** Returns the situation that the service reports. */
export function situationOf(status: PanelStatus, info: PanelInfo): Situation {
  return {
    online: isOnline(status),
    partitions: status.partitions.map(({ id, state, status, ready }) => {
      const { name, settable } = partitionSetup(info, id, state)
      return { id, name, state, status, ready, settable, definitions: stateDefinitions(info, id) }
    }),
  }
}

/**
 * Returns the situation inferred from events, for services without an operation for the current state (field
 * fact).
 */
export function concludedSituation({ online, partitions }: StateView, info: PanelInfo): Situation {
  return {
    online,
    partitions: partitions.map(({ id, name, value, status, ready, settable }) => {
      return { id, name, state: value, status, ready, settable, definitions: stateDefinitions(info, id) }
    }),
  }
}

/** Returns the partitions that a partition id stands for; -1 stands for all partitions. */
export function meant({ partitions }: Situation, id: number): readonly PartitionSituation[] {
  return id === wholePanel ? partitions : partitions.filter((partition) => partition.id === id)
}

/** Returns the name of a partition for a sentence. */
export function called({ id, name }: Pick<PartitionSituation, 'id' | 'name'>): string {
  if (name !== '') return `${name} (partition ${id})`
  return id === wholePanel ? 'the panel' : `partition ${id}`
}

/** Returns the state of a partition for a sentence. */
export function doing({ state, status }: PartitionSituation): string {
  return status === '' ? state : `${state} (${status})`
}
