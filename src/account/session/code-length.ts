import { KeyholderError } from '../../service/error.ts'

/**
 * Returns the error for a user code of a length that the panel does not have (interface specification 8.3): the
 * panel counts wrong codes, so it is not sent. Undefined if the length is possible.
 * @param lengths as the panel tells them; empty if they are unknown
 */
export function codeLengthRefusal(
  userCode: string,
  lengths: readonly number[] = [],
): KeyholderError | undefined {
  if (lengths.length === 0 || lengths.includes(userCode.length)) return undefined
  return new KeyholderError(
    'BAD_SETTING',
    `User code: the user codes of this panel have ${lengths.join(' or ')} digits, so this one was not sent. Enter exactly the code that you type at the panel.`,
    {},
    { text: 'finding.codeLength', values: { lengths: lengths.join(', ') } },
  )
}
