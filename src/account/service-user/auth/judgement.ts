import { ageOf, type Moment } from '../../../clock.ts'
import { hour } from '../../../duration.ts'
import type { KeyholderError } from '../../../service/error.ts'
import { refusalBackoff } from '../rate-limit/backoff.ts'
import { type Refusals, type StoredRejections, storedErrorOf } from './rejection-store.ts'

/** The number of refusals within an hour after which secrets count as rejected. */
const maxRefusals = 3

/** Thrown by an attempt for secrets that stay wrong until the settings change. */
export class Rejected {
  readonly error: KeyholderError

  constructor(error: KeyholderError) {
    this.error = error
  }
}

/** Thrown by an attempt that was refused for an unknown reason: the secrets may be right. */
export class Refused {
  readonly error: KeyholderError
  /** True if the service has accepted the secrets before. */
  readonly isProven: boolean
  /**
   * The error of the rejection that follows from the third such refusal within an hour; undefined if there is
   * none, because the service names a reason.
   */
  readonly thirdTime: KeyholderError | undefined

  constructor(error: KeyholderError, isProven: boolean, thirdTime?: KeyholderError) {
    this.error = error
    this.isProven = isProven
    this.thirdTime = thirdTime
  }
}

/** Thrown for secrets that must wait, because an attempt was refused for an unknown reason. */
export class Paused {
  readonly error: KeyholderError
  /** Milliseconds until the next attempt. */
  readonly left: number

  constructor(error: KeyholderError, left: number) {
    this.error = error
    this.left = left
  }
}

/**
 * Notes what the service has answered about secrets, and returns the error for the caller. The third refusal within an
 * hour rejects secrets that were never accepted.
 * @param subject the owner of the secrets
 * @param hash their name in what is stored
 */
export function judge(
  answer: Rejected | Refused,
  { subject, hash }: { subject: string; hash: string },
  { rejected, refused }: StoredRejections,
  now: Moment,
): Rejected | Paused {
  const latch = (error: KeyholderError) => {
    rejected.set(hash, { ...storedErrorOf(error), subject, replaced: false })
    refused.delete(hash)
    return new Rejected(error)
  }
  if (answer instanceof Rejected) return latch(answer.error)
  const before = refused.get(hash)
  const at = [...(before?.at ?? []), now].slice(-maxRefusals)
  const [oldest = now] = at
  const isOften = at.length === maxRefusals && ageOf(oldest, now) < hour
  const { error, isProven, thirdTime } = answer
  const proven = isProven || before?.proven === true
  if (thirdTime !== undefined && !proven && isOften) return latch(thirdTime)
  const refusals = { ...storedErrorOf(error), subject, at, proven }
  refused.set(hash, refusals)
  return new Paused(error, pauseLeft(refusals, now))
}

/** Returns the milliseconds until secrets may be tried again after refusals; 0 or less if they may. */
export function pauseLeft({ at, proven }: Refusals, now: Moment): number {
  const latest = at.at(-1)
  return latest === undefined ? 0 : refusalBackoff(at.length, { isProven: proven }) - ageOf(latest, now)
}

/** Returns the pause after a refusal that is the first one, as far as known. */
export function pausedBy({ error, isProven }: Refused): Paused {
  return new Paused(error, refusalBackoff(1, { isProven }))
}
