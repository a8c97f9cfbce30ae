import type { Answer, Success } from '../account/answer.ts'
import { second } from '../duration.ts'
import type { KeyholderError } from '../service/error.ts'

/** The times of an answer that tell when the service has made it. */
export type AnswerAge = Pick<Success<unknown>, 'sentAt' | 'cached'>

/** Returns true if a cache has kept an answer: what it shows may have changed before the request for it. */
export function isKept({ cached = 0 }: AnswerAge): boolean {
  return cached > 0
}

/**
 * Returns the time before which the service has made an answer, in milliseconds of the monotonic clock: that of the
 * request, or earlier if a cache has kept it. `Age` has whole seconds, so the answer can be a second older.
 */
export function madeAt({ sentAt, cached }: AnswerAge): number {
  return cached === undefined ? sentAt : sentAt - cached - second
}

/** The times of an answer, and of the request for it. */
export interface AnswerTimes extends Pick<Answer<unknown>, 'fetchedAt' | 'at' | 'sentAt'> {
  /** The error of a part that could not be read, beside what is told. */
  failure?: KeyholderError
}

/** A view made from an answer of the service, and the age of that answer. */
export interface Snapshot<T> extends AnswerTimes {
  view: T
  /** Milliseconds after which the view is too old to rely on. */
  validFor: number
}

/** Number of polls without an answer after which a view is too old to rely on. */
const validPolls = 3

/** Milliseconds for which a view is valid at least: one slow answer while polls are frequent means nothing. */
const minValid = 90 * second

/** Returns the milliseconds after which a view is too old to rely on. @param every milliseconds between polls */
export function validFor(every: number): number {
  return Math.max(minValid, validPolls * every)
}

/**
 * Returns a snapshot of an answer.
 * @param every milliseconds between the polls that request it
 */
export function snapshot<T>({ fetchedAt, at, sentAt }: Answer<unknown>, view: T, every: number): Snapshot<T> {
  return { view, fetchedAt, at, sentAt, validFor: validFor(every) }
}

/** The panel that a snapshot is about, and the age of its data, for the messages made of it. */
export interface Source {
  /** The panel's name in topics. */
  name: string
  panel: {
    serial: string
    alias: string
    /** True if the service reaches the panel; also true until the opposite is known. */
    online: boolean
  }
  /** The arrival of the answer on which the message is based: ISO 8601 in UTC. */
  fetchedAt: string
  /** True when that answer is too old to rely on, or the panel is offline. */
  stale: boolean
}

/**
 * An answer of the service, as far as it can show that something is not there.
 *
 * Field fact: now and then an answer lacks a part of a list or all of it, most of all right after a sign-in.
 */
interface ListAnswer extends Pick<Answer<unknown>, 'at' | 'sentAt' | 'session' | 'cached'> {
  /** False if nothing that it lacks is missing: of a panel that is out of reach, or a list of devices without any. */
  readonly isReliable: boolean
  /** Milliseconds after which an earlier answer is no longer the one before. */
  readonly validFor: number
}

/** The knowledge of one list of the service. Times are milliseconds of the monotonic clock. */
export interface ListRecord<T> {
  readonly latest: Pick<ListAnswer, 'at' | 'sentAt' | 'session'> | undefined
  /** True if the latest answer was not complete, because it was the first one after a sign-in. */
  readonly isEarly: boolean
  /** All that is there, by key: first what the latest answer lacks. */
  readonly entries: ReadonlyMap<string, T>
  /** By key of an entry, the arrival of the first complete answer that lacks it, if one does. */
  readonly missingAt: ReadonlyMap<string, number>
  /** The arrival of the first complete answer in a row; undefined if there was none. */
  readonly completeAt: number | undefined
  /** True once two separate complete answers in a row are known: what has no entry is not there. */
  readonly isWhole: boolean
  /** The times of the latest complete answer in a row; undefined if there was none. */
  readonly complete?: Pick<ListAnswer, 'at' | 'sentAt'> | undefined
  /**
   * The time of the request for the complete answer before that one, if it is a separate one: what neither of them has was
   * not there then.
   */
  readonly agreedAt?: number | undefined
}

