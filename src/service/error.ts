/** All values of `err.code` in a flow; the README describes the remedy for each. */
export const errorCodes = [
  'NOT_CONFIGURED',
  'BAD_SETTING',
  'BAD_CREDENTIALS',
  'WRONG_USER_CODE',
  'LOGIN_BLOCKED',
  'SESSION_EXPIRED',
  'NOT_ALLOWED',
  'UNSUPPORTED_VERSION',
  'NOT_FOUND',
  'PANEL_OFFLINE',
  'RATE_LIMITED',
  'TIMEOUT',
  'NETWORK',
  'TLS',
  'BAD_RESPONSE',
  'RESPONSE_TOO_LARGE',
  'SERVER_ERROR',
  'COMMANDS_DISABLED',
  'NOT_SETTABLE',
  'INVALID_TRANSITION',
  'COMMAND_FAILED',
  'CLOSED',
] as const

/** One of the error codes of the public contract. */
export type ErrorCode = (typeof errorCodes)[number]

/** The service's own information about a failure, if any. */
export interface ServiceVerdict {
  /** HTTP status of the answer. */
  status?: number
  /** The service's own name for the failure, for example `WrongUserCode`. */
  reason?: string
}

/**
 * The only error class that leaves this package.
 *
 * It is always our own: a library's error contains the request with its password and tokens, and every log
 * that prints it would show them. So it has no `cause`, and its message is a sentence that names the field or
 * the remedy. It also has no `stack`: people read it, and Node-RED would show them the stack as part of the
 * message.
 */
export class KeyholderError extends Error {
  readonly code: ErrorCode
  readonly status?: number
  readonly reason?: string

  constructor(code: ErrorCode, message: string, verdict: ServiceVerdict = {}) {
    super(message)
    delete this.stack
    this.code = code
    if (verdict.status !== undefined) this.status = verdict.status
    if (verdict.reason !== undefined) this.reason = verdict.reason
  }
}

// On the prototype, so that a printed error shows code, status and reason but not the name as a fourth own
// property.
Object.defineProperty(KeyholderError.prototype, 'name', { value: 'KeyholderError' })

/** Converts any thrown value to our own error. Of other errors, which are defects, it keeps the message. */
export function asKeyholderError(thrown: unknown): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  const said = thrown instanceof Error ? thrown.message : String(thrown)
  return new KeyholderError('SERVER_ERROR', `Unexpected failure inside the alarm panel nodes: ${said}`)
}
