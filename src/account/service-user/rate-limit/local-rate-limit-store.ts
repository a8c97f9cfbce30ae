import { type Clock, type Moment, momentOf } from '../../../clock.ts'
import { hour, minute, second } from '../../../duration.ts'
import { asKeyholderError, closedError, KeyholderError } from '../../../service/error.ts'
import { type AttemptLog, maxReservationTime } from './attempt-log.ts'
import { DayCount, type Lane, RunningAttempts, SlidingWindow } from './budget.ts'
import {
  type Backoff,
  backoffBeforeRestart,
  type CountedAttempt,
  longerBackoff,
  type RateLimitStore,
} from './rate-limit-store.ts'

const left = new KeyholderError(
  'RATE_LIMITED',
  'The account has left a cluster, whose last requests are not known here.',
)

/** The part of the attempt log that the store needs. */
export type LoggedAttempts = Pick<
  AttemptLog,
  | 'open'
  | 'recall'
  | 'recallBackoff'
  | 'recallToday'
  | 'joined'
  | 'noteStarts'
  | 'noteEnds'
  | 'noteBackoff'
  | 'guardKill'
  | 'noteLeft'
>

/** The rate-limit store of a process that is alone: a sliding window in memory, and a log file for the next process. */
export class LocalRateLimitStore implements RateLimitStore {
  backoff: Backoff | undefined
  // The initial limit, until a config node sets its own.
  readonly #slidingWindow = new SlidingWindow(1)
  readonly #attemptLog: LoggedAttempts
  readonly #reservations: AttemptReservations
  readonly #clock: Clock
  readonly #running = new RunningAttempts()
  readonly #today = new DayCount()
  #recalled: Promise<void> | undefined
  #isOpen = false
  /** The error of the pause after a start during which the log cannot be written. */
  #unwritten: KeyholderError | undefined
  /** The times of the sign-ins of the last hour (milliseconds of the monotonic clock). */
  #signIns: number[] = []

  constructor(attemptLog: LoggedAttempts, clock: Clock) {
    this.#attemptLog = attemptLog
    this.#reservations = new AttemptReservations(attemptLog, clock)
    this.#clock = clock
  }

  get limit(): number {
    return this.#slidingWindow.limit
  }

  set limit(limit: number) {
    this.#slidingWindow.limit = limit
  }

  endLimit(): Promise<void> {
    return this.#reservations.close()
  }

  get used(): number {
    return this.#slidingWindow.used(this.#clock.monotonic())
  }

  get usedToday(): number {
    return this.#today.of(this.#clock.wall())
  }

  wait(lane: Lane): number {
    return this.#slidingWindow.wait(lane, this.#clock.monotonic())
  }

  onChange(_listener: () => void): () => void {
    return () => {}
  }

