import type { PartitionStatus } from '../service/status.ts'

const second = 1000

/**
 * When the exit delays that run will end: the service says only that one runs, and not since when.
 *
 * It began when it was first seen, or when a command was announced that was given since the last look. Times are
 * milliseconds of the monotonic clock.
 */
export class ExitDelays {
  readonly #begun = new Map<number, { target: string; at: number }>()
  #announcedAt = Number.NEGATIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY

  /** Notes that a command changes the state at this moment. */
  announce(now: number): void {
    this.#announcedAt = now
  }

  /**
   * Takes in what the service says; answers when each running delay of a known length ends, by the partition's id.
   * @param lengthOf seconds
   * @param at when the service was asked
   */
  follow(
    partitions: readonly PartitionStatus[],
    lengthOf: (id: number) => number | null,
    at: number,
  ): ReadonlyMap<number, number> {
    const ends = new Map<number, number>()
    for (const { id, state, status } of partitions) {
      if (status !== 'EXIT') {
        this.#begun.delete(id)
        continue
      }
      const length = second * (lengthOf(id) ?? Number.NaN)
      const known = this.#begun.get(id)
      const begun = known?.target === state ? known : { target: state, at: this.#beginning(length, at) }
      this.#begun.set(id, begun)
      if (length >= 0) ends.set(id, begun.at + length)
    }
    this.#lookedAt = Math.max(this.#lookedAt, at)
    return ends
  }

  /** An announcement was not the beginning where the delay would be over by now. */
  #beginning(length: number, at: number): number {
    const announced = this.#announcedAt
    const fits = announced > this.#lookedAt && announced <= at && announced + length > at
    return fits ? announced : at
  }
}

/** Whole seconds from one moment of the monotonic clock to a later one; 0 when that is over. */
export function secondsUntil(end: number, now: number): number {
  return Math.max(0, Math.ceil((end - now) / second))
}
