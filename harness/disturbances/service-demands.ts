import { day, minute, second } from '../../src/duration.ts'
import { bodyText, type HttpResponse } from '../../src/simulator/http/http-response.ts'

/** The names and numbers with which the service says that an e-mail, a password or a code is wrong. */
const wrongSecret: readonly unknown[] = ['WrongCombination', 10004, 'WrongUserCode', 10021]
const wrongField: readonly unknown[] = ['BadRequestParams', 10001]

/** The statuses that mean a limit which a person must remove; the client waits an hour. */
const reachedLimit: readonly number[] = [442, 443]

/** The statuses with which a service asks all that use the account to wait. */
const pausing: readonly number[] = [420, 429, ...reachedLimit, 447, 503]

interface ErrorBody {
  error?: unknown
  error_message?: unknown
  error_reason_code?: unknown
  extras?: unknown
}

function bodyOf(response: HttpResponse): { body: ErrorBody; extras: { key: string; value: unknown }[] } {
  let body: ErrorBody = {}
  try {
    body = JSON.parse(bodyText(response)) ?? {}
  } catch {}
  const extras = Array.isArray(body.extras) ? body.extras : []
  return { body, extras }
}

/** Returns true if an answer names the secrets of a sign-in or of the opening of a panel as wrong. */
export function isRejection(operation: string, response: HttpResponse): boolean {
  if (operation !== 'auth' && operation !== 'panel/login') return false
  const { status } = response
  if (bodyText(response).trimStart().startsWith('<')) return false
  if (status === 444 || status === 445) return true
  const { body, extras } = bodyOf(response)
  const reasons = [body.error, body.error_reason_code]
  if (status !== 400) return false
  if (reasons.some((reason) => wrongSecret.includes(reason))) return true
  const fields = operation === 'auth' ? /^(email|password)$/ : /(_code|^panel_serial)$/
  return reasons.some((reason) => wrongField.includes(reason)) && extras.some(({ key }) => fields.test(key))
}

/**
 * Returns the milliseconds for which an answer asks the client to send nothing, at most a day; 0 if it asks for no pause. A
 * service names a time only when it blocks sign-ins, is asked too often, or is not there (field facts): the number in another
 * answer, such as "the panel is not connected", is no request.
 */
export function requestedPause(response: HttpResponse): number {
  return pausing.includes(response.status) ? namedPause(response) : 0
}

/** Returns the milliseconds that an answer names, whatever they mean. */
function namedPause(response: HttpResponse): number {
  const { status, headers = {} } = response
  if (status < 400 || status === 400) return 0
  const timeout = Number(bodyOf(response).extras.find(({ key }) => key === 'timeout')?.value)
  const asked = timeout > 0 ? timeout : Number(headers['Retry-After'])
  return asked > 0 ? Math.min(day, asked * second) : 0
}

/** Returns the milliseconds for which a client may wait after an answer: it asks for them, or for what only a person can do. */
export function allowedPause(response: HttpResponse): number {
  const { status } = response
  if (reachedLimit.includes(status)) return 60 * minute
  const { body, extras } = bodyOf(response)
  const isWrongAppId = [body.error_message, ...extras.map(({ key }) => key)].some((word) =>
    /app_id|device_id/.test(`${word}`),
  )
  return status === 400 && isWrongAppId ? 60 * minute : namedPause(response)
}
