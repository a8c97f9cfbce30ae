import type { ErrorCode } from './error.ts'

/** The effect of a refusal on the account, in addition to the reported error. */
export type ErrorEffect =
  /** The user token has expired: sign in again, then repeat the call once. */
  | 'user token expired'
  /** The panel's session token has expired: open the panel again, then repeat the call once. */
  | 'session token expired'
  /** The service named the sent data as wrong: never send it again until the settings change. */
  | 'rejected'
  /** A sign-in was refused, and the reason is unknown or not given: try again, each time after a longer pause. */
  | 'refused'
  /** The whole account waits. */
  | 'hold'
  /** The operation, or the whole version, does not exist: request the versions again. */
  | 'not there'
  /** This call failed, without further effect. */
  | 'failed'

/** One kind of refusal by a service, and its effect. */
export interface ErrorRow {
  status: number
  code: ErrorCode
  effect: ErrorEffect
  /** The event and its remedy, for people who are not developers. */
  sentence: string
  /** The service's number or name for the reason; without it the row applies to the status alone. */
  reasons?: readonly (string | number)[]
  /** A pattern that the message or the extras must match. */
  says?: RegExp
  /** A pattern that the key of an extra must match: the field that the service names. */
  names?: RegExp
  /** The operation that the refusal must come from. */
  operation?: 'auth' | 'panel/login'
  /** The seconds of a backoff whose length the service does not give. */
  seconds?: number
  /** The fewest seconds of such a backoff, if it grows. */
  minSeconds?: number
}

const wrongPassword =
  'The service rejected the e-mail or the password. Correct them in the alarm account node and deploy. Until then they are not sent again.'
const wrongUserCode =
  'The panel rejected the user code. Correct it in the alarm panel node and deploy. Until then it is not sent again.'
const wrongSerial =
  'The account has no panel with this serial number. Check "Serial number" in the alarm panel node and "Service address" in the alarm account node, and deploy. Until then it is not sent again.'
const wrongAppId =
  'The service does not accept the app ID. Enter a UUID in "App ID" of the alarm account node.'
const wrongPanel =
  'The service does not accept the serial number or the user code. Correct them in the alarm panel node and deploy. Until then they are not sent again.'
const refused =
  'The service refused the sign-in and gave no known reason. Check the alarm account node. The sign-in is tried again after a pause.'
const refusedPanel =
  'The service refused to open the panel and gave no known reason. Check the alarm panel node. It is tried again after a pause.'
const tooManySignIns = "There were too many sign-in attempts. Sign in once with the provider's app."
const tooManyDevices = "The account has too many signed-in devices. Remove a device in the provider's app."
const sessionGone =
  'The session expired, and a new sign-in did not help. Check whether another program uses the same app ID.'
const notAllowed =
  'This user has no permission for this operation on this panel. Ask your provider, or the master user of the panel.'

/** The seconds to wait after reaching a limit that only a person can remove. */
const hour = 3600

function refusal(
  status: number,
  code: ErrorCode,
  effect: ErrorEffect,
  sentence: string,
  where: Pick<ErrorRow, 'reasons' | 'says' | 'names' | 'operation' | 'seconds' | 'minSeconds'> = {},
): ErrorRow {
  return { status, code, effect, sentence, ...where }
}

const atSignIn = { operation: 'auth' } as const
const atPanel = { operation: 'panel/login' } as const

const badParams = [10001, 'BadRequestParams'] as const
const wrongCombination = [10004, 'WrongCombination'] as const

/**
 * All refusals that were seen from real servers; the first row that fits decides.
 *
 * All of this is field fact, since interface specification 7 shows no errors. A wrong password gives 400 and
 * not 401. 403 has two different meanings. Throttling must never be taken for expiry, or sign-ins would lock
 * the account. Only a reason that names the password, the code or the serial rejects it: gateways answer 400
 * and 401 too.
 */
