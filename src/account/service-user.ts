import type { Clock } from '../clock.ts'
import { hour, second } from '../duration.ts'
import { KeyholderError } from '../service/error.ts'
import type { AccountMode } from './account-settings.ts'
import { RejectedCredentials } from './auth/rejected-credentials.ts'
import { AttemptLog } from './rate-limit/attempt-log.ts'
import { exponentialBackoff, signInBackoff } from './rate-limit/backoff.ts'
import { RateLimiter } from './rate-limit/rate-limiter.ts'
import { SlidingWindow } from './rate-limit/sliding-window.ts'

/** Milliseconds that a process waits if the one before it ended between a sign-in and its answer. */
const pauseAfterKill = 300 * second

const sessionsEnd = new KeyholderError(
  'SESSION_EXPIRED',
  'Sessions end again and again, and many sign-ins can lock an account. See whether another program signs in with the same appId.',
)

/**
 * The record by which the service judges one user: attempts, sign-ins, and whether a requested backoff is
 * respected.
 *
 * It belongs to the user at the service, whatever the other settings of a config node are. It outlives
 * redeploys and, on disk, restarts.
 */
export class ServiceUser {
  readonly budget: RateLimiter
  readonly rejectedCredentials: RejectedCredentials
  /** Resolves when the backoff of an earlier process is known; never rejects. */
  readonly recalled: Promise<void>
  readonly #slidingWindow: SlidingWindow
  readonly #attemptLog: AttemptLog
  readonly #clock: Clock
  readonly #users = new Map<object, { limit: number; mode: AccountMode }>()
  #hold: { until: number; error: KeyholderError } | undefined
  #holdsInARow = 0
  /** The times of the sign-ins of the last hour (milliseconds of the monotonic clock). */
  #signIns: number[] = []

  /** @param path beginning of the names of the files that survive a restart */
  constructor(path: string, clock: Clock) {
    this.#clock = clock
    // The initial limit, until `limitBy` is called.
    this.#slidingWindow = new SlidingWindow(1)
    this.#attemptLog = new AttemptLog(`${path}.log`, clock)
    this.budget = new RateLimiter(this.#slidingWindow, this.#attemptLog, clock)
    this.rejectedCredentials = new RejectedCredentials(`${path}.rejected.json`)
    this.recalled = this.#recall()
  }

  /** The number of config nodes that share this service user. */
  get owners(): number {
    return [...this.#users.values()].filter(({ mode }) => mode === 'deployed').length
  }

  /** Adds the cap of a config node or of a trial. The lowest of all caps applies. */
  limitBy(owner: object, limit: number, mode: AccountMode): void {
    this.#users.set(owner, { limit, mode })
    this.#limitByLowest()
  }

  /** Removes the cap of an owner. If the owner is a config node, its settings may be about to change. */
  release(owner: object): void {
    const user = this.#users.get(owner)
    if (user === undefined) return
    this.#users.delete(owner)
    if (user.mode === 'deployed') this.rejectedCredentials.settingsChanged()
    if (this.#users.size > 0) this.#limitByLowest()
  }

  /** Milliseconds until requests are allowed again; 0 without a backoff. */
  get heldFor(): number {
    return Math.max(0, (this.#hold?.until ?? 0) - this.#clock.monotonic())
  }

  /**
   * Throws during a backoff.
   * @throws KeyholderError with the code of the error that caused the backoff, and the time left
   */
  refuseWhileHeld(): void {
    const left = this.heldFor
    if (left === 0 || this.#hold === undefined) return
    const { code, message, status, reason } = this.#hold.error
    throw new KeyholderError(code, `${message} Nothing is sent for another ${inWords(left)}.`, {
      ...(status === undefined ? {} : { status }),
      ...(reason === undefined ? {} : { reason }),
    })
  }

  /**
   * Starts a backoff of the requested length, or of our own growing length if no length was requested. A
   * longer backoff that is already running stays.
   * It applies at once. The promise resolves when the backoff would also survive a restart, and never
   * rejects.
   * @param asked milliseconds
   * @param random a number from 0 up to 1
   */
  async hold(error: KeyholderError, asked: number | undefined, random: number): Promise<void> {
    this.#holdsInARow += 1
    const pause = asked ?? exponentialBackoff(this.#holdsInARow, random)
    if (pause <= this.heldFor) return
    this.#holdFor(pause, error)
    await this.#attemptLog.noteHold(pause)
  }

  /**
   * Notes that the service answered an attempt without asking for a backoff. If the attempt was sent after
   * the end of a backoff, it proves that the service accepts requests again, and others may follow.
   * @param sentAt milliseconds of the monotonic clock
   */
  heard(sentAt: number): void {
    if (sentAt < (this.#hold?.until ?? 0)) return
    this.#slidingWindow.isProbing = false
    // Also noted on disk: after the next restart of the machine, the clocks alone would not show that the
    // backoff is over.
    if (this.#hold !== undefined) void this.#attemptLog.noteHold(0)
    this.#hold = undefined
  }

  /**
   * Notes on disk, as a backoff, that secrets which may be wrong are about to be sent: if this process ends
   * before the answer, the next process must not send them at once. Returns a function that replaces this
   * note with the current backoff; call it after the answer.
   */
  async sending(): Promise<() => Promise<void>> {
    await this.#attemptLog.noteHold(pauseAfterKill)
    return () => this.#attemptLog.noteHold(this.heldFor)
  }

  /**
   * Notes that the service answered a sign-in. A backoff follows if there were many sign-ins within an hour.
   * Resolves when `hold` does.
   */
  async signedIn(): Promise<void> {
    const now = this.#clock.monotonic()
    this.#signIns = [...this.#signIns.filter((at) => now - at < hour), now]
    const pause = signInBackoff(this.#signIns.length)
    if (pause > 0) await this.hold(sessionsEnd, pause, 0)
  }

  /** Notes that a request was answered: the next backoff of our own starts short again. */
  answered(): void {
    this.#holdsInARow = 0
  }

  #limitByLowest(): void {
    this.budget.limit = Math.min(...[...this.#users.values()].map(({ limit }) => limit))
  }

  async #recall(): Promise<void> {
    const left = await this.#attemptLog.recallHold()
    if (left <= this.heldFor) return
    const error = new KeyholderError(
      'LOGIN_BLOCKED',
      'Before Node-RED was restarted the service asked for a pause, or had not yet answered a sign-in.',
    )
    this.#holdFor(left, error)
  }

  #holdFor(pause: number, error: KeyholderError): void {
    this.#hold = { until: this.#clock.monotonic() + pause, error }
    this.#slidingWindow.isProbing = true
  }
}

/** Formats a duration for people. */
function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / second)
  if (seconds < 120) return `${seconds} seconds`
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}
