import { counted, minute } from '../../src/duration.ts'
import { KeyholderError } from '../../src/service/error.ts'

// Whoever answers reads these sentences on the phone.

export function notPossible(sentence: string): KeyholderError {
  return new KeyholderError('INVALID_TRANSITION', sentence)
}

/** @param left milliseconds until a message may begin a test; infinity is after the next answer */
export function tooManyAsked(left: number): KeyholderError {
  const wait = counted(Math.ceil(left / minute), 'minute')
  return notPossible(
    left === Number.POSITIVE_INFINITY
      ? 'Nobody has answered the last tests that messages have begun, so they begin no further one until a test is answered. Press the button of the node "alarm chain test".'
      : `Nobody has answered the test that a message has begun, so the next one by a message can begin in ${wait}. Or press the button of the node "alarm chain test".`,
  )
}

export function otherInstance(): KeyholderError {
  return notPossible(
    'Another Node-RED instance of the cluster tests the alarm chain of this panel. Send the message to that one.',
  )
}

export function unknownAnswer(): KeyholderError {
  const why =
    'No test of the alarm chain asks for this answer. It was given before, or there was a later test.'
  return new KeyholderError('NOT_FOUND', why)
}

/** @param ways the names of the nodes in which each way ends */
export function unanswered(ways: readonly (readonly string[])[]): KeyholderError {
  const [first, second] = ways.map((names) => names.join(', ') || 'nothing is connected')
  return new KeyholderError(
    'TIMEOUT',
    `Nobody has answered the test of the alarm chain, neither by the first way (${first}) nor by the second way (${second}): an alarm would not reach you. Check the nodes behind both outputs, the messengers and the phones, then press the button of the node "alarm chain test". A watcher outside is not called until a test is answered.`,
  )
}
