import assert from 'node:assert/strict'
import { classifyError } from '../../src/service/classify-error.ts'
import { type ErrorRow, errorTable } from '../../src/service/error-table.ts'

/** The members of an error body by which a row of the table is selected. */
interface ErrorBody {
  error?: number
  error_reason_code?: string
  error_message?: string
  extras?: { key: string; value: string }[]
}

const homePage = 'github.com/keyholder/node-red-alarm-panel'
const resendThem = `The nodes do not send them again until you change them and deploy. If they are right, see "Connect your own panel" at ${homePage}: it says how to send them again.`
const wrongPassword = `The service rejected the e-mail or the password. Correct them, or "Account type", in the alarm account node. ${resendThem}`
const wrongUserCode = `The panel rejected the user code. Correct it in the alarm panel node. The nodes do not send it again until you change it and deploy. If it is right, see "Connect your own panel" at ${homePage}: it says how to send it again.`
const shortUserCode = wrongUserCode.replace(
  'The panel rejected the user code.',
  'User code: the service requires at least 6 characters.',
)
const longPassword = wrongPassword.replace(
  'The service rejected the e-mail or the password.',
  'Password: the service allows at most 20 characters.',
)
const wrongSerial = `The account has no panel with this serial number. Correct "Serial number" in the alarm panel node, or "Service address" in the alarm account node. The nodes do not send the serial number again until you change one of them and deploy. If both are right, see "Connect your own panel" at ${homePage}: it says how to send it again.`
const wrongPanel = `The service does not accept the serial number or the user code. Correct them in the alarm panel node. ${resendThem}`
const wrongAppId =
  'The service does not accept the app ID of the alarm account node. Create a new alarm account node: it gets a new app ID. Select it in the alarm panel node and deploy.'
const unexplained =
  'The service refused the sign-in without a clear reason. Check "Service address", "E-mail" and "Password" in the alarm account node.'
const unexplainedAtPanel =
  'The service refused the login to the panel without a clear reason. Check "Serial number" and "User code" in the alarm panel node.'
const sessionGone =
  'The session expired, and a new sign-in did not help. Perhaps another Node-RED has a copy of this alarm account node and signs in as the same device. If so, in one of them: create a new alarm account node, select it in the alarm panel node, and deploy. If not, ask your alarm provider.'
const notAllowed =
  'This account or this user code has no permission for this request. Ask the master user of the panel, or your alarm provider, for the permission. If it was allowed before, your provider may have closed the access of apps to this panel.'
const signInBlocked =
  'The service blocks sign-ins for a while, because several failed. Check the e-mail and the password.'
const tooManyRequests =
  'The service received too many requests. If this happens again, enter larger numbers in "Poll state every", "Poll events every" and "Poll devices every" of the alarm panel node.'
const tooManySignIns = 'There were too many sign-in attempts. Sign in once with the alarm app.'
const tooManyDevices = 'The account has too many signed-in devices. Remove one in the alarm app.'
const tooManySessions =
  'The account has too many open sessions. Close other apps that use this account, or wait.'
const unreachable =
  'The service cannot reach the panel at the moment. Check the internet connection of the panel: network cable, router, mobile network.'
const discovering = 'The service is still connecting to the panel. Wait a few minutes.'
const unavailable = 'The service is not available at the moment.'
const refused = 'The service refused the request without a clear reason.'
const noSignIn =
  'The service does not let this account sign in. Check "Account type" and "Service address" in the alarm account node, or ask your alarm provider. The nodes cannot enter a one-time password: if this account needs one, ask for an account without it.'
const noService =
  'There is no alarm service at this address. In "Service address" of the alarm account node, enter only https:// and the server, unless your alarm provider gave you a longer address. If "API version" is filled in there, empty it.'
const noOperation =
  'The service does not support this request. Nodes that need it do not work with this service. In a panel query node, choose another "Operation".'

const noLanguage =
  'Language: the service does not have "sv_SE". Enter another language in the node that asks for it: the alarm account node, or the panel query node.'
const noCatalogue =
  'The service has no list of event types, or not in the language "sv_SE". Check "Language" in the alarm account node or in the panel query node.'

const emptyBody: ErrorBody = {}
const sessionToken = { error_message: 'Unable to recognize Session Token' }
const extra = (key: string, value = 'incorrect'): ErrorBody => ({ extras: [{ key, value }] })
const badParams = (key: string, value?: string): ErrorBody => ({ error: 10001, ...extra(key, value) })
const badParamsInWords = { error_reason_code: 'BadRequestParams' }
const combination = { error: 10004 }
const combinationInWords = { error_reason_code: 'WrongCombination' }

