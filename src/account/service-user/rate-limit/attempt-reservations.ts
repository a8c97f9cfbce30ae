import { type Clock, type Moment, momentOf } from '../../../clock.ts'
import type { AttemptLog } from './attempt-log.ts'
import { maxReservationTime } from './attempt-log-format.ts'

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
 * Returns the number of attempts that are noted together: a fifth of the limit at most, because all of them count
 * after a kill. At the default limit these are six.
 */
function reservationSize(limit: number): number {
  return Math.max(1, Math.min(maxAttempts, Math.floor(limit / 5)))
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

  /** Resolves when an attempt is noted and may start. Call the returned function once at its end. */
  async begin(limit: number): Promise<() => void> {
    if (this.#open !== undefined && this.#clock.monotonic() >= this.#open.until) void this.close()
    const reservation = this.#open ?? this.#reserve(reservationSize(limit))
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

  #reserve(size: number): Reservation {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#clock.after(maxReservationTime, () => void this.close())
    this.#open = {
      written: this.#log.noteStarts(size, this.#ended, this.#endedAt),
      until: this.#clock.monotonic() + maxReservationTime,
      left: size,
    }
    this.#ended = 0
    return this.#open
  }
}
