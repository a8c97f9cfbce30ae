import { type Check, dictionary, integer, list, or, parse, record, text } from '../service/check.ts'
import { jsonOf } from '../service/verdict.ts'
import { orders } from './chronology.ts'
import { columnsOf, type FeedMemory } from './feed-memory.ts'

/** What is kept of a panel's events over restarts. */
export interface CursorState {
  serial: string
  memory: FeedMemory
  /** Position of each listening node, by its id: the highest sequence given to it. */
  positions: Record<string, number>
}

/** What a cursor file holds. */
export interface CursorContent {
  /** Null where keys were intended before anything was ever saved. */
  state: CursorState | null
  /** `eventKey` of each event that was about to be sent after the state was written. */
  intended: ReadonlySet<string>
  /** An intent is cut off, so that its events are not known. */
  isTorn: boolean
}

/** A file of two kinds of lines of JSON: first the state, or null, then a line for each intent. */
const format = 1

const stateLine = record({
  format: integer,
  serial: text,
  memory: record({
    marks: list(integer),
    occurrences: list(integer),
    sequences: list(integer),
    next: integer,
    order: text,
    newest: or(record({ id: or(integer, null), typeId: or(integer, null), time: text }), null),
  }),
  positions: dictionary(integer),
})

const intentLine: Check<{ intended: string[] }> = record({ intended: list(text) })

/**
 * The whole file after a save.
 * @param open keys that stay intended
 */
export function stateText(state: CursorState | null, open: readonly string[] = []): string {
  const line = JSON.stringify(state === null ? null : { format, ...state, memory: inLists(state.memory) })
  return open.length > 0 ? line + intentText(open) : line
}

/** The columns as lists: JSON would make objects of them. */
function inLists({ marks, occurrences, sequences, ...others }: FeedMemory): object {
  return { marks: [...marks], occurrences: [...occurrences], sequences: [...sequences], ...others }
}

/** What is added where the file has no room for more intents: a line cut off, so that no one takes it for complete. */
export const tornText = '\n'

/** What an intent adds to the file. The break comes first, so that a line torn by a kill spoils no other one. */
export function intentText(keys: readonly string[]): string {
  return `\n${JSON.stringify({ intended: keys })}`
}

/**
 * What the file says, or nothing when it is no cursor.
 *
 * A torn intent is left out. After a kill its events were never sent, since it has to be on disk before; after a power
 * cut they may have been, where the disk had only promised to keep it.
 */
export function contentOf(file: string): CursorContent | undefined {
  const [first = '', ...others] = file.split('\n')
  const state = first === 'null' ? null : stateOf(first)
  if (state === undefined) return undefined
  const intents = others.map((line) => parse(intentLine, jsonOf(line))?.value.intended)
  return {
    state,
    intended: new Set(intents.flatMap((keys) => keys ?? [])),
    isTorn: intents.includes(undefined),
  }
}

/** Whether a number fits into a column of counts. */
function isCount(value: number): boolean {
  return value >= 0 && value < 2 ** 32
}

/** A state is believed as a whole or not at all: half a memory would repeat what the other half knew. */
function stateOf(line: string): CursorState | undefined {
  const parsed = parse(stateLine, jsonOf(line))
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  const { serial, memory, positions } = parsed.value
  const { marks, occurrences, sequences, next, newest } = memory
  const order = orders.find((known) => known === memory.order)
  const isTable = occurrences.length === marks.length && sequences.length === marks.length
  if (order === undefined || !isTable || !sequences.every((sequence) => sequence < next)) return undefined
  if (![...occurrences, ...sequences, next].every(isCount)) return undefined
  return {
    serial,
    memory: { ...columnsOf({ marks, occurrences, sequences }), next, order, newest },
    positions: Object.fromEntries(positions),
  }
}
