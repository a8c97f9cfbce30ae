import { second } from '../../duration.ts'
import type { PartitionState } from './partition-state.ts'

/**
 * Milliseconds within which an announced change shows if it shows at all. A delay can exceed its length by as
 * much.
 */
const maxDuration = 60 * second

/**
 * Detects that the state is changing, so that it is worth polling often.
 *
 * It changes during an exit or entry delay, and from the announcement of a change until one is seen: a
 * command may be done before the service shows it. Both end after a limit. Times are milliseconds of the
 * monotonic clock, passed in.
 */
export class StateTransition {
  #awaitedUntil = Number.NEGATIVE_INFINITY
  #delayedUntil = Number.NEGATIVE_INFINITY
  #isDelayed = false
  #values = ''

  /** Notes that the state is about to change. */
  expectChange(now: number): void {
    this.#awaitedUntil = now + maxDuration
  }

  /** Processes the current state. */
  noteState(partitions: readonly PartitionState[], now: number): void {
    const values = JSON.stringify(partitions.map(({ id, value }) => [id, value]))
    if (values !== this.#values) {
      // The first call has nothing to compare with.
      if (this.#values !== '') this.#awaitedUntil = Number.NEGATIVE_INFINITY
      const exitDelays = partitions.map(({ exitDelay }) => exitDelay ?? 0)
      this.#delayedUntil = now + second * Math.max(0, ...exitDelays) + maxDuration
      this.#values = values
    }
    this.#isDelayed = partitions.some(({ status, value }) => status === 'EXIT' || value === 'ENTRY_DELAY')
  }

  /** Returns true if the state is changing now. */
  isUnderWay(now: number): boolean {
    return now < this.#awaitedUntil || (this.#isDelayed && now < this.#delayedUntil)
  }
}
