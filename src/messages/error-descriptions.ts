import type { ErrorCode } from '../service/error.ts'

/**
 * The description of a failure, by its error code alone.
 *
 * The failure's own message can name a host, a serial, an alias or a file. A health message contains only
 * these descriptions, so that it can be shown to anyone.
 */
export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  NOT_CONFIGURED: 'A required setting is empty. The log names it.',
  BAD_SETTING: 'A setting is wrong, or Node-RED cannot write a file. The log has the details.',
  BAD_CREDENTIALS:
    'The service rejected the e-mail or the password. They are not sent again until you change them and deploy.',
  WRONG_USER_CODE: 'The panel rejected the user code. It is not sent again until you change it and deploy.',
  LOGIN_BLOCKED: 'The service blocks sign-ins for a while, or the account has reached a limit.',
  SESSION_EXPIRED: 'The session keeps expiring. Another program may use the same app ID.',
  NOT_ALLOWED: 'The user of this account has no permission for this.',
  UNSUPPORTED_VERSION: 'The service offers no version that this package supports. Ask your provider.',
  NOT_FOUND: 'The service or the panel does not have the requested operation, partition, zone or device.',
  PANEL_OFFLINE: 'The service cannot reach the panel.',
  RATE_LIMITED: 'The service received too many requests.',
  TIMEOUT: 'The service did not answer in time.',
  NETWORK: 'The service cannot be reached.',
  TLS: 'No secure connection is possible, or the certificate of the service is not trusted.',
  BAD_RESPONSE: 'The service sent an answer that this package cannot read.',
  RESPONSE_TOO_LARGE: 'The answer of the service was too large.',
  SERVER_ERROR: 'The service failed.',
  INTERNAL_ERROR: 'This package has a bug. Please report it.',
  COMMANDS_DISABLED: 'Commands are turned off for this panel.',
  NOT_SETTABLE: 'The panel does not allow this command, or is not ready to arm.',
  INVALID_TRANSITION: 'The panel cannot change from its current state to the requested one.',
  COMMAND_FAILED: 'The panel did not carry out a command.',
  CLOSED: 'The request was stopped before an answer arrived.',
}
