import type { ErrorCode, KeyholderError } from './error.ts'
import { type ErrorDetail, findingTexts, isFindingText } from './finding-texts.ts'

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
  const fields = text === undefined ? [] : findingTexts[text]
  return { code, message, fields, ...detail, ...(text === undefined ? {} : { text }) }
}
