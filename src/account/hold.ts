const second = 1000
const minute = 60 * second

/** A word that would hold an account for longer than a day is taken for a slip; then one call looks again. */
const longest = 24 * 60 * minute
const firstPause = 2 * second
const longestPause = 15 * minute

/** Sign-ins in an hour that a service with short sessions may well need. */
const usualSignIns = 12
const firstSignInPause = 15 * second

/** The three forms of a date in HTTP, all in GMT, though the oldest of them does not say so (RFC 9110, 5.6.7). */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +\d\d?\b.*\d GMT$|^[a-z]{3} +[a-z]{3} +\d.*\d$/i

/**
 * Milliseconds that a service asks for, at most a day; nothing where it says nothing usable.
 * @param value seconds, or the text of a `Retry-After` header: seconds or an HTTP date
 * @param now milliseconds since 1970, to which a date is compared
 */
export function askedPause(value: number | string | undefined, now: number): number | undefined {
  const asked = typeof value === 'string' ? pauseInText(value.trim(), now) : Number(value) * second
  return asked > 0 ? Math.min(asked, longest) : undefined
}

function pauseInText(text: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * second
  // Without the look at its form, other text would be read as some date or other.
  return httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) - now : Number.NaN
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

/**
 * Milliseconds to wait after yet another sign-in, 0 up to twelve in an hour: another program may end the sessions with
 * its own, and services count sign-ins, however well each of them went.
 * @param inTheLastHour this one included
 */
export function signInPause(inTheLastHour: number): number {
  const tooMany = inTheLastHour - usualSignIns
  return tooMany <= 0 ? 0 : Math.min(longestPause, firstSignInPause * 2 ** (tooMany - 1))
}

/**
 * Milliseconds to wait after a sign-in without an answer, whose secrets the service has never taken: they may be wrong,
 * and be counted. A minute at first, an hour at last.
 * @param failures how often in a row it happened, from 1
 */
export function unansweredPause(failures: number): number {
  return ([1, 5, 15][failures - 1] ?? 60) * minute
}
