import { type Failure, reasonOf } from '../../documents.ts'
import { KeyholderError } from '../../service/error.ts'

/**
 * Returns the error for a file that must be read and written before anything is sent: without it, the process after this
 * one would send a rejected password or code again, or more than the limit allows.
 */
export const unusableFile: Failure = (path, doing, thrown) => {
  const word = reasonOf(thrown)
  const sent =
    doing === 'read'
      ? 'Without it they send no password and no code, so that a rejected one is not sent again.'
      : 'Without it they send a password or a code only if it has worked before, a minute after the start at the earliest, so that a rejected one is not sent again.'
  return new KeyholderError(
    'BAD_SETTING',
    `The file ${path} cannot be ${doing} (${word}). The nodes note in it what they send, and which passwords and codes were rejected. ${sent} Check that the user who runs Node-RED owns this file and its folder, and that the disk is neither full nor read-only.`,
    {},
    { text: 'finding.unusableFile', values: { path, word }, ...(doing === 'read' && { isUnreadable: true }) },
  )
}
