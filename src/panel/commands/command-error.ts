import { type ErrorCode, KeyholderError } from '../../service/error.ts'

/** The reason of a failure after which it is not known whether the panel has done what was commanded. */
export const unknownOutcome = 'Unknown'

/**
 * A failure and a word for its reason, if there is one. The word ends the sentence too, because Node-RED gives a Catch node
 * nothing but code and sentence.
 */
export function failure(code: ErrorCode, sentence: string, reason: string | undefined): KeyholderError {
  if (reason === undefined) return new KeyholderError(code, sentence)
  return new KeyholderError(code, `${sentence} (${reason})`, { reason })
}
