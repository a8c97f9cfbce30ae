import {
  type Check,
  dictionary,
  integer,
  invalid,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
} from '../../../service/schema.ts'
import { columnsOf, type EventGlimpse, type EventHistory, sequencesOf } from '../event-history.ts'
import { sortOrders } from '../event-order.ts'
import { type Batch, keptNotes, type NodeNotes, withNotes } from '../subscription.ts'

const origins = ['copy', 'joining'] as const

/** The way in which a state that was written in a cluster came about. */
type CursorOrigin = (typeof origins)[number]

/** The data about a panel's events that is kept over restarts. */
export interface CursorState {
  serial: string
  memory: EventHistory
  /** The position of each listening node, by node id: the highest sequence that it received or skipped. */
  positions: Record<string, number>
  /** The highest sequence of the first list of each node whose first run is not over, by node id. */
  firstRuns?: Record<string, number>
  /** The newest event known when a node went away, by node id, while the node has not received later ones. */
  lastKnown?: Record<string, EventGlimpse>
  /** Notes of a node about the events up to its position, in a format of its own, by node id. */
  notes?: NodeNotes
  /**
   * The origin of a state that was written in a cluster, where others may have delivered since: a `copy` of what its instances
   * share, or what a process had sent alone when it was `joining`. Absent if a process has written it that was alone.
   */
  origin?: CursorOrigin
}

/** Returns the newest event that was known when the node had received all events; null if it is not known. */
export function newestBefore(state: CursorState, nodeId: string, position: number): EventGlimpse | null {
  const isUpToDate = position + 1 >= state.memory.next
  return (isUpToDate ? state.memory.newest : state.lastKnown?.[nodeId]) ?? null
}

/** The notes that nodes have changed, by node id. */
type ChangedNotes = ReadonlyMap<string, string>

/**
 * Returns the state to record before anything is sent: the events about to be sent are beyond a node's
 * position, and so is a gap about to be told.
 */
