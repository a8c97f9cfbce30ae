import type { ReadOptions } from '../../account/requests/request.ts'
import { errorCodes, KeyholderError } from '../../service/error.ts'
import type { Hint, PollLease } from '../lease.ts'

/** The use of the answers that processes publish for each other; empty for a process that shares none. */
type Sharing = Pick<ReadOptions, 'share'>

/** Returns the option of a request whose answer is published, if this process polls and another one follows. */
export function publishing({ answersOf, followedEvery, isHeld }: PollLease): Sharing {
  if (answersOf === undefined || followedEvery() === undefined || !isHeld) return {}
  return { share: { as: 'publish', answersOf } }
}

/**
 * Returns the option of a request that takes the answer that another process has published.
 * @param interval milliseconds between the polls that this process needs
 */
export function following({ answersOf }: PollLease, interval: number): Sharing {
  // The process that polls does it as often as the quickest follower needs.
  return answersOf === undefined ? {} : { share: { as: 'follow', answersOf, maxAge: 1.5 * interval } }
}

/**
 * Returns the error for a process that follows polls of which one has failed; undefined for another hint. The sentence of
 * the process that polls may name a host, so it is not shared.
 * @param holder the name of the process that polls, if it is known
 */
export function failureIn(hint: Hint, holder = 'of this cluster'): KeyholderError | undefined {
  const code = errorCodes.find((one) => hint === `failure:${one}`)
  if (code === undefined) return undefined
  const sentence = `The Node-RED instance ${holder} polls this panel for this node, and its polls fail. The log of that instance has the details.`
  return new KeyholderError(code, sentence)
}
