import type { ExpiryStatus, SignInRefusal } from './auth/accounts.ts'
import {
  badParams,
  errorResponse,
  type HttpResponse,
  operationNotFound,
  pageNotFound,
} from './http-response.ts'

/** 401: the user token is missing or no longer valid (field fact). */
export const invalidUserToken = errorResponse(401, 401, 'Unauthorized', 'Wrong user token')

/** The responses for an expired session (field fact: services differ). */
const expiryResponses: Readonly<Record<ExpiryStatus, HttpResponse>> = {
  '440': errorResponse(440, 440, 'SessionTokenNotFound', 'Session token not found'),
  '400': errorResponse(400, 400, 'InvalidRequestFormat', 'Unable to recognize session token'),
  '401': invalidUserToken,
  '403': errorResponse(403, 10002, 'UserAuthRequired', 'User authentication required'),
}

/** 403: the session is valid, but its user lacks the permission (field fact). */
export const notAllowed = errorResponse(403, 10010, 'NotAllowed', 'Not allowed')

/** 400: the panel is offline, so no command is accepted (field fact). */
export const panelNotConnected = errorResponse(400, 400, 'PanelNotConnected', 'Panel is not connected')

/** Returns the response for a missing or expired session token. */
export function sessionExpired(kind: ExpiryStatus): HttpResponse {
  return expiryResponses[kind]
}

/**
 * Returns the response for a refused sign-in or panel login (field fact); `codeField` is the field of the code.
 */
export function signInError(
  reason: SignInRefusal,
  blockedSeconds: number,
  codeField = 'user_code',
): HttpResponse {
  switch (reason) {
    case 'blocked':
      return errorResponse(420, 10020, 'LoginTemporaryBlocked', 'Login temporary blocked', [
        { key: 'timeout', value: blockedSeconds },
      ])
    case 'wrong combination':
      return errorResponse(400, 10004, 'WrongCombination', 'Wrong combination', [
        { key: 'email', value: 'wrong_combination' },
        { key: 'password', value: 'wrong_combination' },
      ])
    case 'wrong serial':
      return badParams([{ key: 'panel_serial', value: 'incorrect' }])
    case 'wrong user code':
      return errorResponse(400, 10021, 'WrongUserCode', 'Wrong user code', [
        { key: codeField, value: `wrong_${codeField}` },
      ])
  }
}

const createGatewayPage = (status: number, phrase: string): HttpResponse => ({
  status,
  body: `<html><head><title>${status} ${phrase}</title></head><body><h1>${status} ${phrase}</h1></body></html>\n`,
})

/**
 * Responses of real servers by status (field fact), except those of the sign-in; no sample of 429 is known.
 */
const errors: ReadonlyMap<number, HttpResponse> = new Map(
  [
    invalidUserToken,
    notAllowed,
    operationNotFound,
    errorResponse(429, 429, 'TooManyRequests', 'Too many requests'),
    sessionExpired('440'),
    errorResponse(441, 441, 'SessionNotFound', 'Session not found'),
    errorResponse(442, 442, 'LoginAttemptsLimitReached', 'Login attempts limit reached'),
    errorResponse(443, 443, 'DevicesLimitReached', 'Logged in devices limit reached'),
    errorResponse(444, 444, 'WrongUserCode', 'Wrong user code'),
    errorResponse(445, 445, 'WrongCredentials', 'Wrong credentials'),
    errorResponse(446, 446, 'DiscoveryInProgress', 'Discovery in progress'),
    errorResponse(447, 447, 'SessionsLimitReached', 'Sessions limit reached'),
    errorResponse(500, 500, 'InternalError', 'Internal error'),
    createGatewayPage(502, 'Bad Gateway'),
    createGatewayPage(503, 'Service Unavailable'),
    createGatewayPage(504, 'Gateway Timeout'),
  ].map((response) => [response.status, response]),
)

/** Returns an error with this status, worded as by a real server; `blockedFor` is the seconds in a 420. */
export function errorByStatus(status: number, blockedFor: number): HttpResponse {
  if (status === 420) return signInError('blocked', blockedFor)
  return errors.get(status) ?? { ...pageNotFound, status }
}
