import { type EventGlimpse, type EventHistory, remember, sequenceAt, sequencesOf } from '../event-history.ts'
import { type CursorState, newestBefore } from './cursor-format.ts'

/**
 * Returns one state for all nodes of several ones, whose sequences do not compare.
 *
 * A node has received an event if one of the states with a position of the node says so; events older than all that
 * such a state remembers count as received. The events that most nodes have received get the lowest sequences, so each
 * position is below all that its node has not received: nothing is lost. Where the nodes have received different
 * events, some are above the position of a node that has received them, and come again: the result is doubtful.
 * @param states oldest first, at least one
 */
export function mergeStates(states: readonly [CursorState, ...CursorState[]]): CursorState {
  const [oldest, ...others] = states
  if (others.length === 0) return oldest
  const memory = others.reduce((merged, next) => mergeMemories(merged, next.memory), oldest.memory)
  const keys = keysOf(memory)
  const nodeIds = [...new Set(states.flatMap(({ positions }) => Object.keys(positions)))]
  const nodes = nodeIds.map((id) => progressOf(id, states, keys))

  const countOf = (row: number) => nodes.filter(({ received }) => received[row]).length
  const counts = keys.map((_, row) => countOf(row))
  const rows = [...keys.keys()].sort((one, other) => (counts[other] ?? 0) - (counts[one] ?? 0))
  const leading = (isOf: (row: number) => boolean) => {
    const end = rows.findIndex((row) => !isOf(row))
    return end < 0 ? rows.length : end
  }
  const placed = nodes.map((node) => ({ ...node, end: leading((row) => node.received[row] === true) }))
  // A gap that a node has not been told takes a number behind its position.
  const gaps = new Set(placed.filter(({ hasGap }) => hasGap).map(({ end }) => end))
  const sequenceAt = (place: number) => place + 1 + [...gaps].filter((gap) => gap <= place).length

  const sequences = new Uint32Array(keys.length)
  for (const [place, row] of rows.entries()) sequences[row] = sequenceAt(place)
  const next = sequenceAt(keys.length)
  const positions: Record<string, number> = {}
  const firstRuns: Record<string, number> = {}
  const lastKnown: Record<string, EventGlimpse> = {}
  for (const { id, end, hasGap, ofFirstRun, newest } of placed) {
    const position = sequenceAt(end) - 1 - (hasGap ? 1 : 0)
    positions[id] = position
    // As far as it is certain: what does not count as first run is delivered.
    const firstEnd = ofFirstRun === undefined ? 0 : leading((row) => ofFirstRun[row] === true)
    if (firstEnd > 0) firstRuns[id] = sequenceAt(firstEnd - 1)
    if (newest !== null && position + 1 < next) lastKnown[id] = newest
  }
  // The states are in the order of their age, so the latest notes of each node stay.
  const notes = Object.assign({}, ...states.map((state) => state.notes))
  return {
    serial: oldest.serial,
    memory: { ...memory, sequences, next },
    positions,
    ...(Object.keys(firstRuns).length > 0 && { firstRuns }),
    ...(Object.keys(lastKnown).length > 0 && { lastKnown }),
    ...(Object.keys(notes).length > 0 && { notes }),
  }
}

/** A node's progress in terms of the rows of the merged history. */
interface Progress {
  id: string
  received: readonly boolean[]
  /** True if the node misses events that cannot be obtained, and has not been told. */
  hasGap: boolean
  /** The events of its first run; undefined if that is over. */
  ofFirstRun: readonly boolean[] | undefined
  /** The newest event known when it had received all events. */
  newest: EventGlimpse | null
}

function progressOf(
  id: string,
  states: readonly [CursorState, ...CursorState[]],
  keys: readonly string[],
): Progress {
  const received = keys.map(() => false)
  let last: Pick<Progress, 'hasGap' | 'ofFirstRun' | 'newest'> | undefined
  for (const state of states) {
    const position = state.positions[id]
    if (position === undefined) continue
    const sequenceOf = sequenceByKey(state.memory)
    const sequences = keys.map((key) => sequenceOf.get(key))
    const oldest = sequences.findIndex((sequence) => sequence !== undefined)
    const firstRun = state.firstRuns?.[id]
    for (const [row, sequence] of sequences.entries()) {
      // A first list may be thin, so that later ones add older events.
      const isForgotten = row < oldest && firstRun === undefined
      if (isForgotten || (sequence !== undefined && sequence <= position)) received[row] = true
    }
    last = {
      hasGap: owesGap(state, position, sequenceOf) || isCutOff(state, states),
      ofFirstRun:
        firstRun === undefined
          ? undefined
          : sequences.map((sequence) => sequence !== undefined && sequence <= firstRun),
      newest: newestBefore(state, id, position),
    }
  }
  const keyRows = new Map(keys.map((key, row) => [key, row]))
  // The others were told this gap when they received the event behind it.
  const hasOthersGap = states
    .filter(({ positions }) => positions[id] === undefined)
    .flatMap(({ memory }) => keysBehindGaps(memory))
    .some((key) => received[keyRows.get(key) ?? -1] === false)
  const progress = { id, received, hasGap: false, ofFirstRun: undefined, newest: null, ...last }
  return { ...progress, hasGap: progress.hasGap || hasOthersGap }
}

/** Returns the events of a history before which a gap has taken a number. */
function keysBehindGaps(memory: EventHistory): string[] {
  const sorted = [...sequenceByKey(memory)].sort(([, one], [, other]) => one - other)
  return sorted.flatMap(([key, sequence], place) => {
    const before = sorted[place - 1]?.[1]
    return before === undefined || before === sequence - 1 ? [] : [key]
  })
}

/** Returns true if numbers behind a position belong to no remembered event. */
function owesGap(
  { memory }: CursorState,
  position: number,
  sequenceOf: ReadonlyMap<string, number>,
): boolean {
  const from = Math.max(0, position)
  const beyond = [...sequenceOf.values()].filter((sequence) => sequence > from)
  return beyond.length < memory.next - 1 - from
}

/** Returns true if a state and the latest one have no event in common, so that there may be others between them. */
function isCutOff(state: CursorState, states: readonly CursorState[]): boolean {
  const known = sequenceByKey(state.memory)
  const latest = keysOf((states.at(-1) ?? state).memory)
  return known.size > 0 && latest.length > 0 && !latest.some((key) => known.has(key))
}

/** Returns all events of two histories, in the order of the later one where they differ. */
function mergeMemories(before: EventHistory, later: EventHistory): EventHistory {
  if (later.hashes.length === 0) return before
  const rowOf = new Map(keysOf(before).map((key, row) => [key, row]))
  const rows = keysOf(later).map((key) => rowOf.get(key) ?? -1)
  const { hashes, occurrences, next } = later
  const list = { hashes, occurrences, sequences: sequencesOf(later), rows }
  return { ...later, ...remember(before, list, next) }
}

/** Returns what tells the events of a history apart, in the order of its rows. */
function keysOf({ hashes, occurrences }: EventHistory): string[] {
  return Array.from(hashes, (hash, row) => `${hash} ${occurrences[row] ?? 1}`)
}

function sequenceByKey(memory: EventHistory): Map<string, number> {
  return new Map(keysOf(memory).map((key, row) => [key, sequenceAt(memory, row)]))
}
