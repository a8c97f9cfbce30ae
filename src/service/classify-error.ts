import { checkService, KeyholderError } from './error.ts'
import { type ErrorEffect, type ErrorRow, errorTable } from './error-table.ts'
import type { ErrorDetail } from './finding-texts.ts'
import { isLocale } from './locale.ts'
import {
  type Checked,
  integerOrNull,
  list,
  parse,
  parseJson,
  record,
  text,
  textOrEmpty,
  withDefault,
} from './schema.ts'

/** The classification of an error answer. */
export interface ClassifiedError {
  effect: ErrorEffect
  error: KeyholderError
  /** For `hold`: the time that the service asked for. */
  seconds?: number
  /** For `hold`: the shortest time to wait if the service asked for none. */
  minSeconds: number
  /** True if the service named a reason, known or not. */
  namesReason: boolean
}

/** An answer of the service as received, before its classification. */
export interface Reply {
  status: number
  /** The header `Retry-After`, if present. */
  retryAfter: string | undefined
  /** The header `Date`: the service's own clock, to which a date in `Retry-After` must be compared. */
  date: string | undefined
  /** The header `Age`: the seconds for which a cache on the way has kept the answer, if present. */
  age?: string | undefined
  /** The header `Content-Type`, if present. */
  contentType?: string | undefined
  /** The body as text; not always JSON (field fact: a withdrawn version answers with an HTML page). */
  body: string
}

type ErrorBody = Checked<typeof errorBody>

const errorBody = record({
  error: integerOrNull,
  error_message: textOrEmpty,
  error_reason_code: textOrEmpty,
  extras: withDefault(list(record({ key: text, value: text })), []),
})

type Classification = Pick<ErrorRow, 'code' | 'effect' | 'sentence' | 'text' | 'seconds' | 'minSeconds'>

/** A web page comes from a firewall or gateway, not from the service; it never means a wrong password. */
const page: Classification = {
  code: 'SERVER_ERROR',
  effect: 'hold',
  sentence:
    'A web page arrived instead of data. The service may be under maintenance, or it blocks the request. If this lasts, check "Service address" in the alarm account node, then ask your alarm provider.',
}

const noErrorBody: ErrorBody = { error: null, error_message: '', error_reason_code: '', extras: [] }

/**
 * Classifies an error answer, by the service's reason first and by the status alone last: a throttled request
 * taken for an expired session would end in a locked account.
 * @param operation name of the requested operation
 * @param isSecret returns true for a word that must not be shown, even when the service repeats it
 * @param locale the locale of the request, if it had one
 */
export function classifyError(
  reply: Reply,
  operation: string,
  isSecret: (word: string) => boolean = () => false,
  locale = '',
): ClassifiedError {
  const { status } = reply
  const body = parse(errorBody, parseJson(reply.body))?.value ?? noErrorBody
  // A reason is a single word. Anything else may be private data sent back, and is not passed on.
  const word = body.error_reason_code
  const reason = /^\w{1,64}$/.test(word) && !isSecret(word) ? word : undefined
  // Nearly every 404 and redirect comes with a page for people, and gateways do not send 440 and 441.
  const isGatewayPage = isPage(reply.body) && status >= 400 && ![404, 440, 441].includes(status)
  const refusal = isGatewayPage ? page : findRow(status, body, operation)
  const languages = otherLanguages(body, locale)
  const others = languages === '' ? '' : ` It has: ${languages}.`
  const rule = refusal.effect === 'rejected' ? lengthRule(body) : undefined
  // The first sentence only says that the value is wrong.
  const words = rule ? refusal.sentence.replace(/^.*?\. /, `${rule.sentence} `) : refusal.sentence
  const sentence = words.replace('{locale}', locale) + others
  const error = new KeyholderError(
    refusal.code,
    `${sentence} (request "${operation}", answer ${status})`,
    { status, reason },
    {
      text: refusal.text,
      // The page of a gateway says no more than its status.
      ...(isGatewayPage && status < 500 && { isPage: true }),
      ...(locale === '' ? {} : { values: { locale, languages } }),
      ...rule?.detail,
    },
  )
  const seconds = refusal.effect === 'hold' ? (blockedSeconds(body) ?? refusal.seconds) : undefined
  const namesReason = word !== '' || (body.error !== null && body.error !== status)
  const { effect, minSeconds = 0 } = refusal
  return { effect, error, namesReason, minSeconds, ...(seconds === undefined ? {} : { seconds }) }
}

