import { type ErrorCode, KeyholderError } from './error.ts'

/** The service, or the rights of this user, lack the operation: an answer, and no failure of the account. */
export const lacking: readonly ErrorCode[] = ['NOT_FOUND', 'NOT_ALLOWED']

/** Nobody answered. */
export const outOfReach: readonly ErrorCode[] = ['NETWORK', 'TIMEOUT', 'TLS']

/** Whether what was thrown is an error of ours with one of these codes. */
export function hasCode(thrown: unknown, ...codes: readonly ErrorCode[]): thrown is KeyholderError {
  return thrown instanceof KeyholderError && codes.includes(thrown.code)
}
