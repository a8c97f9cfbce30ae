import { second } from '../../../duration.ts'
import type { RateLimitStore } from '../rate-limit/rate-limit-store.ts'

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
  readonly #answers = new Map<string, Answer>()

  constructor(rateLimits: Pick<RateLimitStore, 'guardKill'>) {
    this.#rateLimits = rateLimits
  }

  /** Returns true from `guard` until `end`. */
  has(digest: string): boolean {
    return this.#guards.has(digest)
  }

  /** Returns the answer that is not noted yet; undefined without one. */
  answerTo(digest: string): Answer | undefined {
    return this.#answers.get(digest)
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
    this.#answers.set(digest, answer)
    try {
      await this.guard(digest)
    } catch {
      // It applies in this process, and is saved as soon as the disk allows it.
      if (!this.has(digest)) this.#guards.set(digest, async () => {})
    }
  }

  /** Notes that the answer applies in this process, whether it can be saved or not. */
  forgetAnswer(digest: string): void {
    this.#answers.delete(digest)
  }

  /** Notes that the judgement is saved, or that there is none. Never rejects. */
  async end(digest: string): Promise<void> {
    const end = this.#guards.get(digest)
    this.#guards.delete(digest)
    await end?.()
  }
}
