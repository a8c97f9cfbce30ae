import type { ExpiryStatus, SignInRefusal } from './auth/accounts.ts'
import { badParams, errorResponse, type HttpResponse } from './http-response.ts'

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
