import { type ErrorCode, KeyholderError } from './error.ts'

/** The service or this user's rights lack the operation: an answer, not a failure of the account. */
export const lacking: readonly ErrorCode[] = ['NOT_FOUND', 'NOT_ALLOWED']

/** The codes for attempts without any answer. */
export const outOfReach: readonly ErrorCode[] = ['NETWORK', 'TIMEOUT', 'TLS']

/** Returns true if a thrown value is our own error with one of these codes. */
export function hasCode(thrown: unknown, ...codes: readonly ErrorCode[]): thrown is KeyholderError {
  return thrown instanceof KeyholderError && codes.includes(thrown.code)
}
