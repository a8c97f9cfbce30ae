import { deadSession, notAllowed, refusedSignIn, wrongUserToken } from '../http/error-responses.ts'
import { type Answer, noSuchPage, refusal, unknownOperation } from '../http/http-response.ts'

const createGatewayPage = (status: number, phrase: string): Answer => ({
  status,
  body: `<html><head><title>${status} ${phrase}</title></head><body><h1>${status} ${phrase}</h1></body></html>\n`,
})

/** Responses of real servers by status (field fact), except those of the sign-in; 429 was never seen. */
const errors: ReadonlyMap<number, Answer> = new Map(
  [
    wrongUserToken,
    notAllowed,
    unknownOperation,
    refusal(429, 429, 'TooManyRequests', 'Too many requests'),
    deadSession('440'),
    refusal(441, 441, 'SessionNotFound', 'Session not found'),
    refusal(442, 442, 'LoginAttemptsLimitReached', 'Login attempts limit reached'),
    refusal(443, 443, 'DevicesLimitReached', 'Logged in devices limit reached'),
    refusal(444, 444, 'WrongUserCode', 'Wrong user code'),
    refusal(445, 445, 'WrongCredentials', 'Wrong credentials'),
    refusal(446, 446, 'DiscoveryInProgress', 'Discovery in progress'),
    refusal(447, 447, 'SessionsLimitReached', 'Sessions limit reached'),
    refusal(500, 500, 'InternalError', 'Internal error'),
    createGatewayPage(502, 'Bad Gateway'),
    createGatewayPage(503, 'Service Unavailable'),
    createGatewayPage(504, 'Gateway Timeout'),
  ].map((answer) => [answer.status, answer]),
)

/** Returns an error with this status, worded as by a real server; `blockedFor` is the seconds in a 420. */
export function errorByStatus(status: number, blockedFor: number): Answer {
  if (status === 420) return refusedSignIn('blocked', blockedFor)
  return errors.get(status) ?? { ...noSuchPage, status }
}
