import { type ErrorCode, KeyholderError } from '../../service/error.ts'

/**
 * A failure and a word for its reason, if there is one. The word ends the sentence too, because Node-RED gives a Catch node
 * nothing but code and sentence.
 */
export function failure(code: ErrorCode, sentence: string, reason: string | undefined): KeyholderError {
  if (reason === undefined) return new KeyholderError(code, sentence)
  return new KeyholderError(code, `${sentence} (${reason})`, { reason })
}