  async take(lane: Lane): Promise<CountedAttempt | undefined> {
    if (this.#running.isOver) throw closedError()
    if (this.wait(lane) > 0) return undefined
    const noteEnd = this.#running.begin()
    this.#slidingWindow.start(lane, this.#clock.monotonic())
    this.#today.add(1, this.#clock.wall())
    const noteLoggedEnd = await this.#reservations.begin(this.limit, this.usedToday)
    return {
      end: () => {
        noteLoggedEnd()
        this.#slidingWindow.end(lane, this.#clock.monotonic())
        noteEnd()
      },
    }
  }

  recall(before?: Promise<void>): Promise<void> {
    this.#recalled ??= before === undefined ? this.#recall() : before.then(() => this.#recall())
    return this.#recalled
  }

  async open(): Promise<void> {
    if (this.#isOpen) return
    await this.recall()
    try {
      await this.#attemptLog.open()
    } catch (thrown) {
      // What an earlier process has noted is known. What this one sends is not known to the next one, which waits in turn.
      if (this.#recalled === undefined) throw thrown
      this.#waitAfterStart(asKeyholderError(thrown))
      return
    }
    // It may have become readable only now.
    await this.recall()
    this.#isOpen = true
    if (this.backoff !== undefined && this.backoff.error === this.#unwritten) this.endBackoff()
  }

  /** Has the first attempt wait for a minute, so that a crash loop sends nothing and attempts that nobody has noted do not count any more. */
  #waitAfterStart(error: KeyholderError): void {
    if (this.#unwritten !== undefined) return
    this.#unwritten = error
    if (minute > this.#backoffLeft) this.#backOffFor(minute, error, true)
  }

  async close(): Promise<void> {
    await this.#running.over()
    await this.#reservations.close()
  }

  async startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    const isLonger = pause > this.#backoffLeft
    this.#backOffFor(pause, error, isRequested)
    if (isLonger) await this.#attemptLog.noteBackoff(pause)
  }

  endBackoff(): void {
    this.#slidingWindow.isProbing = false
    // Also noted on disk: after the next restart of the machine, the clocks alone would not show that the
    // backoff is over.
    if (this.backoff !== undefined) void this.#attemptLog.noteBackoff(0)
    this.backoff = undefined
  }

  guardKill(pause: number): Promise<() => Promise<void>> {
    return this.#attemptLog.guardKill(pause)
  }

  async noteSignIn(): Promise<number> {
    const now = this.#clock.monotonic()
    this.#signIns = [...this.#signIns.filter((at) => now - at < hour), now]
    return this.#signIns.length
  }

  get #backoffLeft(): number {
    return Math.max(0, (this.backoff?.until ?? 0) - this.#clock.monotonic())
  }

  async #recall(): Promise<void> {
    let isInCluster: boolean
    try {
      isInCluster = (await this.#attemptLog.joined()) !== undefined
      this.#slidingWindow.recall(await this.#attemptLog.recall(), this.#clock.monotonic())
      const backoff = await this.#attemptLog.recallBackoff()
      this.#today.add((await this.#attemptLog.recallToday()) - this.usedToday, this.#clock.wall())
      if (backoff > this.#backoffLeft) this.#backOffFor(backoff, backoffBeforeRestart, true)
    } catch {
      // The log cannot be opened either, so nothing is sent. The next call tries again.
      this.#recalled = undefined
      return
    }
    if (!isInCluster) return
    // What the other instances sent is not known here, and what this one sent is counted there.
    await this.startBackoff(minute + second, left, true)
    await this.#attemptLog.noteLeft()
  }

  /** Starts a backoff; a longer one that is already running stays. */
  #backOffFor(pause: number, error: KeyholderError, isRequested: boolean): void {
    const since = this.#clock.monotonic()
    const until = since + pause
    const requestedUntil = isRequested ? until : 0
    this.backoff = longerBackoff(this.backoff, { since, until, requestedUntil, error })
    this.#slidingWindow.isProbing = true
  }
}

/** Attempts whose starts are noted together. */
interface Reservation {
  /** Resolves when the note is written. */
  readonly written: Promise<void>
  /** The end of its time, in milliseconds of the monotonic clock. */
  readonly until: number
  /** The number of attempts that may still start. */
  left: number
}

/** The attempts that are noted together: all of them count after a kill, and eight save most writes to the disk. */
const maxAttempts = 8

/**
 * Returns the number of attempts that are noted together: a third of the limit at most, because all of them count
 * after a kill: at the default limit eight of 30, and a start takes a dozen.
 */
function reservationSize(limit: number): number {
  return Math.max(1, Math.min(maxAttempts, Math.floor(limit / 3)))
}

/**
 * Notes attempts in the log before they start, several at a time: a write for each of them would take longer than all
 * else that we do for a request, and an SD card stands only so many.
 *
 * Attempts that were noted and not made are taken back when the time of the reservation is over. Until then a kill counts
 * them as made, so the next process never sends too much. Without attempts, nothing is reserved. The ends of attempts are
 * noted with the next reservation, or when there is none in that time: until then a kill counts them as just ended.
 */
export class AttemptReservations {
  readonly #log: Pick<AttemptLog, 'noteStarts' | 'noteEnds'>
  readonly #clock: Clock
  #open: Reservation | undefined
  #cancelTimer: (() => void) | undefined
  /** The number of attempts that have ended since the last note, and the end of the latest. */
  #ended = 0
  #endedAt: Moment

  constructor(log: Pick<AttemptLog, 'noteStarts' | 'noteEnds'>, clock: Clock) {
    this.#log = log
    this.#clock = clock
    this.#endedAt = momentOf(clock)
  }

  /**
   * Resolves when an attempt is noted and may start. Call the returned function once at its end.
   * @param today the attempts since midnight in UTC, with this one
   */
  async begin(limit: number, today = 0): Promise<() => void> {
    if (this.#open !== undefined && this.#clock.monotonic() >= this.#open.until) void this.close()
    const reservation = this.#open ?? this.#reserve(reservationSize(limit), today)
    reservation.left -= 1
    if (reservation.left === 0) this.#open = undefined
    await reservation.written
    return () => {
      this.#ended += 1
      this.#endedAt = momentOf(this.#clock)
      this.#cancelTimer ??= this.#clock.after(maxReservationTime, () => void this.close())
    }
  }

  /** Notes the attempts that have ended, and takes back what is reserved and not used. Resolves when it is written; never rejects. */
  close(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const unused = this.#open?.left ?? 0
    this.#open = undefined
    const ended = this.#ended
    this.#ended = 0
    return ended + unused > 0 ? this.#log.noteEnds(ended, this.#endedAt, unused) : Promise.resolve()
  }

  #reserve(size: number, today: number): Reservation {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(maxReservationTime, () => void this.close())
    this.#open = {
      written: this.#log.noteStarts(size, this.#ended, this.#endedAt, today),
      until: this.#clock.monotonic() + maxReservationTime,
      left: size,
    }
    this.#ended = 0
    return this.#open
  }
}
