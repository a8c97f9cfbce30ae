import type { Clock } from '../../clock.ts'
import { formatDuration, second } from '../../duration.ts'
import { type ErrorCode, KeyholderError } from '../../service/error.ts'
import { sharedAppId } from '../../service/error-table.ts'
import type { AccountMode } from '../account-settings.ts'
import type { AnswerStore } from '../answer.ts'
import { RejectedCredentials } from './auth/rejected-credentials.ts'
import type { TokenStore } from './auth/token-store.ts'
import { exponentialBackoff, signInBackoff } from './rate-limit/backoff.ts'
import type { RateLimitStore } from './rate-limit/rate-limit-store.ts'
import { type QueuePosition, RateLimiter } from './rate-limit/rate-limiter.ts'
import type { UserStores } from './user-stores.ts'

const sessionLoop = new KeyholderError('SESSION_EXPIRED', `The session keeps ending. ${sharedAppId}`)

/** The number of panels of an account; 0 while it is not known. */
interface KnownPanels {
  readonly panelCount: number
}

/** A config node or a trial that uses the user. */
interface Owner {
  readonly limit: number
  /** Requests a day; 0 for any number, undefined for the default. */
  readonly perDay: number | undefined
  readonly mode: AccountMode
  onNotice(sentence: string, code: ErrorCode): void
  readonly account: KnownPanels
}

/**
 * The record by which the service judges one user: attempts, sign-ins, and whether a requested backoff is
 * respected.
 *
 * It belongs to the user at the service, whatever the other settings of a config node are. It outlives
 * redeploys and, in its stores, restarts.
 */
export class ServiceUser {
  readonly rateLimiter: RateLimiter
  readonly rejectedCredentials: RejectedCredentials
  readonly tokens: TokenStore
  readonly answers: AnswerStore | undefined
  /** Resolves when the backoff of an earlier process is known; never rejects. */
  readonly recalled: Promise<void>
  readonly #rateLimits: RateLimitStore
  readonly #clock: Clock
  readonly #owners = new Map<object, Owner>()
  /** The time when the last owner left (milliseconds of the monotonic clock). */
  #leftAt: number
  /** The number of commands that may probe the service during a backoff of our own. */
  #probes = 0
  #backoffsInARow = 0

