import { type ErrorCode, homePage } from './error.ts'
import type { FindingText } from './finding-texts.ts'

/** The effect of a refusal on the account, in addition to the reported error. */
export type ErrorEffect =
  /** The user token has expired: sign in again, then repeat the call once. */
  | 'user token expired'
  /** The panel's session token has expired: log in to the panel again, then repeat the call once. */
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

/** The words for a refusal. */
interface Words {
  /** The event and its remedy, for people who are not developers; `{locale}` is that of the request. */
  sentence: string
  /** The text for dialogs, if that of the code is not precise enough. */
  text?: FindingText
}

/** One kind of refusal by a service, and its effect. */
export interface ErrorRow extends Words {
  status: number
  code: ErrorCode
  effect: ErrorEffect
  /** The service's number or name for the reason; without it the row applies to the status alone. */
  reasons?: readonly (string | number)[]
  /** A pattern that the message or the extras must match. */
  says?: RegExp
  /** A pattern that the key of an extra must match: the field that the service names. */
  names?: RegExp
  /** The operation that the refusal must come from. */
  operation?: 'version' | 'auth' | 'panel/login' | 'event_profiles'
  /** The seconds of a backoff whose length the service does not give. */
  seconds?: number
  /** The fewest seconds of such a backoff, if it grows. */
  minSeconds?: number
}

/** The cause and the remedy if sessions keep ending. */
export const sharedAppId =
  'Perhaps another Node-RED has a copy of this alarm account node and signs in as the same device. If so, in one of them: create a new alarm account node, select it in the alarm panel node, and deploy. If not, ask your alarm provider.'

/** The remedy for rejected values that are right. */
const howToResend = `see "Connect your own panel" at ${homePage}: it says how to send`
const resendThem = `The nodes do not send them again until you change them and deploy. If they are right, ${howToResend} them again.`

const wrongPassword = `The service rejected the e-mail or the password. Correct them, or "Account type", in the alarm account node. ${resendThem}`
const refusedThrice = `The service refused the sign-in three times without a clear reason. The e-mail or the password may be wrong: correct them in the alarm account node. ${resendThem}`
const wrongUserCode: Words = {
  sentence: `The panel rejected the user code. Correct it in the alarm panel node. The nodes do not send it again until you change it and deploy. If it is right, ${howToResend} it again.`,
  text: 'finding.userCodeRejected',
}
const wrongSerial: Words = {
  sentence: `The account has no panel with this serial number. Correct "Serial number" in the alarm panel node, or "Service address" in the alarm account node. The nodes do not send the serial number again until you change one of them and deploy. If both are right, ${howToResend} it again.`,
  text: 'finding.serialUnknown',
}
const wrongAppId: Words = {
  sentence:
    'The service does not accept the app ID of the alarm account node. Create a new alarm account node: it gets a new app ID. Select it in the alarm panel node and deploy.',
  text: 'finding.appIdRefused',
}
const wrongPanel = `The service does not accept the serial number or the user code. Correct them in the alarm panel node. ${resendThem}`
const refusedPanelThrice = `The service refused the login to the panel three times without a clear reason. The serial number or the user code may be wrong: correct them in the alarm panel node. ${resendThem}`
const refused: Words = {
  sentence:
    'The service refused the sign-in without a clear reason. Check "Service address", "E-mail" and "Password" in the alarm account node.',
  text: 'finding.signInRefused',
}
const refusedPanel: Words = {
  sentence:
    'The service refused the login to the panel without a clear reason. Check "Serial number" and "User code" in the alarm panel node.',
  text: 'finding.panelRefused',
}
const tooManySignIns: Words = {
  sentence: 'There were too many sign-in attempts. Sign in once with the alarm app.',
  text: 'finding.tooManySignIns',
}
const tooManyDevices: Words = {
  sentence: 'The account has too many signed-in devices. Remove one in the alarm app.',
  text: 'finding.tooManyDevices',
}
const sessionGone = `The session expired, and a new sign-in did not help. ${sharedAppId}`
const noSignIn: Words = {
  sentence:
    'The service does not let this account sign in. Check "Account type" and "Service address" in the alarm account node, or ask your alarm provider. The nodes cannot enter a one-time password: if this account needs one, ask for an account without it.',
  text: 'finding.signInForbidden',
}
const notAllowed =
  'This account or this user code has no permission for this request. Ask the master user of the panel, or your alarm provider, for the permission. If it was allowed before, your provider may have closed the access of apps to this panel.'
/** The words for an address at which another server answers. */
export const noService: Words = {
  sentence:
    'There is no alarm service at this address. In "Service address" of the alarm account node, enter only https:// and the server, unless your alarm provider gave you a longer address. If "API version" is filled in there, empty it.',
  text: 'finding.noService',
}
const noOperation: Words = {
  sentence:
    'The service does not support this request. Nodes that need it do not work with this service. In a panel query node, choose another "Operation".',
  text: 'finding.noOperation',
}