const nothingMissing: ReadonlyMap<string, number> = new Map()

/** Before the first answer. */
export const nothingKnown: ListRecord<never> = {
  latest: undefined,
  isEarly: false,
  entries: new Map<string, never>(),
  missingAt: nothingMissing,
  completeAt: undefined,
  isWhole: false,
}

/** The state of a list after an answer. */
interface KnownList<T> {
  readonly record: ListRecord<T>
  /** Entries that the answer lacks and that are there until a second answer lacks them, with their latest values. */
  readonly held: readonly T[]
  /** Entries of which this answer has shown that they are no longer there. */
  readonly gone: readonly T[]
}

/** The other things that an answer says about the entries that its list lacks. */
export interface Circumstances<T> {
  /** Returns true if something else shows that an entry is over: it is gone at once. */
  isOver?(value: T): boolean
  /** Returns false if the answer says nothing about an entry. */
  speaksOf?(value: T): boolean
}

/**
 * Returns what is there after an answer. What one answer lacks is not gone: only two separate, complete answers in a row
 * that lack something show that.
 *
 * The first answer after a sign-in is not complete, nor is one that is not reliable. An answer that several callers share
 * counts once, and an answer to a request that was sent before the other one had arrived is not a second one. Nor is
 * another copy of an answer that a cache has kept: what counts is when the service has made it.
 * @param listed the entries of the answer by key
 */
export function afterAnswer<T>(
  before: ListRecord<T>,
  listed: ReadonlyMap<string, T>,
  answer: ListAnswer,
  { isOver = () => false, speaksOf = () => true }: Circumstances<T> = {},
): KnownList<T> {
  const { latest } = before
  const { session, cached = 0 } = answer
  const sentAt = madeAt(answer)
  const at = answer.at - cached
  const missing = [...before.entries].filter(([key]) => !listed.has(key))
  if (latest !== undefined && sentAt <= latest.sentAt)
    return { record: before, held: missing.map(([, value]) => value), gone: [] }
  // If each request needs a sign-in of its own, every second answer counts.
  const isEarly = latest === undefined || (latest.session !== session && !before.isEarly)
  const isComplete = answer.isReliable && !isEarly
  const isInRow = latest !== undefined && sentAt - latest.at <= answer.validFor
  const isSecondAfter = (first: number | undefined) => isComplete && first !== undefined && sentAt >= first
  const entries = new Map<string, T>()
  const missingAt = new Map<string, number>()
  const gone: T[] = []
  for (const [key, value] of missing) {
    const counts = isComplete && speaksOf(value)
    const since = before.missingAt.get(key)
    if (isOver(value) || (counts && isSecondAfter(since))) {
      gone.push(value)
    } else {
      entries.set(key, value)
      if (since !== undefined || counts) missingAt.set(key, since ?? at)
    }
  }
  const held = [...entries.values()]
  for (const [key, value] of listed) entries.set(key, value)
  const completeAt = isInRow ? before.completeAt : undefined
  const earlier = isInRow ? before.complete : undefined
  const isSeparate = isComplete && (earlier === undefined || sentAt >= earlier.at)
  const record: ListRecord<T> = {
    latest: { at, sentAt, session },
    isEarly,
    entries,
    missingAt: missingAt.size === 0 ? nothingMissing : missingAt,
    completeAt: completeAt ?? (isComplete ? at : undefined),
    isWhole: isInRow && (before.isWhole || isSecondAfter(completeAt)),
    complete: isSeparate ? { at, sentAt } : earlier,
    agreedAt: isSeparate ? earlier?.sentAt : isInRow ? before.agreedAt : undefined,
  }
  return { record, held, gone }
}