type Row = [
  status: number,
  errorBody: ErrorBody,
  operation: string,
  code: ErrorRow['code'],
  effect: ErrorRow['effect'],
  sentence: string,
  seconds?: number,
]

/** Every error response that the table knows, each reason once by its number and once by its name. */
const rows: readonly Row[] = [
  [400, sessionToken, 'status', 'SESSION_EXPIRED', 'session token expired', sessionGone],
  [400, sessionToken, 'panel/login', 'SESSION_EXPIRED', 'session token expired', sessionGone],
  [400, { ...sessionToken, ...combination }, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongPanel],
  [400, { ...sessionToken, ...combination }, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [400, { ...combination, ...extra('app_id') }, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [
    400,
    { ...combination, error_reason_code: 'PanelNotConnected' },
    'auth',
    'BAD_CREDENTIALS',
    'rejected',
    wrongPassword,
  ],
  [400, { error: 10021 }, 'status', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [400, { error: 10021 }, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [400, { error_reason_code: 'WrongUserCode' }, 'status', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [400, badParams('user_code'), 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [400, badParams('user_code', 'minLength:6'), 'panel/login', 'WRONG_USER_CODE', 'rejected', shortUserCode],
  [400, badParams('password', 'maxLength:20'), 'auth', 'BAD_CREDENTIALS', 'rejected', longPassword],
  [400, badParams('installer_code'), 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [
    400,
    { ...combination, ...extra('master_user_code') },
    'panel/login',
    'WRONG_USER_CODE',
    'rejected',
    wrongUserCode,
  ],
  [400, badParams('panel_serial'), 'panel/login', 'BAD_SETTING', 'rejected', wrongSerial],
  [400, combination, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongPanel],
  [400, combinationInWords, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongPanel],
  [400, extra('user_code'), 'panel/login', 'BAD_RESPONSE', 'refused', unexplainedAtPanel],
  [400, extra('panel_serial'), 'panel/login', 'BAD_RESPONSE', 'refused', unexplainedAtPanel],
  [400, { error_reason_code: 'PanelNotConnected' }, 'status', 'PANEL_OFFLINE', 'failed', unreachable],
  [400, { error_reason_code: 'PanelNotConnected' }, 'panel/login', 'PANEL_OFFLINE', 'failed', unreachable],
  [400, extra('app_id'), 'auth', 'BAD_SETTING', 'hold', wrongAppId, 3600],
  [400, extra('device_id'), 'auth', 'BAD_SETTING', 'hold', wrongAppId, 3600],
  [400, combination, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [400, combinationInWords, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [400, badParams('email'), 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [400, { ...badParamsInWords, ...extra('password') }, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [400, extra('password'), 'auth', 'BAD_RESPONSE', 'refused', unexplained],
  [400, badParams('terms'), 'auth', 'BAD_RESPONSE', 'refused', unexplained],
  [400, badParams('locale'), 'event_profiles', 'BAD_SETTING', 'failed', noLanguage],
  [400, badParamsInWords, 'event_profiles', 'BAD_SETTING', 'failed', noLanguage],
  [400, extra('language'), 'event_profiles', 'BAD_SETTING', 'failed', noLanguage],
  [400, emptyBody, 'event_profiles', 'BAD_RESPONSE', 'failed', refused],
  [400, emptyBody, 'auth', 'BAD_RESPONSE', 'refused', unexplained],
  [400, emptyBody, 'panel/login', 'BAD_RESPONSE', 'refused', unexplainedAtPanel],
  [400, extra('app_id'), 'panel/login', 'BAD_RESPONSE', 'refused', unexplainedAtPanel],
  [400, extra('user_code'), 'status', 'BAD_RESPONSE', 'failed', refused],
  [400, extra('panel_serial'), 'status', 'BAD_RESPONSE', 'failed', refused],
  [400, emptyBody, 'status', 'BAD_RESPONSE', 'failed', refused],
  [401, emptyBody, 'auth', 'BAD_RESPONSE', 'refused', unexplained],
  [401, emptyBody, 'panel/login', 'SESSION_EXPIRED', 'user token expired', sessionGone],
  [401, emptyBody, 'status', 'SESSION_EXPIRED', 'user token expired', sessionGone],
  [403, emptyBody, 'auth', 'NOT_ALLOWED', 'hold', noSignIn],
  [403, { error: 10010 }, 'auth', 'NOT_ALLOWED', 'hold', noSignIn],
  [403, { error: 10010 }, 'panel/login', 'NOT_ALLOWED', 'failed', notAllowed],
  [403, { error_reason_code: 'NotAllowed' }, 'panel/login', 'NOT_ALLOWED', 'failed', notAllowed],
  [403, emptyBody, 'panel/login', 'SESSION_EXPIRED', 'user token expired', sessionGone],
  [403, { error: 10002 }, 'panel/login', 'SESSION_EXPIRED', 'user token expired', sessionGone],
  [403, { error: 10002 }, 'status', 'SESSION_EXPIRED', 'session token expired', sessionGone],
  [
    403,
    { error_reason_code: 'UserAuthRequired' },
    'status',
    'SESSION_EXPIRED',
    'session token expired',
    sessionGone,
  ],
  [403, emptyBody, 'status', 'NOT_ALLOWED', 'failed', notAllowed],
  [404, emptyBody, 'version', 'NOT_FOUND', 'not there', noService],
  [404, emptyBody, 'auth', 'NOT_FOUND', 'not there', noService],
  [404, emptyBody, 'panel/login', 'NOT_FOUND', 'not there', noOperation],
  [404, emptyBody, 'event_profiles', 'NOT_FOUND', 'not there', noCatalogue],
  [404, emptyBody, 'status', 'NOT_FOUND', 'not there', noOperation],
  [405, emptyBody, 'auth', 'NOT_FOUND', 'not there', noService],
  [405, emptyBody, 'panel/login', 'NOT_FOUND', 'not there', noOperation],
  [405, emptyBody, 'status', 'BAD_RESPONSE', 'failed', refused],
  [420, emptyBody, 'auth', 'LOGIN_BLOCKED', 'hold', signInBlocked],
  [429, emptyBody, 'status', 'RATE_LIMITED', 'hold', tooManyRequests],
  [440, emptyBody, 'status', 'SESSION_EXPIRED', 'session token expired', sessionGone],
  [441, emptyBody, 'status', 'SESSION_EXPIRED', 'session token expired', sessionGone],
  [442, emptyBody, 'auth', 'LOGIN_BLOCKED', 'hold', tooManySignIns, 3600],
  [443, emptyBody, 'auth', 'LOGIN_BLOCKED', 'hold', tooManyDevices, 3600],
  [444, emptyBody, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [445, emptyBody, 'panel/login', 'WRONG_USER_CODE', 'rejected', wrongUserCode],
  [444, emptyBody, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [444, emptyBody, 'status', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [445, emptyBody, 'auth', 'BAD_CREDENTIALS', 'rejected', wrongPassword],
  [446, emptyBody, 'panel/login', 'PANEL_OFFLINE', 'failed', discovering],
  [447, emptyBody, 'auth', 'LOGIN_BLOCKED', 'hold', tooManySessions],
  [503, emptyBody, 'status', 'SERVER_ERROR', 'hold', unavailable],
]

describe('The error table', () => {
  // @spec 7, expiry, pauses, rejected-credentials
  it('gives the code, effect, sentence and seconds for each status, reason and operation', () => {
    const actual = rows.map(([status, errorBody, operation]) => {
      const body = JSON.stringify(errorBody)
      const reply = { status, retryAfter: undefined, date: undefined, body }
      const locale = operation === 'event_profiles' ? 'sv_SE' : ''
      const { error, effect, seconds } = classifyError(reply, operation, () => false, locale)
      const sentence = error.message.replace(` (request "${operation}", answer ${status})`, '')
      return [status, errorBody, operation, error.code, effect, sentence, seconds]
    })
    const expected = rows.map(([status, errorBody, operation, code, effect, sentence, seconds]) => {
      return [status, errorBody, operation, code, effect, sentence, seconds]
    })
    assert.deepEqual(actual, expected)
  })

  // @spec unknown-locale
  it('lists the languages that the service names when it refuses one, and nothing else of its answer', () => {
    const extras = [{ key: 'locale', value: 'one of de_DE, en_US, zz_ZZ, Jane Doe or de_DE' }]
    const reply = { status: 400, retryAfter: undefined, date: undefined }
    const body = JSON.stringify({ error: 10001, error_message: 'no sv_SE', extras })
    const { error } = classifyError({ ...reply, body }, 'event_profiles', () => false, 'sv_SE')
    assert.match(error.message, /It has: de_DE, en_US\. \(request/)
    assert.doesNotMatch(error.message, /Jane|zz_ZZ/)
    const other = classifyError({ ...reply, body }, 'status')
    assert.doesNotMatch(other.error.message, /de_DE/)
  })

  it('has no row and no reason that this test does not cover', () => {
    const covered = rows.flatMap(([status, { error, error_reason_code }]) => {
      return [`${status}`, `${status} ${error ?? error_reason_code}`]
    })
    const listed = errorTable.flatMap(({ status, reasons = [] }) => {
      return [`${status}`, ...reasons.map((reason) => `${status} ${reason}`)]
    })
    assert.deepEqual(
      listed.filter((row) => !covered.includes(row)),
      [],
    )
  })
})