const noLanguage: Words = {
  sentence:
    'Language: the service does not have "{locale}". Enter another language in the node that asks for it: the alarm account node, or the panel query node.',
  text: 'finding.languageUnknown',
}
const noCatalogue =
  'The service has no list of event types, or not in the language "{locale}". Check "Language" in the alarm account node or in the panel query node.'

/** The seconds to wait after reaching a limit that only a person can remove. */
const hour = 3600

function refusal(
  status: number,
  code: ErrorCode,
  effect: ErrorEffect,
  words: string | Words,
  where: Pick<ErrorRow, 'reasons' | 'says' | 'names' | 'operation' | 'seconds' | 'minSeconds'> = {},
): ErrorRow {
  return { status, code, effect, ...(typeof words === 'string' ? { sentence: words } : words), ...where }
}

const atVersion = { operation: 'version' } as const
const atSignIn = { operation: 'auth' } as const
const atPanel = { operation: 'panel/login' } as const
const atEventTypes = { operation: 'event_profiles' } as const

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
  refusal(400, 'BAD_CREDENTIALS', 'rejected', wrongPassword, { ...atSignIn, reasons: wrongCombination }),
  refusal(400, 'BAD_CREDENTIALS', 'rejected', wrongPassword, {
    ...atSignIn,
    reasons: badParams,
    names: /^(email|password)$/,
  }),
  // These come after the rows that name a secret: whatever else such an answer says, the secret is not sent again.
  refusal(400, 'SESSION_EXPIRED', 'session token expired', sessionGone, { says: /session token/i }),
  refusal(
    400,
    'PANEL_OFFLINE',
    'failed',
    'The service cannot reach the panel at the moment. Check the internet connection of the panel: network cable, router, mobile network.',
    {
      reasons: ['PanelNotConnected'],
    },
  ),
  refusal(400, 'BAD_SETTING', 'hold', wrongAppId, { ...atSignIn, says: /app_id|device_id/, seconds: hour }),
  // The locale is the only parameter of the operation (interface specification 4).
  refusal(400, 'BAD_SETTING', 'failed', noLanguage, { ...atEventTypes, reasons: badParams }),
  refusal(400, 'BAD_SETTING', 'failed', noLanguage, { ...atEventTypes, names: /^(locale|language)$/ }),
  refusal(400, 'BAD_RESPONSE', 'refused', refused, atSignIn),
  refusal(400, 'BAD_RESPONSE', 'refused', refusedPanel, atPanel),
  refusal(401, 'BAD_RESPONSE', 'refused', refused, atSignIn),
  refusal(401, 'SESSION_EXPIRED', 'user token expired', sessionGone),
  refusal(403, 'NOT_ALLOWED', 'hold', noSignIn, atSignIn),
  refusal(403, 'NOT_ALLOWED', 'failed', notAllowed, { reasons: [10010, 'NotAllowed'] }),
  refusal(403, 'SESSION_EXPIRED', 'user token expired', sessionGone, atPanel),
  refusal(403, 'SESSION_EXPIRED', 'session token expired', sessionGone, {
    reasons: [10002, 'UserAuthRequired'],
  }),
  refusal(403, 'NOT_ALLOWED', 'failed', notAllowed),
  refusal(404, 'NOT_FOUND', 'not there', noService, atVersion),
  refusal(404, 'NOT_FOUND', 'not there', noService, atSignIn),
  refusal(404, 'NOT_FOUND', 'not there', noCatalogue, atEventTypes),
  refusal(404, 'NOT_FOUND', 'not there', noOperation),
  refusal(405, 'NOT_FOUND', 'not there', noService, atSignIn),
  refusal(405, 'NOT_FOUND', 'not there', noOperation, atPanel),
  refusal(
    420,
    'LOGIN_BLOCKED',
    'hold',
    {
      sentence:
        'The service blocks sign-ins for a while, because several failed. Check the e-mail and the password.',
      text: 'finding.signInsBlocked',
    },
    { minSeconds: 60 },
  ),
  refusal(
    429,
    'RATE_LIMITED',
    'hold',
    'The service received too many requests. If this happens again, enter larger numbers in "Poll state every", "Poll events every" and "Poll devices every" of the alarm panel node.',
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
  refusal(447, 'LOGIN_BLOCKED', 'hold', {
    sentence: 'The account has too many open sessions. Close other apps that use this account, or wait.',
    text: 'finding.tooManySessions',
  }),
  refusal(503, 'SERVER_ERROR', 'hold', 'The service is not available at the moment.'),
]

/** The errors of a sign-in and of a panel that a service refuses again and again without any reason. */
export const rejectedWithoutReason: Readonly<Record<string, Pick<ErrorRow, 'code' | 'sentence'>>> = {
  auth: { code: 'BAD_CREDENTIALS', sentence: refusedThrice },
  'panel/login': { code: 'WRONG_USER_CODE', sentence: refusedPanelThrice },
}
