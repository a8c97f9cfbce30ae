import { second } from '../../duration.ts'
import type { PartitionStatus } from '../../service/responses/status.ts'

/**
 * The ends of the running exit delays: the service reports only that a delay runs, and not since when.
 *
 * A delay began when it was first seen, or with a command that was announced since the previous read. Times
 * are milliseconds of the monotonic clock.
 */
export class ExitDelays {
  readonly #started = new Map<number, { target: string; at: number }>()
  #announcedAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY

  /** Notes that a command changes the state at this moment. */
  expectChange(now: number): void {
    this.#announcedAt = now
  }

  /**
   * Processes the service's report; returns the end of each running delay of a known length, by partition id.
   * @param lengthOf returns seconds
   * @param at the time of the request
   */
  follow(
    partitions: readonly PartitionStatus[],
    lengthOf: (id: number) => number | null,
    at: number,
  ): ReadonlyMap<number, number> {
    const ends = new Map<number, number>()
    for (const { id, state, status } of partitions) {
      if (status !== 'EXIT') {
        this.#started.delete(id)
        continue
      }
      const length = second * (lengthOf(id) ?? Number.NaN)
      const known = this.#started.get(id)
      const started = known?.target === state ? known : { target: state, at: this.#startTime(length, at) }
      this.#started.set(id, started)
      if (length >= 0) ends.set(id, started.at + length)
    }
    this.#readAt = Math.max(this.#readAt, at)
    return ends
  }

  /** Returns the start of a delay. An announcement is not the start if the delay would be over by now. */
  #startTime(length: number, at: number): number {
    const announced = this.#announcedAt
    const fits = announced > this.#readAt && announced <= at && announced + length > at
    return fits ? announced : at
  }
}

/** Returns the whole seconds from one moment of the monotonic clock to a later one; 0 if that has passed. */
export function secondsUntil(end: number, now: number): number {
  return Math.max(0, Math.ceil((end - now) / second))
}
