const second = 1000
const minute = 60 * second

/** A word that would hold an account for longer than a day is taken for a slip; then one call looks again. */
const longest = 24 * 60 * minute
const firstPause = 2 * second
const longestPause = 15 * minute

/**
 * Milliseconds that a `Retry-After` header asks for, at most a day; nothing where it says nothing usable.
 * @param value seconds or an HTTP date
 * @param wall milliseconds since 1970, to which a date is compared
 */
export function askedPause(value: string | undefined, wall: number): number | undefined {
  if (value === undefined) return undefined
  const asked = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * second : Date.parse(value) - wall
  return asked > 0 ? Math.min(asked, longest) : undefined
}

/**
 * Milliseconds to wait where the service asked for a pause without a length: doubling from 2 s to 15 minutes, with
 * full jitter, so that many installations do not return in step.
 * @param failures how often in a row it happened, from 1
 * @param random a number from 0 up to 1
 */
export function ownPause(failures: number, random: number): number {
  const ceiling = Math.min(longestPause, firstPause * 2 ** (failures - 1))
  return Math.max(firstPause / 2, ceiling * random)
}
