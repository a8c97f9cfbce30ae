import { type CursorState, newestBefore } from './cursor/cursor-format.ts'
import type { EventGlimpse, EventHistory } from './event-history.ts'
import { type Batch, keptNotes, type NodeNotes, withNotes } from './subscription.ts'

/** The notes that nodes have changed, by node id. */
export type ChangedNotes = ReadonlyMap<string, string>

const noNotes: ChangedNotes = new Map()

/**
 * Returns the state to record before anything is sent: the events about to be sent are beyond a node's
 * position, and so is a gap about to be told.
 */
export function stateBefore(
  serial: string,
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
  notes: ChangedNotes = noNotes,
): CursorState {
  const positions = batches.map(({ nodeId, events, hasGap, before, position }): [string, number] => [
    nodeId,
    events.length > 0 || hasGap ? before : position,
  ])
  return stateOf(serial, memory, {
    positions: [...Object.entries(state?.positions ?? {}), ...positions],
    firstRuns: firstRunsAfter(memory, state, batches),
    lastKnown: lastKnownTo(memory, state),
    notes: withNotes(state?.notes ?? {}, notes),
  })
}

/** Returns the state after the batches were sent; other nodes that have a position are away. */
export function stateAfter(
  serial: string,
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
  notes: ChangedNotes = noNotes,
): CursorState {
  const positions = new Map(Object.entries(state?.positions ?? {}))
  const present = new Set(batches.map(({ nodeId }) => nodeId))
  const changed = withNotes(
    state?.notes ?? {},
    [...notes].filter(([nodeId]) => present.has(nodeId)),
  )
  const lastKnown = lastKnownTo(memory, state)
  for (const { nodeId, position, hasGap } of batches) {
    positions.set(nodeId, position)
    // A gap in flight may have to be told again.
    if (!hasGap) lastKnown.delete(nodeId)
  }
  return stateOf(serial, memory, {
    positions,
    firstRuns: firstRunsAfter(memory, state, batches),
    lastKnown,
    notes: present.size === 0 ? changed : keptNotes(changed, present),
  })
}

/** Returns the newest event known to each node, if the node receives none of the new ones. */
function lastKnownTo(memory: EventHistory, state: CursorState | undefined): Map<string, EventGlimpse> {
  const lastKnown = new Map(Object.entries(state?.lastKnown ?? {}))
  if (state === undefined || memory.next === state.memory.next) return lastKnown
  for (const [nodeId, position] of Object.entries(state.positions)) {
    const newest = newestBefore(state, nodeId, position)
    if (newest !== null) lastKnown.set(nodeId, newest)
  }
  return lastKnown
}

function firstRunsAfter(
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
): ReadonlyMap<string, number> {
  const firstRuns = new Map(Object.entries(state?.firstRuns ?? {}))
  for (const { nodeId, isFirst, isSettling } of batches) {
    if (isFirst) firstRuns.set(nodeId, memory.next - 1)
    else if (!isSettling) firstRuns.delete(nodeId)
  }
  return firstRuns
}

/** Fields about nodes, without those that are empty. */
function stateOf(
  serial: string,
  memory: EventHistory,
  nodes: {
    positions: Iterable<readonly [string, number]>
    firstRuns: ReadonlyMap<string, number>
    lastKnown: ReadonlyMap<string, EventGlimpse>
    notes: NodeNotes
  },
): CursorState {
  return {
    serial,
    memory,
    positions: Object.fromEntries(nodes.positions),
    ...(nodes.firstRuns.size > 0 && { firstRuns: Object.fromEntries(nodes.firstRuns) }),
    ...(nodes.lastKnown.size > 0 && { lastKnown: Object.fromEntries(nodes.lastKnown) }),
    ...(Object.keys(nodes.notes).length > 0 && { notes: nodes.notes }),
  }
}