export const errorTable: readonly ErrorRow[] = [
  refusal(400, 'SESSION_EXPIRED', 'session token expired', sessionGone, { says: /session token/i }),
  refusal(400, 'WRONG_USER_CODE', 'rejected', wrongUserCode, { reasons: [10021, 'WrongUserCode'] }),
  refusal(400, 'WRONG_USER_CODE', 'rejected', wrongUserCode, {
    ...atPanel,
    reasons: [...badParams, ...wrongCombination],
    names: /_code$/,
  }),
  refusal(400, 'BAD_SETTING', 'rejected', wrongSerial, {
    ...atPanel,
    reasons: badParams,
    names: /^panel_serial$/,
  }),
  refusal(400, 'WRONG_USER_CODE', 'rejected', wrongPanel, { ...atPanel, reasons: wrongCombination }),
  refusal(
    400,
    'PANEL_OFFLINE',
    'failed',
    "The service cannot reach the panel at the moment. Check the panel's own connection.",
    {
      reasons: ['PanelNotConnected'],
    },
  ),
  refusal(400, 'BAD_SETTING', 'hold', wrongAppId, { ...atSignIn, says: /app_id|device_id/, seconds: hour }),
  refusal(400, 'BAD_CREDENTIALS', 'rejected', wrongPassword, { ...atSignIn, reasons: wrongCombination }),
  refusal(400, 'BAD_CREDENTIALS', 'rejected', wrongPassword, {
    ...atSignIn,
    reasons: badParams,
    names: /^(email|password)$/,
  }),
  refusal(400, 'BAD_RESPONSE', 'refused', refused, atSignIn),
  refusal(400, 'BAD_RESPONSE', 'refused', refusedPanel, atPanel),
  refusal(401, 'BAD_RESPONSE', 'refused', refused, atSignIn),
  refusal(401, 'SESSION_EXPIRED', 'user token expired', sessionGone),
  refusal(403, 'NOT_ALLOWED', 'hold', notAllowed, atSignIn),
  refusal(403, 'NOT_ALLOWED', 'failed', notAllowed, { reasons: [10010, 'NotAllowed'] }),
  refusal(403, 'SESSION_EXPIRED', 'user token expired', sessionGone, atPanel),
  refusal(403, 'SESSION_EXPIRED', 'session token expired', sessionGone, {
    reasons: [10002, 'UserAuthRequired'],
  }),
  refusal(403, 'NOT_ALLOWED', 'failed', notAllowed),
  refusal(404, 'NOT_FOUND', 'not there', 'The service does not support this operation.'),
  refusal(
    420,
    'LOGIN_BLOCKED',
    'hold',
    'The service blocks sign-ins for a while, because several failed. Check the e-mail and the password.',
    { minSeconds: 60 },
  ),
  refusal(
    429,
    'RATE_LIMITED',
    'hold',
    'The service received too many requests. If this happens again, increase the poll intervals.',
  ),
  refusal(440, 'SESSION_EXPIRED', 'session token expired', sessionGone),
  refusal(441, 'SESSION_EXPIRED', 'session token expired', sessionGone),
  refusal(442, 'LOGIN_BLOCKED', 'hold', tooManySignIns, { seconds: hour }),
  refusal(443, 'LOGIN_BLOCKED', 'hold', tooManyDevices, { seconds: hour }),
  refusal(444, 'WRONG_USER_CODE', 'rejected', wrongUserCode, atPanel),
  refusal(445, 'WRONG_USER_CODE', 'rejected', wrongUserCode, atPanel),
  refusal(444, 'BAD_CREDENTIALS', 'rejected', wrongPassword),
  refusal(445, 'BAD_CREDENTIALS', 'rejected', wrongPassword),
  refusal(
    446,
    'PANEL_OFFLINE',
    'failed',
    'The service is still connecting to the panel. Wait a few minutes.',
  ),
  refusal(
    447,
    'LOGIN_BLOCKED',
    'hold',
    'The account has too many open sessions. Close other apps that use this account, or wait.',
  ),
  refusal(503, 'SERVER_ERROR', 'hold', 'The service is not available at the moment.'),
]

/** The errors of a sign-in and of a panel that a service refuses again and again without any reason. */
export const rejectedWithoutReason: Readonly<Record<string, Pick<ErrorRow, 'code' | 'sentence'>>> = {
  auth: { code: 'BAD_CREDENTIALS', sentence: wrongPassword },
  'panel/login': { code: 'WRONG_USER_CODE', sentence: wrongPanel },
}
