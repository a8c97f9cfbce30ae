import type { Answer } from '../../../account/answer.ts'
import { second } from '../../../duration.ts'
import { KeyholderError } from '../../../service/error.ts'
import { afterAnswer, type ListRecord, nothingKnown } from '../../evidence.ts'

/** Milliseconds between two reads: what an answer lacks comes back within a moment, or not at all. */
export const readAgainAfter = second

const maxReads = 5

/**
 * Returns an answer that has something, or one after which it is certain that the panel no longer has it: else a bypass
 * would be forgotten, or ended too early, because one answer is incomplete.
 * @param what words for the error
 * @param has returns true if an answer has it
 * @param isReliable returns false for an answer that cannot show that it is gone
 * @param readAgain reads, a moment after an answer
 * @throws KeyholderError BAD_RESPONSE if the answers stay incomplete, and the errors of `readAgain`
 */
export async function certainAnswer<T>(
  what: string,
  first: Answer<T>,
  has: (value: T) => boolean,
  isReliable: (value: T) => boolean,
  readAgain: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  let answer = first
  // It was there when the record of the bypass was made.
  const known = { value: what, missingAt: undefined }
  let record: ListRecord<string> = { ...nothingKnown, entries: new Map([[what, known]]) }
  for (let reads = 1; !has(answer.value); reads += 1) {
    const { at, sentAt, session, value } = answer
    const dated = { at, sentAt, session, isReliable: isReliable(value), validFor: Number.POSITIVE_INFINITY }
    const after = afterAnswer(record, new Map(), dated)
    if (after.gone.length > 0) return answer
    if (reads === maxReads)
      throw new KeyholderError('BAD_RESPONSE', `The answers of the service lack ${what}, and are incomplete.`)
    record = after.record
    answer = await readAgain()
  }
  return answer
}
