import { type Clock, type Moment, momentOf } from '../../clock.ts'
import { type AttemptLog, maxReservationTime } from './attempt-log.ts'

/** Attempts whose starts are noted together. */
interface Reservation {
  /** Resolves when the note is written. */
  readonly written: Promise<void>
  /** The end of its time, in milliseconds of the monotonic clock. */
  readonly until: number
  cancelTimer(): void
  /** The number of attempts that may still start. */
  left: number
  running: number
  /** The number of attempts that have ended since the last note, and the end of the latest. */
  ended: number
  endedAt: Moment
}

const maxAttempts = 8

/**
 * Returns the number of attempts that are noted together: a thirtieth of the limit at most, because all of them count
 * after a kill.
 */
export function reservationSize(limit: number): number {
  return Math.max(1, Math.min(maxAttempts, Math.floor(limit / 30)))
}

/**
 * Notes attempts in the log before they start, several at a time: a write for each of them would take longer than all
 * else that we do for a request.
 *
 * Attempts that were noted and not made are taken back when the time of the reservation is over. Until then a kill counts
 * them as made, so the next process never sends too much. Without attempts, nothing is reserved.
 */
export class AttemptReservations {
  readonly #log: Pick<AttemptLog, 'noteStarts' | 'noteEnds'>
  readonly #clock: Clock
  #open: Reservation | undefined

  constructor(log: Pick<AttemptLog, 'noteStarts' | 'noteEnds'>, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** Resolves when an attempt is noted and may start. Call the returned function once at its end. */
  async begin(limit: number): Promise<() => void> {
    if (this.#open !== undefined && this.#clock.monotonic() >= this.#open.until) this.#end(this.#open)
    const reservation = this.#open ?? this.#reserve(reservationSize(limit))
    reservation.left -= 1
    reservation.running += 1
    if (reservation.left === 0) this.#open = undefined
    await reservation.written
    return () => {
      reservation.running -= 1
      reservation.ended += 1
      reservation.endedAt = momentOf(this.#clock)
      if (reservation.running === 0 && reservation !== this.#open) this.#end(reservation)
    }
  }

  /** Takes back what is reserved and not used. */
  close(): void {
    if (this.#open !== undefined) this.#end(this.#open)
  }

  #reserve(size: number): Reservation {
    const reservation: Reservation = {
      written: this.#log.noteStarts(size),
      until: this.#clock.monotonic() + maxReservationTime,
      cancelTimer:
        size === 1 ? () => {} : this.#clock.after(maxReservationTime, () => this.#end(reservation)),
      left: size,
      running: 0,
      ended: 0,
      endedAt: momentOf(this.#clock),
    }
    this.#open = reservation
    return reservation
  }

  /** Lets no further attempt of a reservation start, and notes those that have ended. */
  #end(reservation: Reservation): void {
    if (this.#open === reservation) this.#open = undefined
    reservation.cancelTimer()
    const { ended, endedAt, left } = reservation
    reservation.ended = 0
    reservation.left = 0
    if (ended + left > 0) void this.#log.noteEnds(ended, endedAt, left)
  }
}
