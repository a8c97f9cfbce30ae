import { type Check, invalid, text } from '../schema.ts'

/**
 * A token that fits into a header. Any other would never be sent, which would look like a network failure.
 */
export const token: Check<string> = (value, tally) => {
  const checked = text(value, tally)
  return checked !== invalid && /^[\x21-\x7e]+$/.test(checked) ? checked : invalid
}
