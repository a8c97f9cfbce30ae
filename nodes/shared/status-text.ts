import type { NodeAPI } from 'node-red'
import { day, minute } from '../../src/duration.ts'
import { type ErrorCode, type KeyholderError, onOneLine } from '../../src/service/error.ts'
import { shorten } from '../../src/shorten.ts'

/**
 * A status text in parts: a phrase, what it is about, and the time. The server writes it in its own language for
 * flows, the editor in the language of its user (resources/status-texts.mjs).
 */
export interface StatusText {
  /** The key of the phrase, with its node set; without one, the other parts need no words. */
  key?: string
  /** The values in the phrase; a number is a time in milliseconds since 1970. */
  values?: Readonly<Record<string, string | number>>
  /** The key of the phrase of a cause. */
  cause?: string
  /** A phrase at the end with the time of the next try, in milliseconds since 1970. */
  next?: { readonly key?: string; readonly time: number }
  /** Names and other texts that are the same in every language. */
  detail?: string
  /** Milliseconds since 1970. */
  at?: number
}

/** Maximum length of a status text in the language of the server; names are cut to keep it. */
export const maxStatusLength = 40

/** The fewest characters of a name that tell something. */
const minDetailLength = 8

/** Maximum length of a word of the service within a phrase. */
const maxValueLength = 16

/** Returns a text with a phrase of the catalogue; `key` begins with the name of its node set. */
export function phrase(key: string, parts: Omit<StatusText, 'key'> = {}): StatusText {
  return { key: `@keyholder/node-red-alarm-panel/keyholder:${key}`, ...parts }
}

/** Returns the status text without control characters, its detail cut to the room that the other parts leave. */
export function fitted({ detail, ...text }: StatusText, write: (text: StatusText) => string): StatusText {
  const short = Object.entries(text.values ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? shorten(onOneLine(value), maxValueLength) : value,
  ])
  const others: StatusText = { ...text, ...(text.values && { values: Object.fromEntries(short) }) }
  if (!detail) return others
  const room = maxStatusLength - write({ ...others, detail: '-' }).length + 1
  return { ...others, detail: shorten(onOneLine(detail), Math.max(minDetailLength, room)) }
}

/** Returns the status text in the language of the server. */
export function written(
  RED: NodeAPI,
  { key, values = {}, cause, next, detail, at }: StatusText,
  now: number,
): string {
  const { _: translate } = RED
  const filled = Object.entries(values).map(([name, value]) => [name, shownValue(value, now)])
  const word = key && translate(key, Object.fromEntries(filled))
  const said = [word, cause && translate(cause), detail].filter(Boolean).join(': ')
  const again = next?.key && translate(next.key, { time: shownTime(next.time, now) })
  return [said, again, at === undefined ? '' : shownTime(at, now)].filter(Boolean).join(', ')
}

function shownValue(value: string | number, now: number): string {
  return typeof value === 'number' ? shownTime(value, now) : value
}

/** Returns the local time of day, and the date instead if that is a day or more away. */
function shownTime(at: number, now: number): string {
  const time = new Date(at)
  if (Math.abs(at - now) < day) return time.toTimeString().slice(0, 5)
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

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
