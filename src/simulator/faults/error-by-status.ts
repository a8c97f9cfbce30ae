import { invalidUserToken, notAllowed, sessionExpired, signInError } from '../http/error-responses.ts'
import { errorResponse, type HttpResponse, operationNotFound, pageNotFound } from '../http/http-response.ts'

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
