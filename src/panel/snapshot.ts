import type { Answer } from '../account/request-coalescer.ts'

/** A view made from an answer of the service, and the age of that answer. */
export interface Snapshot<T> {
  view: T
  /** The arrival of the answer: milliseconds since 1970. */
  fetchedAt: number
  /** The arrival of the answer: milliseconds of the monotonic clock. */
  at: number
  /** The time of the request: milliseconds of the monotonic clock. */
  sentAt: number
  /** Milliseconds after which the view is too old to rely on: three polls. */
  validFor: number
}

/** Number of polls without an answer after which a view is too old to rely on. */
export const validPolls = 3

/**
 * Returns a snapshot of an answer.
 * @param every milliseconds between the polls that request it
 */
export function snapshot<T>({ fetchedAt, at, sentAt }: Answer<unknown>, view: T, every: number): Snapshot<T> {
  return { view, fetchedAt, at, sentAt, validFor: validPolls * every }
}
