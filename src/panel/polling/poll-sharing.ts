import { errorCodes, KeyholderError } from '../../service/error.ts'
import type { Hint } from './lease.ts'

/**
 * Returns the error for a process that follows polls of which one has failed; undefined for another hint. The sentence of
 * the process that polls may name a host, so it is not shared.
 * @param holder the name of the process that polls, if it is known
 */
export function failureIn(hint: Hint, holder = 'of this cluster'): KeyholderError | undefined {
  const code = errorCodes.find((one) => hint === `failure:${one}`)
  if (code === undefined) return undefined
  const sentence = `The Node-RED instance ${holder} polls this panel for this node, and its polls fail. The log of that instance has the details.`
  return new KeyholderError(code, sentence)
}
