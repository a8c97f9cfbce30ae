import type { PanelInfo, StateDefinition } from '../../service/panel-info.ts'
import { wholePanel } from '../../service/partition.ts'
import type { PanelStatus } from '../../service/status.ts'
import { partitionFacts, stateDefinitions } from '../partition-facts.ts'
import { isOnline, type StateView } from '../state.ts'

/** A partition as a command finds it, or leaves it. */
export interface PartitionSituation {
  id: number
  /** Empty where the set-up does not name it. */
  name: string
  /** The service's own word: during an alarm and the exit delay that of the arming, unlike what flows are told. */
  state: string
  /** `EXIT` while the exit delay runs, usually empty. */
  status: string
  /** Null where the service does not say. */
  ready: boolean | null
  /** States that may be requested now. */
  settable: readonly string[]
  definitions: readonly StateDefinition[]
}

/** A panel as a command finds it, or leaves it. */
export interface Situation {
  /** Null where the service does not say. */
  online: boolean | null
  partitions: readonly PartitionSituation[]
}

/** The situation as the service tells it. */
export function situationOf(status: PanelStatus, info: PanelInfo): Situation {
  return {
    online: isOnline(status),
    partitions: status.partitions.map(({ id, state, status, ready }) => {
      const { name, settable } = partitionFacts(info, id, state)
      return { id, name, state, status, ready, settable, definitions: stateDefinitions(info, id) }
    }),
  }
}

/** The situation as it is concluded from events, for services without an operation for the current state (field fact). */
export function concludedSituation({ online, partitions }: StateView, info: PanelInfo): Situation {
  return {
    online,
    partitions: partitions.map(({ id, name, value, status, ready, settable }) => {
      return { id, name, state: value, status, ready, settable, definitions: stateDefinitions(info, id) }
    }),
  }
}

/** The partitions that a partition id means: -1 means all there are. */
export function meant({ partitions }: Situation, id: number): readonly PartitionSituation[] {
  return id === wholePanel ? partitions : partitions.filter((partition) => partition.id === id)
}

/** What a partition is called in a sentence. */
export function called({ id, name }: Pick<PartitionSituation, 'id' | 'name'>): string {
  if (name !== '') return `${name} (partition ${id})`
  return id === wholePanel ? 'the panel' : `partition ${id}`
}

/** What a partition is doing, for a sentence. */
export function doing({ state, status }: PartitionSituation): string {
  return status === '' ? state : `${state} (${status})`
}
