import type { Answer } from '../account/flights.ts'

/** What an answer of the service was made into, and how fresh it is. */
export interface News<T> {
  view: T
  /** Milliseconds since 1970 at which the answer came. */
  fetchedAt: number
  /** Milliseconds of the monotonic clock at which the answer came. */
  at: number
  /** The same for when it was asked for. */
  sentAt: number
  /** Milliseconds after which the news is too old to rely on: three polls. */
  goodFor: number
}

/** News is too old to rely on after so many polls without any. */
export const goodPolls = 3

/**
 * The news that an answer was made into.
 * @param every milliseconds between the polls that ask for it
 */
export function news<T>({ fetchedAt, at, sentAt }: Answer<unknown>, view: T, every: number): News<T> {
  return { view, fetchedAt, at, sentAt, goodFor: goodPolls * every }
}
