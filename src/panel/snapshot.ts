import type { Answer } from '../account/answer.ts'
import { second } from '../duration.ts'

/** A view made from an answer of the service, and the age of that answer. */
export interface Snapshot<T> {
  view: T
  /** The arrival of the answer: milliseconds since 1970. */
  fetchedAt: number
  /** The arrival of the answer: milliseconds of the monotonic clock. */
  at: number
  /** The time of the request: milliseconds of the monotonic clock. */
  sentAt: number
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
