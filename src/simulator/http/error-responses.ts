import type { ExpiryAnswer, Refusal } from './auth/accounts.ts'
import { type Answer, badParams, refusal } from './http-response.ts'

/** 401: the user token is missing or no longer valid (field fact). */
export const wrongUserToken = refusal(401, 401, 'Unauthorized', 'Wrong user token')

/** The responses for an expired session (field fact: services differ). */
const deadSessions: Readonly<Record<ExpiryAnswer, Answer>> = {
  '440': refusal(440, 440, 'SessionTokenNotFound', 'Session token not found'),
  '400': refusal(400, 400, 'InvalidRequestFormat', 'Unable to recognize session token'),
  '401': wrongUserToken,
  '403': refusal(403, 10002, 'UserAuthRequired', 'User authentication required'),
}

/** 403: the session is valid, but its user lacks the permission (field fact). */
export const notAllowed = refusal(403, 10010, 'NotAllowed', 'Not allowed')

/** 400: the panel is offline, so no command is accepted (field fact). */
export const panelNotConnected = refusal(400, 400, 'PanelNotConnected', 'Panel is not connected')

/** Returns the response for a missing or expired session token. */
export function deadSession(kind: ExpiryAnswer): Answer {
  return deadSessions[kind]
}

/**
 * Returns the response for a refused sign-in or panel login; `codeField` is its name for the code,
 * `blockedFor` is in seconds (field fact).
 */
export function refusedSignIn(refused: Refusal, blockedFor: number, codeField = 'user_code'): Answer {
  switch (refused) {
    case 'blocked':
      return refusal(420, 10020, 'LoginTemporaryBlocked', 'Login temporary blocked', [
        { key: 'timeout', value: blockedFor },
      ])
    case 'wrong combination':
      return refusal(400, 10004, 'WrongCombination', 'Wrong combination', [
        { key: 'email', value: 'wrong_combination' },
        { key: 'password', value: 'wrong_combination' },
      ])
    case 'wrong serial':
      return badParams([{ key: 'panel_serial', value: 'incorrect' }])
    case 'wrong user code':
      return refusal(400, 10021, 'WrongUserCode', 'Wrong user code', [
        { key: codeField, value: `wrong_${codeField}` },
      ])
  }
}
