import { type Check, list, or, parse, record, text } from './check.ts'
import { KeyholderError } from './error.ts'
import { integerOrNull, textOrEmpty } from './fallbacks.ts'
import { type Meaning, type Refusal, refusals } from './refusals.ts'

/** The judgement over an answer that is not a success. */
export interface Verdict {
  meaning: Meaning
  error: KeyholderError
  /** For `hold`: the time the service asked for. */
  seconds?: number
}

/** An answer of the service as it came, before anything is known of it. */
export interface Reply {
  status: number
  /** The header `Retry-After`, if there was one. */
  retryAfter: string | undefined
  /** The header `Date`: the service's own clock, to which a date in `Retry-After` is to be compared. */
  date: string | undefined
  /** The body as text; not always JSON (field fact: a withdrawn version answers with an HTML page). */
  body: string
}

interface ErrorBody {
  error: number | null
  error_message: string
  error_reason_code: string
  extras: { key: string; value: string }[]
}

const errorBody: Check<ErrorBody> = record({
  error: integerOrNull,
  error_message: textOrEmpty,
  error_reason_code: textOrEmpty,
  extras: or(list(record({ key: text, value: text })), []),
})

type Judgement = Pick<Refusal, 'code' | 'meaning' | 'sentence' | 'seconds'>

/** A web page is the word of a firewall or a gateway, not the service's: no password is wrong because of it. */
const page: Judgement = {
  code: 'SERVER_ERROR',
  meaning: 'hold',
  sentence: 'A web page came instead of the answer: a firewall, or the service is under maintenance.',
}

const noErrorBody: ErrorBody = { error: null, error_message: '', error_reason_code: '', extras: [] }

/**
 * Judges an answer that is no success. Decides by the service's reason first and by the bare status last,
 * because throttling taken for expiry ends in a locked account.
 * @param operation name of the operation that was asked
 * @param isSecret whether a word is one that nobody may be told, even when the service says it
 */
export function judge(
  reply: Reply,
  operation: string,
  isSecret: (word: string) => boolean = () => false,
): Verdict {
  const { status } = reply
  const said = parse(errorBody, jsonOf(reply.body))?.value ?? noErrorBody
  // A reason is a word; anything else may be private data echoed back, and goes no further.
  const word = said.error_reason_code
  const reason = /^\w{1,64}$/.test(word) && !isSecret(word) ? word : undefined
  // Nearly every 404 and redirect has a page for people beside it, and 440 and 441 are no gateway's statuses.
  const isGatewayPage = isPage(reply.body) && status >= 400 && ![404, 440, 441].includes(status)
  const refusal = isGatewayPage ? page : listed(status, said, operation)
  const error = new KeyholderError(refusal.code, `${refusal.sentence} (${operation}, status ${status})`, {
    status,
    ...(reason === undefined ? {} : { reason }),
  })
  const seconds = refusal.meaning === 'hold' ? (blockedSeconds(said) ?? refusal.seconds) : undefined
  return { meaning: refusal.meaning, error, ...(seconds === undefined ? {} : { seconds }) }
}

function listed(status: number, said: ErrorBody, operation: string): Judgement {
  return refusals.find((row) => fits(row, status, said, operation)) ?? unlisted(status)
}

function fits(refusal: Refusal, status: number, said: ErrorBody, operation: string): boolean {
  const { reasons, says } = refusal
  if (refusal.status !== status) return false
  if (refusal.operation !== undefined && refusal.operation !== operation) return false
  if (reasons && !reasons.includes(said.error ?? '') && !reasons.includes(said.error_reason_code))
    return false
  if (says === undefined) return true
  return says.test(said.error_message) || said.extras.some(({ key, value }) => says.test(`${key} ${value}`))
}

/** What a status means that no table row knows. */
function unlisted(status: number): Judgement {
  if (status >= 500) return { code: 'SERVER_ERROR', meaning: 'failed', sentence: 'The service failed.' }
  const sentence =
    status >= 300 && status < 400
      ? "The service answered with a redirect, which is never followed. Check the account's url."
      : 'The service refused the request.'
  return { code: 'BAD_RESPONSE', meaning: 'failed', sentence }
}

/** `LoginTemporaryBlocked` gives its time as an extra named `timeout` (field fact). */
function blockedSeconds(said: ErrorBody): number | undefined {
  const timeout = said.extras.find(({ key }) => key === 'timeout')
  const seconds = Number(timeout?.value)
  return timeout !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** Whether a body is a web page. */
export function isPage(body: string): boolean {
  return /^\s*</.test(body)
}

/** The body as JSON, or nothing where it is none. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
