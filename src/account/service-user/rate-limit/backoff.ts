import { minute, second } from '../../../duration.ts'

/** Milliseconds. A longer requested backoff is taken for a mistake; after this time, one call tries again. */
const maxPause = 24 * 60 * minute

/** Milliseconds of the first backoff, if the service asks for none, and of the longest one: it doubles with each failure. */
const firstPause = 2 * second
const maxOwnPause = 9 * minute

/** The sign-ins per hour that a service with short sessions may need. */
const usualSignIns = 12

/** Milliseconds of the first pause between more sign-ins, and of the longest one. */
const firstSignInPause = 15 * second
const maxSignInPause = 15 * minute

/** The three forms of an HTTP date, all in GMT, though the oldest does not say so (RFC 9110, 5.6.7). */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +\d\d?\b.*\d GMT$|^[a-z]{3} +[a-z]{3} +\d.*\d$/i

/**
 * Returns the milliseconds that a service asks for, at most a day; undefined without a usable value.
 * @param value seconds, or the text of a `Retry-After` header: seconds or an HTTP date
 * @param now milliseconds since 1970, to which a date is compared
 */
export function parseRetryAfter(value: number | string | undefined, now: number): number | undefined {
  const asked = typeof value === 'string' ? pauseInText(value.trim(), now) : Number(value) * second
  return asked > 0 ? Math.min(asked, maxPause) : undefined
}

function pauseInText(text: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * second
  // Without this check of the form, other text would be parsed as an arbitrary date.
  return httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) - now : Number.NaN
}

/**
 * Returns the milliseconds to wait if the service asked for a backoff without a length: doubling from 2 s to
 * 9 minutes, with full jitter, so that many installations do not return at the same time.
 * @param failures number of consecutive failures, from 1
 * @param random a number from 0 up to 1
 */
export function exponentialBackoff(failures: number, random: number): number {
  const ceiling = Math.min(maxOwnPause, firstPause * 2 ** (failures - 1))
  return Math.max(firstPause / 2, ceiling * random)
}

/**
 * Returns the milliseconds to wait after another sign-in, 0 for up to twelve in an hour: another program may
 * end our sessions with its own sign-ins, and services count all sign-ins, including successful ones.
 * @param inTheLastHour number of sign-ins, including this one
 */
export function signInBackoff(inTheLastHour: number): number {
  const tooMany = inTheLastHour - usualSignIns
  return tooMany <= 0 ? 0 : Math.min(maxSignInPause, firstSignInPause * 2 ** (tooMany - 1))
}

/**
 * Returns the milliseconds to wait after a sign-in without an answer if the service has never accepted the
 * secrets: they may be wrong, and the service may count them. Starts at a minute and grows to an hour.
 * @param failures number of consecutive failures, from 1
 */
export function unansweredBackoff(failures: number): number {
  return ([1, 5, 15][failures - 1] ?? 60) * minute
}

/**
 * Returns the milliseconds to wait after a sign-in that was refused without a known reason: the secrets may be
 * right, and the service may count them. Starts at a minute and grows to an hour; to nine minutes for secrets
 * that the service has accepted before, because a refusal is then most likely a fault of the service.
 * @param refusals number of consecutive refusals, from 1
 */
export function refusalBackoff(refusals: number, { isProven }: { isProven: boolean }): number {
  return ([1, 9][refusals - 1] ?? (isProven ? 9 : 60)) * minute
}

/**
 * The time for which the process after this one must send nothing: the rest of the backoff, or of the longest open
 * guard.
 *
 * Each guard is about another attempt, so the end of one says nothing about the others. Times are milliseconds of the
 * monotonic clock.
 */
export class Hold {
  #backoffUntil = Number.NEGATIVE_INFINITY
  readonly #guards = new Set<{ readonly until: number }>()

  /** The end of the backoff. */
  set backoffUntil(until: number) {
    this.#backoffUntil = until
  }

  /** Opens a guard. Returns a function that closes it. */
  guard(until: number): () => void {
    const guard = { until }
    this.#guards.add(guard)
    return () => this.#guards.delete(guard)
  }

  /** Returns the milliseconds that are left; 0 if nothing holds the next process. */
  left(now: number): number {
    const ends = [...this.#guards].map(({ until }) => until)
    return Math.max(0, ...[this.#backoffUntil, ...ends].map((until) => until - now))
  }
}
