import type { ErrorCode } from '../service/error.ts'

/**
 * The description of a failure, by its error code alone.
 *
 * The failure's own message can name a host, a serial, an alias or a file. A health message contains only
 * these descriptions, so that it can be shown to anyone.
 */
export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  NOT_CONFIGURED: 'A setting is missing.',
  BAD_SETTING: 'A setting cannot be right, or a file of Node-RED cannot be written.',
  BAD_CREDENTIALS:
    'The service rejected the e-mail or the password; they are not tried again until they are changed.',
  WRONG_USER_CODE: 'The panel rejected the user code; it is not tried again until it is changed.',
  LOGIN_BLOCKED: 'The service blocks sign-ins for a time, or has reached a limit of its own.',
  SESSION_EXPIRED: 'The session with the service ended and a new sign-in did not mend it.',
  NOT_ALLOWED: 'The service does not allow this operation to this user.',
  UNSUPPORTED_VERSION: 'The service offers no version that can be used.',
  NOT_FOUND: 'The service does not know this operation.',
  PANEL_OFFLINE: 'The service cannot reach the panel.',
  RATE_LIMITED: 'The service asks for fewer requests.',
  TIMEOUT: 'The service did not answer in time.',
  NETWORK: 'The service cannot be reached.',
  TLS: 'No protected connection could be made, or the certificate of the service is not trusted.',
  BAD_RESPONSE: 'The answer of the service was no usable data.',
  RESPONSE_TOO_LARGE: 'The answer of the service was too large.',
  SERVER_ERROR: 'The service failed.',
  INTERNAL_ERROR: 'These nodes have a bug. Please report it.',
  COMMANDS_DISABLED: 'Commands are not allowed for this panel.',
  NOT_SETTABLE: 'The state cannot be requested.',
  INVALID_TRANSITION: 'The state cannot follow the present one.',
  COMMAND_FAILED: 'The panel did not carry out a command.',
  CLOSED: 'The node was closed while it waited.',
}
