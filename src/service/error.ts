import { codesThatAre, type ErrorCode } from './error-codes.ts'
import { type ErrorDetail, findingTexts, isFindingText } from './finding-texts.ts'

export { type ErrorCode, errorCodes } from './error-codes.ts'

/** The service's own information about a failure, if any. */
interface ServiceReason {
  /** HTTP status of the answer. */
  status?: number | undefined
  /** The service's own name for the failure, for example `WrongUserCode`. */
  reason?: string | undefined
}

/** Returns a text without control characters and line breaks: a name must not begin a new line of a log. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/**
 * The only error class that leaves this package.
 *
 * It is always our own: a library's error contains the request with its password and tokens, and every log
 * that prints it would show them. So it has no `cause`, and its message is a sentence that names the field or
 * the remedy. It also has no `stack`: people read it, and Node-RED would show them the stack as part of the
 * message. `noteErrorsWith` gets it before it is gone.
 */
export class KeyholderError extends Error {
  readonly code: ErrorCode
  readonly status?: number
  readonly reason?: string
  // Private, so that it is not a part of the error in a flow.
  readonly #detail: ErrorDetail

  constructor(code: ErrorCode, message: string, verdict: ServiceReason = {}, detail: ErrorDetail = {}) {
    super(onOneLine(message))
    noteError?.(this)
    delete this.stack
    this.code = code
    this.#detail = detail
    if (verdict.status !== undefined) this.status = verdict.status
    if (verdict.reason !== undefined) this.reason = verdict.reason
  }

  /** The parts that a dialog needs to say this error in the language of the editor. */
  get detail(): ErrorDetail {
    return this.#detail
  }
}

// On the prototype, so that a printed error shows code, status and reason but not the name as a fourth own
// property.
Object.defineProperty(KeyholderError.prototype, 'name', { value: 'KeyholderError' })

/** Receives each new error while its stack is still known; must not throw. */
type ErrorNote = (error: KeyholderError) => void

let noteError: ErrorNote | undefined

/** Sets what notes the stacks of errors, so that a failed test shows its place; without it they are dropped. */
export function noteErrorsWith(note: ErrorNote): void {
  noteError = note
}

/** Receives the stack of an unexpected exception, for a log; must not throw. */
type DefectLog = (line: string) => void

let logDefect: DefectLog = () => {}

/** Sets the log of this process for the stacks of unexpected exceptions; without it they are dropped. */
export function logDefectsTo(log: DefectLog): void {
  logDefect = log
}

/** The errors made of unexpected exceptions. An exception that passes several callers is logged once. */
const converted = new WeakMap<object, KeyholderError>()

/**
 * Converts any thrown value to our own error. An unexpected exception is a defect of this package: it becomes
 * an INTERNAL_ERROR, and its stack goes to the log.
 */
export function asKeyholderError(thrown: unknown): KeyholderError {
  if (thrown instanceof KeyholderError) return thrown
  if (!(thrown instanceof Error)) return internalError(String(thrown))
  const known = converted.get(thrown)
  if (known !== undefined) return known
  const error = internalError(thrown.message)
  converted.set(thrown, error)
  logDefect(`Unexpected ${thrown.name} in the alarm panel nodes:\n${framesOf(thrown)}`)
  return error
}

/** The page that describes this package. */
export const homePage = 'github.com/keyholder/node-red-alarm-panel'

/** The page that receives reports about this package. */
export const reportAddress = `${homePage}/issues`

/** The advice for an answer or a failure that another server than the alarm service may have caused. */
export const checkService = 'Check "Service address" in the alarm account node.'

function internalError(message: string): KeyholderError {
  return new KeyholderError(
    'INTERNAL_ERROR',
    `Unexpected error in the alarm panel nodes: ${message}. This is a bug in @keyholder/node-red-alarm-panel. ` +
      `Please set logging.console.level to 'debug' in Node-RED's settings.js, restart, wait for the error, and report it with the log at ${reportAddress}.`,
  )
}

/**
 * Returns the calls of a stack without the message of the error, because that of another library may contain
 * a secret, and without the folder of this package, because its path may contain a person's name.
 */
function framesOf({ stack = '', message }: Error): string {
  const calls = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^ +at /.test(line))
  return calls.join('\n').replaceAll(new URL('../../', import.meta.url).href, '')
}

/** The service or this user's rights lack the operation: an answer, not a failure of the account. */
export const unsupportedCodes: readonly ErrorCode[] = codesThatAre('unsupported')

/** The codes for attempts without any answer. */
export const unreachableCodes: readonly ErrorCode[] = codesThatAre('unreachable')

/** Returns true if a thrown value is our own error with one of these codes. */
export function hasCode(thrown: unknown, ...codes: readonly ErrorCode[]): thrown is KeyholderError {
  return thrown instanceof KeyholderError && codes.includes(thrown.code)
}

/** Returns the error for a wait that ended because its node or its dialog was closed. */
export function closedError(): KeyholderError {
  return new KeyholderError('CLOSED', 'The request was stopped before an answer arrived.')
}

/** Returns true if something ended because its node was closed. */
export function isClosed(thrown: unknown): thrown is KeyholderError {
  return hasCode(thrown, 'CLOSED')
}

/** An error as a dialog gets it. */
export interface DialogError extends ErrorDetail {
  code: ErrorCode
  /** The English sentence; a dialog shows it only if there is no `text`. */
  message: string
  fields: readonly string[]
}

/** Returns an error in the form in which a dialog can say it in any language. */
export function dialogError({ code, message, detail }: KeyholderError): DialogError {
  const ofCode = `finding.${code}`
  const text = detail.text ?? (isFindingText(ofCode) ? ofCode : undefined)
  const fields = (text && findingTexts[text]) ?? []
  return { code, message, fields, ...detail, ...(text === undefined ? {} : { text }) }
}

/** Returns a text of a maximum length; a longer one is cut after a word, if one is complete, and ends in an ellipsis. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const [words = ''] = /^.*(?=[\s,])/.exec(text.slice(0, maxLength)) ?? []
  const kept = words || text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.replace(/[\s,]+$/, '')}…`
}