function findRow(status: number, body: ErrorBody, operation: string): Classification {
  return errorTable.find((row) => fits(row, status, body, operation)) ?? defaultRow(status)
}

function fits(refusal: ErrorRow, status: number, body: ErrorBody, operation: string): boolean {
  const { reasons, says, names } = refusal
  if (refusal.status !== status) return false
  if (refusal.operation !== undefined && refusal.operation !== operation) return false
  if (reasons && !reasons.includes(body.error ?? '') && !reasons.includes(body.error_reason_code))
    return false
  if (names !== undefined && !body.extras.some(({ key }) => names.test(key))) return false
  if (says === undefined) return true
  return says.test(body.error_message) || body.extras.some(({ key, value }) => says.test(`${key} ${value}`))
}

/** Returns the languages that the service names when it refuses one; empty if it names none. */
function otherLanguages({ error_message, extras }: ErrorBody, refused: string): string {
  if (refused === '') return ''
  const said = [error_message, ...extras.map(({ value }) => value)].join(' ')
  const named = new Set(said.match(/\b[a-z]{2,3}_[A-Z]{2}\b/g)?.filter(isLocale))
  named.delete(refused)
  return [...named].slice(0, 50).join(', ')
}

/** The fields whose length the service can name as wrong, by the setting that they come from and its label. */
const measuredFields: readonly (readonly [RegExp, string, string])[] = [
  [/_code$/, 'userCode', 'User code'],
  [/^panel_serial$/, 'serial', 'Serial number'],
  [/^password$/, 'password', 'Password'],
  [/^email$/, 'email', 'E-mail'],
]

/** A rule for the length of a field that a service has refused. */
interface LengthRule {
  /** Names the rule in place of the first sentence of the refusal. */
  sentence: string
  detail: ErrorDetail
}

/** Returns the rule that an answer names for the length of a field (field fact); undefined if it names none. */
function lengthRule({ extras }: ErrorBody): LengthRule | undefined {
  for (const { key, value } of extras) {
    const [, bound, number] = /^(min|max)Length:(\d{1,4})$/.exec(value) ?? []
    const [, setting = '', label] = measuredFields.find(([name]) => name.test(key)) ?? []
    if (bound === undefined || label === undefined) continue
    const isLeast = bound === 'min'
    const text = isLeast ? 'finding.tooShort' : 'finding.tooLong'
    const sentence = `${label}: the service ${isLeast ? 'requires at least' : 'allows at most'} ${number} characters.`
    return { sentence, detail: { text, fields: [setting], values: { number: Number(number) } } }
  }
  return undefined
}

/** Classifies a status that is not in the table. */
function defaultRow(status: number): Classification {
  if (status >= 500) return { code: 'SERVER_ERROR', effect: 'failed', sentence: 'The service failed.' }
  const sentence =
    status >= 300 && status < 400
      ? `The service redirects to another address, and redirects are not followed. ${checkService}`
      : 'The service refused the request without a clear reason.'
  return { code: 'BAD_RESPONSE', effect: 'failed', sentence }
}

/** Returns the time that `LoginTemporaryBlocked` has in an extra named `timeout` (field fact). */
function blockedSeconds(body: ErrorBody): number | undefined {
  const timeout = body.extras.find(({ key }) => key === 'timeout')
  const seconds = Number(timeout?.value)
  return timeout !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined
}

/** Returns true if a token has expired. */
export function isExpiry({ effect }: ClassifiedError): boolean {
  return effect === 'user token expired' || effect === 'session token expired'
}

/** Returns true if a body is a web page. */
export function isPage(body: string): boolean {
  return /^\s*</.test(body)
}
