import type { PartitionState } from './state.ts'

const second = 1000

/** A change that was announced shows within this time or not at all; a delay may last so much longer than it should. */
const patience = 60 * second

/**
 * Whether the state is changing, so that it is worth reading often.
 *
 * It is while an exit or entry delay runs, and from the announcement of a change until one is seen: a command may be
 * done before the service shows it. Neither lasts for ever. Times are milliseconds of the monotonic clock, passed in.
 */
export class Settling {
  #awaitedUntil = Number.NEGATIVE_INFINITY
  #delayedUntil = Number.NEGATIVE_INFINITY
  #isDelayed = false
  #values = ''

  /** Notes that the state is about to change. */
  announce(now: number): void {
    this.#awaitedUntil = now + patience
  }

  /** Takes in the state of the moment. */
  see(partitions: readonly PartitionState[], now: number): void {
    const values = JSON.stringify(partitions.map(({ id, value }) => [id, value]))
    if (values !== this.#values) {
      // The first look has nothing to compare with.
      if (this.#values !== '') this.#awaitedUntil = Number.NEGATIVE_INFINITY
      const exitDelays = partitions.map(({ exitDelay }) => exitDelay ?? 0)
      this.#delayedUntil = now + second * Math.max(0, ...exitDelays) + patience
      this.#values = values
    }
    this.#isDelayed = partitions.some(({ status, value }) => status === 'EXIT' || value === 'ENTRY_DELAY')
  }

  /** Whether the state is changing now. */
  isUnderWay(now: number): boolean {
    return now < this.#awaitedUntil || (this.#isDelayed && now < this.#delayedUntil)
  }
}
