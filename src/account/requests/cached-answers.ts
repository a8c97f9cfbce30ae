import { second } from '../../duration.ts'
import type { Success } from '../answer.ts'

/** The header of each request: a cache on the way asks the service first (RFC 9111, 5.2.1.4). */
export const noCache = { 'Cache-Control': 'no-cache' } as const

/** The largest number of seconds: a cache tells it instead of all larger ones (RFC 9111, 1.2.2). */
const maxSeconds = 2 ** 31

/**
 * Returns the milliseconds for which a cache has kept an answer, by the header `Age` (RFC 9111, 5.1); undefined if none
 * has. Caches exist where a proxy ends TLS, and some of them do not ask the service first.
 */
export function cachedFor(age: string | undefined): number | undefined {
  if (age === undefined || !/^\d+$/.test(age)) return undefined
  return Math.min(Number(age), maxSeconds) * second
}

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
