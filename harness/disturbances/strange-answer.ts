import fc from 'fast-check'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import { anyJson } from '../fixtures/any-json.ts'

/** An answer that replaces the service's own. */
export interface StrangeAnswer {
  status: number
  /** JSON, or a text that is sent unchanged; undefined for no body. */
  body: unknown
  retryAfter: string | undefined
}

/** Returns the answer as the simulator sends it. */
export function responseOf({ status, body, retryAfter }: StrangeAnswer): HttpResponse {
  return { status, body, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } }
}

const statuses = [
  200, 201, 204, 206, 300, 301, 304, 307, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 412, 415, 418,
  420, 421, 422, 423, 425, 429, 431, 440, 441, 442, 443, 444, 445, 446, 447, 449, 451, 460, 498, 499, 500,
  501, 502, 503, 504, 505, 507, 511, 520, 522, 524, 525, 530, 598, 599,
]

const page = '<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>\n'

/** Reasons of the service, known and unknown, in all the places where a service names them. */
const errorBodies = fc.record(
  {
    error: fc.constantFrom(0, 400, 401, 403, 10001, 10002, 10004, 10010, 10020, 10021, 10099),
    error_message: fc.constantFrom('', 'Unable to recognize session token', 'Not now'),
    error_reason_code: fc.constantFrom(
      'BadRequestParams',
      'UserAuthRequired',
      'NotAllowed',
      'PanelNotConnected',
      'PanelBusy',
      'TermsNotAccepted',
    ),
    extras: fc.array(
      fc.record({
        key: fc.constantFrom('timeout', 'app_id', 'email', 'user_code', 'panel_serial', 'locale'),
        value: fc.constantFrom<string | number>('incorrect', 'required', 90, -1),
      }),
      { maxLength: 1 },
    ),
  },
  { requiredKeys: [] },
)

const bodies = fc.oneof(
  { weight: 3, arbitrary: errorBodies },
  { weight: 2, arbitrary: fc.constant(page) },
  { weight: 2, arbitrary: fc.constantFrom(undefined, 'Unauthorized', '{"error": ', [], {}, null, 0) },
  { weight: 1, arbitrary: anyJson(['error', 'message', 'connected', 'partitions', 'id', 'state', 'event']) },
)

/** An arbitrary for answers of any status with any body. */
export const strangeAnswers: fc.Arbitrary<StrangeAnswer> = fc
  .record({
    status: fc.constantFrom(...statuses),
    body: bodies,
    retryAfter: fc.option(fc.constantFrom('0', '5', '90', '1800', 'soon', '-1'), {
      nil: undefined,
      freq: 6,
    }),
  })
  // Other answers that ask for a pause only once would give every property an hour.
  .map((answer) => ([420, 429, 503].includes(answer.status) ? answer : { ...answer, retryAfter: undefined }))

/** Statuses that ask for a pause, or that mean a panel which the service does not reach. */
const explained = [420, 429, 442, 443, 446, 447]

/** An arbitrary for answers that refuse a request and explain nothing. */
export const refusals = strangeAnswers.filter(
  ({ status, body }) =>
    status >= 400 &&
    status < 500 &&
    !explained.includes(status) &&
    body !== page &&
    !JSON.stringify(body ?? '').includes('PanelNotConnected'),
)