export function stateBefore(
  serial: string,
  memory: EventHistory,
  state: CursorState | undefined,
  batches: readonly Batch[],
  notes: ChangedNotes,
): CursorState {
  const positions = batches.map(({ nodeId, events, hasGap, before, position }): [string, number] => [
    nodeId,
    events.length > 0 || hasGap ? before : position,
  ])
  return stateWith(serial, memory, {
    positions: [...Object.entries(state?.positions ?? {}), ...positions],
    firstRuns: firstRunsAfter(state, batches),
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
  notes: ChangedNotes,
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
  return stateWith(serial, memory, {
    positions,
    firstRuns: firstRunsAfter(state, batches),
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
  state: CursorState | undefined,
  batches: readonly Batch[],
): ReadonlyMap<string, number> {
  const firstRuns = new Map(Object.entries(state?.firstRuns ?? {}))
  for (const { nodeId, isFirstList, isSettling, boundary } of batches) {
    if (isFirstList) firstRuns.set(nodeId, boundary)
    else if (!isSettling) firstRuns.delete(nodeId)
  }
  return firstRuns
}

/** Returns a state with the fields about nodes, without those that are empty. */
export function stateWith(
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

/** The content of a cursor file. */
export interface CursorContent {
  /** Null if keys were intended before any state was saved. */
  state: CursorState | null
  /** `eventKey` of each event that was about to be sent after the state was written. */
  intended: ReadonlySet<string>
  /** True if an intent is cut off, so that its events are unknown. */
  isTorn: boolean
}

/**
 * The version of the format. A file has two kinds of JSON lines: first the state, or null, then a line for
 * each intent.
 */
const format = 1

const eventGlimpse: Check<EventGlimpse> = record({
  id: withDefault(integer, null),
  typeId: withDefault(integer, null),
  time: text,
})

/** Text of any length: the nodes keep their notes short. */
const noteText: Check<string> = (value) => (typeof value === 'string' ? value : invalid)

const stateLine = record({
  format: integer,
  serial: text,
  memory: record({
    marks: list(integer),
    occurrences: list(integer),
    sequences: list(integer),
    next: integer,
    order: text,
    newest: withDefault(eventGlimpse, null),
    // Absent in files of version 0.2.0.
    oldest: withDefault(eventGlimpse, undefined),
    // Absent in files of version 0.1.0.
    moved: withDefault(record({ shift: integer, separator: text, ending: text }), null),
  }),
  positions: dictionary(integer),
  // Absent in files of version 0.1.0.
  firstRuns: withDefault(dictionary(integer), new Map<string, number>()),
  lastKnown: withDefault(dictionary(eventGlimpse), new Map<string, EventGlimpse>()),
  notes: withDefault(dictionary(noteText), new Map<string, string>()),
  origin: withDefault(text, undefined),
})

const intentLine: Check<{ intended: string[] }> = record({ intended: list(text) })

/**
 * Returns the text of the whole file after a save.
 * @param open keys that stay intended
 */
export function stateText(state: CursorState | null, open: readonly string[] = []): string {
  const line = JSON.stringify(state === null ? null : { format, ...state, memory: inLists(state.memory) })
  return open.length > 0 ? line + intentText(open) : line
}

/** Returns the columns as lists, because JSON would turn them into objects. */
function inLists(history: EventHistory): object {
  const { hashes, occurrences, ...others } = history
  const marks = [...hashes]
  // Written out, as versions before expect them.
  const written = marks.map((_, row) => occurrences[row] ?? 1)
  return { marks, occurrences: written, ...others, sequences: [...sequencesOf(history)] }
}

/**
 * Text to append if the file has no room for more intents: a cut-off line, so that the intents do not look
 * complete.
 */
export const tornText = '\n'

/**
 * Returns the text that an intent adds to the file. The line break comes first, so that a line cut off by a
 * kill does not damage another one.
 */
export function intentText(keys: readonly string[]): string {
  return `\n${JSON.stringify({ intended: keys })}`
}

/**
 * Returns the content of the file, or undefined if it is not a cursor.
 *
 * A cut-off intent is left out. After a kill its events were never sent, because the intent must be on disk
 * before. After a power cut they may have been sent, if the disk had only promised to keep the intent.
 */
export function contentOf(file: string): CursorContent | undefined {
  const [first = '', ...others] = file.split('\n')
  const state = first === 'null' ? null : stateOf(first)
  if (state === undefined) return undefined
  const intents = others.map((line) => parse(intentLine, parseJson(line))?.value.intended)
  return {
    state,
    intended: new Set(intents.flatMap((keys) => keys ?? [])),
    isTorn: intents.includes(undefined),
  }
}

/** Returns true if a number fits into a column of counts. */
function isCount(value: number): boolean {
  return value >= 0 && value < 2 ** 32
}

/**
 * Returns the state of a line only if all of it is valid: with half of the history, events would be repeated.
 */
function stateOf(line: string): CursorState | undefined {
  const parsed = parse(stateLine, parseJson(line))
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  const { serial, memory, positions, firstRuns, lastKnown, notes } = parsed.value
  const origin = origins.find((known) => known === parsed.value.origin)
  const { marks, occurrences, sequences, next, newest, oldest, moved } = memory
  const order = sortOrders.find((known) => known === memory.order)
  const isTable = occurrences.length === marks.length && sequences.length === marks.length
  if (order === undefined || !isTable || !sequences.every((sequence) => sequence < next)) return undefined
  if (![...occurrences, ...sequences, next].every(isCount)) return undefined
  const columns = columnsOf({ hashes: marks, occurrences, sequences }, next)
  const history = { ...columns, next, order, newest, moved, ...(oldest && { oldest }) }
  const nodes = { positions, firstRuns, lastKnown, notes: Object.fromEntries(notes) }
  return { ...stateWith(serial, history, nodes), ...(origin && { origin }) }
}
