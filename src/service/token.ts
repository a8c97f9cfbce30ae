import { type Check, misfit, text } from './check.ts'

/** A token that can travel in a header: anything else would never be sent, and look like a network that fails. */
export const token: Check<string> = (value, tally) => {
  const checked = text(value, tally)
  return checked !== misfit && /^[\x21-\x7e]+$/.test(checked) ? checked : misfit
}
