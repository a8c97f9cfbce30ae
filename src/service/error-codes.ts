/** A property of the errors of a code, which decides what happens where they are met. */
type ErrorTrait =
  /** The service or this user's rights lack the operation: an answer, not a failure of the account. */
  | 'unsupported'
  /** There was no answer. */
  | 'unreachable'
  /** A secret is wrong until the settings change: another poll would show the same. */
  | 'rejected'
  /** An answer to the request of the versions that no alarm service gives. */
  | 'foreign'
  /** The request and not the connection failed: a request in another language may succeed. */
  | 'of the request'
  /** The next request for the progress of a command may succeed. */
  | 'transient'
  /** A disarm is sent all the same without this answer: the service may accept it. */
  | 'dispensable'
  /** A refusal by this package, whose sentence is about the command. */
  | 'of the command'

/** The overall status of account and panel while something fails; if several apply, the first in this order is used. */
export type FailureStatus =
  /** A setting, password or code is wrong; nothing continues until someone changes it. */
  | 'rejected'
  /** Requests are paused, at the request of the service or to protect the account; they continue automatically. */
  | 'held'
  /** The service, or the panel behind it, cannot be reached; everything continues automatically. */
  | 'offline'
  /** Something fails or is out of date. */
  | 'degraded'

/** The outage that failing polls are. */
type Outage =
  /** One for several codes: connections fail, then requests time out, then a gateway reports an error or returns a web page. */
  | 'connection'
  /** One of the code alone that need not mean a wrong setting: polling may succeed again without any change. */
  | 'passing'
  /** One of the code alone that lasts until someone changes something. */
  | 'lasting'

/** All that the package knows of an error code. */
interface ErrorCodeRow {
  /**
   * The description of a failure by its code alone. The failure's own message can name a host, a serial, an alias or a file. A
   * health message contains only this one, so that it can be shown to anyone.
   */
  sentence: string
  /** The status of health while polls fail with the code. */
  health: FailureStatus
  outage: Outage
  /**
   * The settings that an error of the code is about, the first one first to correct: for its text `finding.<code>` in the
   * dialogs. Null if each cause has a text of its own (`finding-texts.ts`), or no check in a dialog can meet the code.
   */
  fields: readonly string[] | null
  is: readonly ErrorTrait[]
}

/** Returns the columns of a row but for its sentence. None has a default: whoever adds a code decides all of them. */
function columns(
  health: FailureStatus,
  outage: Outage,
  fields: readonly string[] | null,
  ...is: ErrorTrait[]
): Omit<ErrorCodeRow, 'sentence'> {
  return { health, outage, fields, is }
}

