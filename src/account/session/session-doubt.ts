import { hour, minute } from '../../duration.ts'

/** Milliseconds of refusals after which a panel is opened again; the time doubles with each try. */
const firstTry = 3 * minute

/**
 * Decides when a panel is opened again that refuses all its requests: its session may have ended, and the
 * service may say so in words that nobody knows. An answer to a request of the session ends the doubt.
 *
 * Times are milliseconds of the monotonic clock, passed in.
 */
export class SessionDoubt {
  #refusedSince: number | undefined
  #tries = 0

  /**
   * Notes a refusal. Returns the token to renew, if any: the session's at the first try, and the user token,
   * on which the session depends, at all others.
   */
  noteRefusal(now: number): 'session' | 'user' | undefined {
    this.#refusedSince ??= now
    if (now - this.#refusedSince < Math.min(hour, firstTry * 2 ** this.#tries)) return undefined
    this.#refusedSince = undefined
    this.#tries += 1
    return this.#tries === 1 ? 'session' : 'user'
  }
}
