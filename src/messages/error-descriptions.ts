import type { ErrorCode } from '../service/error.ts'

/**
 * The description of a failure, by its error code alone.
 *
 * The failure's own message can name a host, a serial, an alias or a file. A health message contains only
 * these descriptions, so that it can be shown to anyone.
 */
export const errorDescriptions: Readonly<Record<ErrorCode, string>> = {
  NOT_CONFIGURED: 'A required setting is empty. The log names it.',
  BAD_SETTING: 'A setting is wrong, or Node-RED cannot write a file. The log names it.',
  BAD_CREDENTIALS:
    'The service rejected the e-mail or the password. They are not sent again until you change them and deploy.',
  WRONG_USER_CODE:
    'The panel rejected the user code or the serial number. They are not sent again until you change them and deploy.',
  LOGIN_BLOCKED:
    'The service blocks sign-ins, the account has reached a limit, or the nodes still wait after a restart. The log says what to do.',
  SESSION_EXPIRED:
    'The session keeps ending. Perhaps another Node-RED has a copy of the alarm account node. If so, in one of them, create a new alarm account node and select it in the alarm panel node.',
  NOT_ALLOWED: 'The account or the user code has no permission for this. The log says whom to ask.',
  UNSUPPORTED_VERSION:
    'The service offers no version that these nodes support. Check the service address and the account type. If both are right, ask your alarm provider for a newer version of the service.',
  NOT_FOUND:
    'There is no alarm service at the address, or the service or the panel does not have what was requested. The log has the details.',
  PANEL_OFFLINE: 'The service cannot reach the panel. Check the internet connection of the panel.',
  RATE_LIMITED: 'The service received too many requests. The nodes pause, then continue by themselves.',
  TIMEOUT: 'The service did not answer in time. The nodes continue by themselves.',
  NETWORK: 'The service cannot be reached. The nodes continue by themselves.',
  TLS: 'No secure connection is possible, or the certificate of the service is not trusted. The log says what to check.',
  BAD_RESPONSE: 'The service refused a request, or its answer cannot be used. The log has the details.',
  RESPONSE_TOO_LARGE: 'The answer of the service was too large. Check the service address.',
  SERVER_ERROR: 'The service failed. The nodes continue by themselves.',
  SHARED_STATE_AWAY:
    'The shared state of the cluster cannot be reached. Nothing is sent to the service meanwhile, and the nodes continue by themselves. Check Redis and the network.',
  INTERNAL_ERROR: 'This is a bug in the alarm panel nodes. The log says where to report it.',
  COMMANDS_DISABLED: 'Commands are turned off for this panel.',
  NOT_SETTABLE: 'The panel does not allow this command, or is not ready to arm.',
  INVALID_TRANSITION: 'The panel cannot change from its current state to the requested one.',
  COMMAND_FAILED: 'The panel did not carry out a command, or the result is not known.',
  CLOSED: 'The request was stopped before an answer arrived.',
}
