import { type ErrorCode, KeyholderError } from '../../service/error.ts'

/** The reason of a failure after which it is not known whether the panel has executed the command. */
export const unknownOutcome = 'Unknown'

/**
 * Returns a failure with a word for its reason, if there is one. The word also ends the sentence, because
 * Node-RED passes only code and sentence to a Catch node.
 */
export function failure(code: ErrorCode, sentence: string, reason: string | undefined): KeyholderError {
  if (reason === undefined) return new KeyholderError(code, sentence)
  return new KeyholderError(code, `${sentence} (${reason})`, { reason })
}