/** All that is known of each error code. */
export const errorCodeRows = {
  NOT_CONFIGURED: {
    sentence: 'A required setting is empty. The log names it.',
    ...columns('rejected', 'lasting', null),
  },
  BAD_SETTING: {
    sentence: 'A setting is wrong, or Node-RED cannot write a file. The log names it.',
    ...columns('rejected', 'lasting', null, 'of the request', 'of the command'),
  },
  BAD_CREDENTIALS: {
    sentence:
      'The service rejected the e-mail or the password. They are not sent again until you change them and deploy.',
    ...columns('rejected', 'lasting', ['password', 'email'], 'rejected'),
  },
  WRONG_USER_CODE: {
    sentence:
      'The panel rejected the user code or the serial number. They are not sent again until you change them and deploy.',
    ...columns('rejected', 'lasting', ['userCode', 'serial'], 'rejected'),
  },
  LOGIN_BLOCKED: {
    sentence:
      'The service blocks sign-ins, the account has reached a limit, or the nodes still wait after a restart. The log says what to do.',
    ...columns('held', 'passing', null, 'transient'),
  },
  SESSION_EXPIRED: {
    sentence:
      'The session keeps ending. Perhaps another Node-RED has a copy of the alarm account node. If so, in one of them, create a new alarm account node and select it in the alarm panel node.',
    ...columns('degraded', 'lasting', [], 'foreign', 'transient'),
  },
  NOT_ALLOWED: {
    sentence: 'The account or the user code has no permission for this. The log says whom to ask.',
    ...columns('degraded', 'lasting', [], 'unsupported', 'foreign', 'of the request', 'dispensable'),
  },
  UNSUPPORTED_VERSION: {
    sentence:
      'The service offers no version that these nodes support. Check the service address and the account type. If both are right, ask your alarm provider for a newer version of the service.',
    ...columns('rejected', 'lasting', ['url']),
  },
  NOT_FOUND: {
    sentence:
      'There is no alarm service at the address, or the service or the panel does not have what was requested. The log has the details.',
    ...columns('degraded', 'lasting', null, 'unsupported', 'foreign', 'of the request', 'dispensable'),
  },
  PANEL_OFFLINE: {
    sentence: 'The service cannot reach the panel. Check the internet connection of the panel.',
    ...columns('offline', 'lasting', [], 'of the command'),
  },
  RATE_LIMITED: {
    sentence: 'The service received too many requests. The nodes pause, then continue by themselves.',
    ...columns('held', 'passing', [], 'transient'),
  },
  TIMEOUT: {
    sentence: 'The service did not answer in time. The nodes continue by themselves.',
    ...columns('degraded', 'connection', ['url'], 'unreachable', 'transient', 'dispensable'),
  },
  NETWORK: {
    sentence: 'The service cannot be reached. The nodes continue by themselves.',
    ...columns('degraded', 'connection', ['url'], 'unreachable', 'transient', 'dispensable'),
  },
  TLS: {
    sentence:
      'No secure connection is possible, or the certificate of the service is not trusted. The log says what to check.',
    ...columns('degraded', 'lasting', null, 'unreachable', 'transient'),
  },
  BAD_RESPONSE: {
    sentence: 'The service refused a request, or its answer cannot be used. The log has the details.',
    ...columns('degraded', 'connection', ['url'], 'foreign', 'of the request', 'dispensable'),
  },
  RESPONSE_TOO_LARGE: {
    sentence: 'The answer of the service was too large. Check the service address.',
    ...columns('degraded', 'passing', ['url'], 'foreign', 'dispensable'),
  },
  SERVER_ERROR: {
    sentence: 'The service failed. The nodes continue by themselves.',
    ...columns('degraded', 'connection', [], 'of the request', 'transient', 'dispensable'),
  },
  SHARED_STATE_AWAY: {
    sentence:
      'The shared state of the cluster cannot be reached. Nothing is sent to the service meanwhile, and the nodes continue by themselves. Check Redis and the network.',
    ...columns('offline', 'passing', ['cluster.address']),
  },
  INTERNAL_ERROR: {
    sentence: 'This is a bug in the alarm panel nodes. The log says where to report it.',
    ...columns('degraded', 'lasting', null),
  },
  COMMANDS_DISABLED: {
    sentence: 'Commands are turned off for this panel.',
    ...columns('degraded', 'lasting', null),
  },
  NOT_SETTABLE: {
    sentence: 'The panel does not allow this command, or is not ready to arm.',
    ...columns('degraded', 'lasting', null, 'of the command'),
  },
  INVALID_TRANSITION: {
    sentence: 'The panel cannot change from its current state to the requested one.',
    ...columns('degraded', 'lasting', null, 'of the command'),
  },
  COMMAND_FAILED: {
    sentence: 'The panel did not carry out a command, or the result is not known.',
    ...columns('degraded', 'lasting', null),
  },
  CLOSED: {
    sentence: 'The request was stopped before an answer arrived.',
    ...columns('degraded', 'lasting', null, 'of the command'),
  },
} satisfies Readonly<Record<string, ErrorCodeRow>>

/** Returns the keys of a table, so that the public types show the codes and not the table. */
function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] {
  return Object.keys(table) as K[]
}

/** All values of `err.code` in a flow; docs/errors.md describes the remedy for each. */
export const errorCodes = keysOf(errorCodeRows)

/** One of the error codes of the public contract. */
export type ErrorCode = (typeof errorCodes)[number]

/** Returns the codes whose errors have a trait. */
export function codesThatAre(trait: ErrorTrait): readonly ErrorCode[] {
  return errorCodes.filter((code) => errorCodeRows[code].is.includes(trait))
}
