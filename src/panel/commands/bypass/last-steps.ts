import { ageOf, type Clock, momentOf } from '../../../clock.ts'
import { settlementDelay } from './bypass-policy.ts'
import type { BypassRecord } from './bypass-records.ts'

/** The last steps of the records, and how long to wait for their effects. */
export class LastSteps {
  readonly #clock: Clock
  readonly #hasSeenArmed: (partition: number) => boolean
  /** The partitions whose command was interrupted, so that no answer said what became of it. */
  readonly #interrupted = new Set<number>()
  /**
   * The time since when nobody does the last step for a partition, if it was done for a flow that was stopped or by an
   * earlier process; in milliseconds of the monotonic clock. The time in the record can be earlier, because a request
   * may wait before it is sent, or later, because the clock may have been set.
   */
  readonly #leftAt = new Map<number, number>()
  /** The partitions that nobody has watched since an earlier process has ended. */
  readonly #unwatched = new Set<number>()

  /** @param hasSeenArmed returns true if a partition was seen armed after its last step */
  constructor(clock: Clock, hasSeenArmed: (partition: number) => boolean) {
    this.#clock = clock
    this.#hasSeenArmed = hasSeenArmed
  }

  /** Notes a step that nobody does any more. @param isInterrupted true if nobody knows how it ended */
  noteLeft(partition: number, isInterrupted: boolean): void {
    this.#leftAt.set(partition, this.#clock.monotonic())
    if (isInterrupted) this.#interrupted.add(partition)
  }

  /** Notes the last step of an earlier process: people may have armed and disarmed the panel since. */
  noteUnwatched(partition: number): void {
    this.#unwatched.add(partition)
  }

  /** Notes that it is known what has happened since the last step. */
  noteWatched(partition: number): void {
    this.#unwatched.delete(partition)
  }

  /** Returns true if it is not known what has happened since the last step. */
  isUnwatched(partition: number): boolean {
    return this.#unwatched.has(partition)
  }

  /** Notes a step of this process that has ended: the record has its time. */
  noteEnded(partition: number): void {
    this.#leftAt.delete(partition)
    this.noteWatched(partition)
  }

  /** Returns true if the command of a partition was interrupted, and forgets it. */
  takeInterrupted(partition: number): boolean {
    return this.#interrupted.delete(partition)
  }

  /** Returns the milliseconds until the state of the panel shows what became of the last step; 0 if it does. */
  delayOf(record: BypassRecord): number {
    const { partition, at } = record
    const isInterrupted = this.#interrupted.has(partition)
    const sinceStep = isInterrupted ? 0 : ageOf(at, momentOf(this.#clock))
    const leftAt = this.#leftAt.get(partition)
    const sinceLeft = leftAt === undefined ? 0 : this.#clock.monotonic() - leftAt
    const age = Math.max(sinceStep, sinceLeft)
    return settlementDelay(record, { age, isInterrupted, isSeenArmed: this.#hasSeenArmed(partition) })
  }
}
