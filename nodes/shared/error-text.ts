import { minute } from '../../src/duration.ts'
import type { ErrorCode, KeyholderError } from '../../src/service/error.ts'
import { phrase, type StatusText } from './status-text.ts'

/** An error, or what is left of it where only its code is kept. */
export type ShownError = Pick<KeyholderError, 'code'> & Partial<Pick<KeyholderError, 'detail'>>

/** The words for an empty setting; another one has no word of its own. */
const missing: Readonly<Record<string, StatusText>> = {
  email: phrase('account.cause.email'),
  password: phrase('account.cause.password'),
  url: phrase('account.cause.url'),
  serial: phrase('account.cause.serial'),
  userCode: phrase('account.cause.userCode'),
}

/** Codes of pauses that the service itself asks for. */
const requested: readonly ErrorCode[] = ['RATE_LIMITED', 'LOGIN_BLOCKED']

/** Returns the text for an error: its cause if that is known, else the word for its code. */
export function errorText(
  { code, detail = {} }: ShownError,
  parts: Omit<StatusText, 'key'> = {},
): StatusText {
  return { ...(causeOf(detail) ?? phrase(`account.status.error.${code}`)), ...parts }
}

/**
 * Returns the text for a pause of all requests.
 * @param error that has caused it; undefined if it is not known
 * @param until milliseconds since 1970
 */
export function pauseText(error: ShownError | undefined, until: number, now: number): StatusText {
  // The time of a shorter pause has passed when somebody reads it.
  const isShort = until - now < minute
  if (error === undefined || (requested.includes(error.code) && !isShort))
    return phrase('account.status.held', { values: { time: until } })
  if (isShort) return errorText(error)
  return errorText(error, { next: { ...phrase('account.status.again'), time: until } })
}

function causeOf({ text, fields: [field = ''] = [], isPage }: NonNullable<ShownError['detail']>) {
  if (isPage) return phrase('account.cause.webPage')
  if (text === 'finding.serialUnknown') return phrase('account.cause.panelUnknown')
  return text === 'finding.missing' && Object.hasOwn(missing, field) ? missing[field] : undefined
}
