import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import { Allowance } from './allowance.ts'
import { Budget } from './budget.ts'
import { ownPause, signInPause } from './hold.ts'
import { Ledger } from './ledger.ts'
import type { Purpose } from './purpose.ts'
import { Rejections } from './rejections.ts'

const second = 1000
const hour = 3600 * second

/** Milliseconds that the next process waits after one that ended between a sign-in and its answer. */
const pauseAfterKill = 300 * second

const sessionsEnd = new KeyholderError(
  'SESSION_EXPIRED',
  'Sessions end again and again, and many sign-ins can lock an account. See whether another program signs in with the same appId.',
)

/**
 * Everything by which the service judges one user: attempts, sign-ins, and whether a pause it asked for is kept.
 *
 * It belongs to the user at the service, whatever else the settings of a config node say, and outlives redeploys and,
 * on disk, restarts.
 */
export class Conduct {
  readonly budget: Budget
  readonly rejections: Rejections
  /** Settles when a hold of an earlier process is known; never rejects. */
  readonly recalled: Promise<void>
  readonly #allowance: Allowance
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #users = new Map<object, { limit: number; purpose: Purpose }>()
  #hold: { until: number; error: KeyholderError } | undefined
  #holdsInARow = 0
  /** Sign-ins of the last hour (milliseconds of the monotonic clock). */
  #signIns: number[] = []

  /** @param path beginning of the names of the files that survive a restart */
  constructor(path: string, clock: Clock) {
    this.#clock = clock
    // Until `limitBy` tells.
    this.#allowance = new Allowance(1)
    this.#ledger = new Ledger(`${path}.log`, clock)
    this.budget = new Budget(this.#allowance, this.#ledger, clock)
    this.rejections = new Rejections(`${path}.rejected.json`)
    this.recalled = this.#recall()
  }

  /** How many config nodes share the conduct. */
  get owners(): number {
    return [...this.#users.values()].filter(({ purpose }) => purpose === 'deployed').length
  }

  /** Takes the cap of a config node, or of a trial, into account: where several set one, the lowest holds. */
  limitBy(owner: object, limit: number, purpose: Purpose): void {
    this.#users.set(owner, { limit, purpose })
    this.#limitByLowest()
  }

  /** Takes a cap out of account; that of a config node, because its settings may be about to change. */
  release(owner: object): void {
    const user = this.#users.get(owner)
    if (user === undefined) return
    this.#users.delete(owner)
    if (user.purpose === 'deployed') this.rejections.settingsChanged()
    if (this.#users.size > 0) this.#limitByLowest()
  }

  /** Milliseconds for which nothing may be sent; 0 when there is no hold. */
  get heldFor(): number {
    return Math.max(0, (this.#hold?.until ?? 0) - this.#clock.monotonic())
  }

  /**
   * Lets nothing pass while the user is held.
   * @throws KeyholderError with the code of what caused the hold, and the seconds left
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
   * Holds the user for the time asked for, or for our own growing pause where none was; a longer hold stays.
   * It holds at once; the promise settles when a restart would know of it too, and never rejects.
   * @param asked milliseconds
   * @param random a number from 0 up to 1
   */
  async hold(error: KeyholderError, asked: number | undefined, random: number): Promise<void> {
    this.#holdsInARow += 1
    const pause = asked ?? ownPause(this.#holdsInARow, random)
    if (pause <= this.heldFor) return
    this.#holdFor(pause, error)
    await this.#ledger.noteHold(pause)
  }

  /**
   * The service has answered an attempt without asking for a pause: where it was made after the hold it has proved
   * that the service takes questions again, and others may follow it.
   * @param sentAt milliseconds of the monotonic clock
   */
  heard(sentAt: number): void {
    if (sentAt < (this.#hold?.until ?? 0)) return
    this.#allowance.isProbing = false
    // On disk too: the clocks alone would not tell after the machine's next start that it is over.
    if (this.#hold !== undefined) void this.#ledger.noteHold(0)
    this.#hold = undefined
  }

  /**
   * Notes on disk that secrets are about to be sent which may be wrong: should this process end before the answer, the
   * next one must not send them at once. The answer ends it.
   */
  async sending(): Promise<() => Promise<void>> {
    await this.#ledger.noteHold(pauseAfterKill)
    return () => this.#ledger.noteHold(this.heldFor)
  }

  /**
   * Notes that the service was asked to sign the user in and answered; many within an hour are followed by a pause.
   * Settles as `hold` does.
   */
  async signedIn(): Promise<void> {
    const now = this.#clock.monotonic()
    this.#signIns = [...this.#signIns.filter((at) => now - at < hour), now]
    const pause = signInPause(this.#signIns.length)
    if (pause > 0) await this.hold(sessionsEnd, pause, 0)
  }

  /** A question was answered: the next pause of our own is a short one again. */
  answered(): void {
    this.#holdsInARow = 0
  }

  #limitByLowest(): void {
    this.budget.limit = Math.min(...[...this.#users.values()].map(({ limit }) => limit))
  }

  async #recall(): Promise<void> {
    const left = await this.#ledger.recallHold()
    if (left <= this.heldFor) return
    const error = new KeyholderError(
      'LOGIN_BLOCKED',
      'Before Node-RED was restarted the service asked for a pause, or had not yet answered a sign-in.',
    )
    this.#holdFor(left, error)
  }

  #holdFor(pause: number, error: KeyholderError): void {
    this.#hold = { until: this.#clock.monotonic() + pause, error }
    this.#allowance.isProbing = true
  }
}

/** A time as a person would say it. */
function inWords(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / second)
  if (seconds < 120) return `${seconds} seconds`
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`
}
