import { ageOf, type Moment } from '../../../clock.ts'
import { hour, second } from '../../../duration.ts'
import type { KeyholderError } from '../../../service/error.ts'
import { refusalBackoff } from '../rate-limit/backoff.ts'
import type { RateLimitStore } from '../rate-limit/rate-limit-store.ts'
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

/** Milliseconds for which nothing is sent if a process ended before it had saved how its secrets were judged. */
const pauseAfterKill = 300 * second

/**
 * The attempts with secrets that the service may have judged while the judgement is not saved yet. All secrets are
 * named by their digest.
 *
 * Whatever ends or fails in between, the secrets are not sent again at once: a process after a kill finds the guard,
 * and this one the answer.
 */
export class UnsavedJudgements<Answer> {
  readonly #rateLimits: Pick<RateLimitStore, 'guardKill'>
  /** The functions that end the guards. */
  readonly #guards = new Map<string, () => Promise<void>>()
  /** The answers of which nothing is noted, not even in memory: that needs the hash of the secrets. */
  readonly answers = new Map<string, Answer>()

  constructor(rateLimits: Pick<RateLimitStore, 'guardKill'>) {
    this.#rateLimits = rateLimits
  }

  /** Returns true from `guard` until `end`. */
  has(digest: string): boolean {
    return this.#guards.has(digest)
  }

  /**
   * Notes that the secrets are about to be sent, perhaps again.
   * @throws KeyholderError if this cannot be noted: do not send them
   */
  async guard(digest: string): Promise<void> {
    const end = await this.#rateLimits.guardKill(pauseAfterKill)
    const endBefore = this.#guards.get(digest)
    this.#guards.set(digest, end)
    await endBefore?.()
  }

  /**
   * Notes an answer, at once in memory. It gets a guard of its own: proven secrets were sent without one, and another
   * one may have begun long ago. Never rejects.
   */
  async noteAnswer(digest: string, answer: Answer): Promise<void> {
    this.answers.set(digest, answer)
    try {
      await this.guard(digest)
    } catch {
      // It applies in this process, and is saved as soon as the disk allows it.
      if (!this.has(digest)) this.#guards.set(digest, async () => {})
    }
  }

  /** Notes that the judgement is saved, or that there is none. Never rejects. */
  async end(digest: string): Promise<void> {
    const end = this.#guards.get(digest)
    this.#guards.delete(digest)
    await end?.()
  }
}