  /** @param before the same user with other stores, which has moved into a cluster or out of it */
  constructor({ rateLimits, rejections, tokens, answers }: UserStores, clock: Clock, before?: ServiceUser) {
    this.#clock = clock
    this.#leftAt = clock.monotonic()
    this.#rateLimits = rateLimits
    this.rateLimiter = new RateLimiter(rateLimits, clock)
    this.rateLimiter.countPanels = () => {
      let most = 0
      for (const { account } of this.#owners.values()) most = Math.max(most, account.panelCount)
      return most
    }
    this.rateLimiter.onHeldBack = (sentence) => {
      const deployed = [...this.#owners.values()].find(({ mode }) => mode === 'deployed')
      deployed?.onNotice(sentence, 'RATE_LIMITED')
    }
    this.rejectedCredentials = new RejectedCredentials(rejections, clock, rateLimits)
    this.tokens = tokens
    this.answers = answers
    this.recalled = rateLimits.recall(before === undefined ? undefined : before.#rateLimits.close())
  }

  /** The number of config nodes that share this service user. */
  get configNodes(): number {
    return [...this.#owners.values()].filter(({ mode }) => mode === 'deployed').length
  }

  /** Milliseconds since the last owner left; 0 while there are owners or a backoff. */
  get idleTime(): number {
    return this.#owners.size > 0 || this.backoffLeft > 0 ? 0 : this.#clock.monotonic() - this.#leftAt
  }

  /**
   * Adds the caps of a config node or of a trial. The lowest of all caps applies.
   * @param perDay the requests of a day: 0 for any number, undefined for the default for each panel
   */
  addOwner(owner: object, limit: number, mode: AccountMode, perDay?: number): void {
    this.#owners.set(owner, { limit, mode, perDay, onNotice: () => {}, account: { panelCount: 0 } })
    this.#applyLowestLimit()
  }

  /** Has an owner get sentences for the log and the Catch nodes; of several owners, one gets each sentence. @param account of the owner */
  tell(owner: object, onNotice: Owner['onNotice'], account: KnownPanels): void {
    const known = this.#owners.get(owner)
    if (known !== undefined) this.#owners.set(owner, { ...known, onNotice, account })
  }

  /**
   * Removes the cap of an owner. If the owner is a config node, its settings may be about to change. Resolves when the process
   * may end; never rejects.
   */
  async removeOwner(owner: object): Promise<void> {
    const user = this.#owners.get(owner)
    if (user === undefined) return
    this.#owners.delete(owner)
    this.#leftAt = this.#clock.monotonic()
    if (user.mode === 'deployed') this.rejectedCredentials.settingsChanged()
    if (this.#owners.size > 0) this.#applyLowestLimit()
    else await this.#rateLimits.endLimit?.()
    await this.rejectedCredentials.settle()
  }

  /** Milliseconds until requests are allowed again; 0 without a backoff. */
  get backoffLeft(): number {
    return Math.max(0, (this.#rateLimits.backoff?.until ?? 0) - this.#clock.monotonic())
  }

  /**
   * True during a backoff of our own: the service failed, but it asked for no pause. A command must not wait
   * for its end, and is the probe.
   */
  get isOwnBackoff(): boolean {
    const now = this.#clock.monotonic()
    return (
      this.#rateLimits.backoff !== undefined &&
      now >= this.#rateLimits.backoff.requestedUntil &&
      now < this.#rateLimits.backoff.until
    )
  }

  /**
   * Lets the sign-in that a command needs through during a backoff of our own. Returns a function that ends
   * that.
   */
  beginProbe(): () => void {
    this.#probes += 1
    return () => {
      this.#probes -= 1
    }
  }

  /**
   * Throws during a backoff.
   * @param position of the attempt: during a backoff of our own, a command is let through with all it needs
   * @throws KeyholderError with the code of the error that caused the backoff, and the time left
   */
  refuseDuringBackoff(position?: Pick<QueuePosition, 'lane' | 'isForAllCallers'>): void {
    const { backoff } = this.#rateLimits
    if (backoff === undefined || this.backoffLeft === 0) return
    const isProbe = position?.lane === 'command' || (position?.isForAllCallers && this.#probes > 0)
    if (isProbe && this.isOwnBackoff) return
    throw this.withTimeLeft(backoff.error)
  }

  /** Returns an error with the time left of the backoff that it caused. */
  withTimeLeft(error: KeyholderError): KeyholderError {
    const left = this.backoffLeft
    if (left === 0) return error
    const { code, message, status, reason, detail } = error
    const sentence = `${message} This account pauses for ${formatDuration(left)}.`
    return new KeyholderError(
      code,
      sentence,
      { status, reason },
      { ...detail, pause: Math.ceil(left / second) },
    )
  }

  /**
   * Starts a backoff of the requested length, or of our own growing length if no length was requested. A
   * longer backoff that is already running stays.
   * It applies at once. The promise resolves when the backoff would also survive a restart, and never
   * rejects.
   * @param length `asked`: the requested milliseconds; `shortest`: the fewest milliseconds of our own length
   * @param random a number from 0 up to 1
   */
  backOff(
    error: KeyholderError,
    { asked, shortest = 0 }: { asked?: number | undefined; shortest?: number },
    random: number,
  ): Promise<void> {
    this.#backoffsInARow += 1
    const pause = asked ?? Math.max(shortest, exponentialBackoff(this.#backoffsInARow, random))
    // Other errors without a length mean that more requests do harm: blocked sign-ins, ended sessions.
    const isRequested = asked !== undefined || error.code !== 'SERVER_ERROR'
    return this.#rateLimits.startBackoff(pause, error, isRequested)
  }

  /**
   * Notes that the service answered an attempt without asking for a backoff. If the attempt was sent after
   * the end of a backoff, or during one of our own, it proves that the service accepts requests again, and
   * others may follow.
   * @param sentAt milliseconds of the monotonic clock
   */
  noteReply(sentAt: number): void {
    const { backoff } = this.#rateLimits
    if (backoff === undefined || sentAt <= backoff.since || sentAt < backoff.requestedUntil) return
    this.#rateLimits.endBackoff()
  }

  /**
   * Notes that the service answered a sign-in. A backoff follows if there were many sign-ins within an hour.
   * Resolves when `backOff` does.
   */
  async noteSignIn(): Promise<void> {
    const pause = signInBackoff(await this.#rateLimits.noteSignIn())
    if (pause > 0) await this.backOff(sessionLoop, { asked: pause }, 0)
  }

  /** Notes that a request was answered: the next backoff of our own starts short again. */
  noteSuccess(): void {
    this.#backoffsInARow = 0
  }

  #applyLowestLimit(): void {
    const owners = [...this.#owners.values()]
    this.rateLimiter.limit = Math.min(...owners.map(({ limit }) => limit))
    const perDay = Math.min(...owners.map((owner) => owner.perDay || Number.POSITIVE_INFINITY))
    const isDefault =
      perDay === Number.POSITIVE_INFINITY && owners.some((owner) => owner.perDay === undefined)
    this.rateLimiter.requestsPerDay = isDefault ? undefined : perDay
  }
}
