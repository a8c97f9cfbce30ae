import { ageOf, type Clock, momentOf } from '../../../clock.ts'
import { minute } from '../../../duration.ts'
import type { ErrorCode, KeyholderError } from '../../../service/error.ts'
import { wholePanel } from '../../../service/responses/status.ts'
import type { StateView } from '../../state/partition-state.ts'
import { settlementDelay } from './bypass-policy.ts'
import type { BypassRecord } from './bypass-records.ts'

/** Milliseconds until the next attempt after a failure; the last one repeats. */
const pauses = [1, 5, 15, 60].map((minutes) => minutes * minute)

/** Errors that a repetition cannot fix, or that must not be repeated: a wrong code counts at the panel. */
const lastingCodes: readonly ErrorCode[] = [
  'BAD_CREDENTIALS',
  'WRONG_USER_CODE',
  'NOT_ALLOWED',
  'NOT_CONFIGURED',
  'BAD_SETTING',
]

/** Returns true if the nodes do not try again after this error. A file can be used as soon as its disk has room. */
export function isLasting({ code, detail }: KeyholderError): boolean {
  return lastingCodes.includes(code) && detail.text !== 'finding.unusableFile'
}

/** The facts about the command of a record that nobody was told. */
export interface Untold {
  /** True if the command was interrupted, so that no answer said what became of it. */
  isInterrupted: boolean
  /** True if the partition may be armed although no answer of this process says so, until the log has said so. */
  isUntold: boolean
}

/** The facts that a process knows about the bypasses of a partition beside their record. */
interface Entry extends Untold {
  /**
   * The time since when nobody does the last step, if it was done for a flow that was stopped or by an earlier process;
   * in milliseconds of the monotonic clock. The time in the record can be earlier, because a request may wait before it
   * is sent, or later, because the clock may have been set.
   */
  leftAt: number | undefined
  /** True if nobody has watched the partition since an earlier process has ended: people may have armed and disarmed it. */
  isUnwatched: boolean
  /** True if it was seen armed since the start, or since that was forgotten. */
  wasArmed: boolean
  /** Failures to settle the record since the last success. */
  failures: number
  /** True if there are no more attempts. */
  isGivenUp: boolean
}

/** One for all panels, of which most are never looked at. */
const unknown: ReadonlyMap<number, string> = new Map()

/** The progress of the settlement of each partition of a panel: what is told, what was seen, when it tries again. */
export class SettlementProgress {
  readonly #clock: Clock
  readonly #entries = new Map<number, Entry>()
  /** The state of each partition at the last look; empty while nobody looks. */
  #states = unknown

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes a record that an earlier process has left. */
  noteEarlier({ phase, partition }: BypassRecord): void {
    const entry = this.#of(partition)
    entry.leftAt = this.#clock.monotonic()
    entry.isUnwatched = true
    if (phase === 'armed') entry.isUntold = true
    else entry.isInterrupted = true
  }

  /** Notes that nobody does the step of a command any more, so that nobody knows how it ends. */
  noteInterrupted(partition: number): void {
    const entry = this.#of(partition)
    entry.leftAt = this.#clock.monotonic()
    entry.isInterrupted = true
  }

  /** Notes a command of this process that has ended without an answer about its bypasses: the record has its time. */
  noteEnded(partition: number): void {
    const entry = this.#of(partition)
    entry.leftAt = undefined
    entry.isUnwatched = false
    entry.isUntold = true
  }

  /** Notes that a command has armed a partition: it was not seen armed since. */
  noteArming(partition: number): void {
    const entry = this.#of(partition)
    entry.leftAt = undefined
    entry.isUnwatched = false
    this.noteSuccess(partition)
    const forgotten = partition === wholePanel ? [...this.#entries.keys()] : [partition, wholePanel]
    for (const id of forgotten) this.#of(id).wasArmed = false
  }

  /** Notes that no answer of this process tells what became of the command for a partition. */
  noteUntold(partition: number): void {
    this.#of(partition).isUntold = true
  }

  /** Returns what nobody was told about the command of a partition, and forgets it because it is told now. */
  takeUntold(partition: number): Untold {
    const entry = this.#of(partition)
    const { isInterrupted, isUntold } = entry
    entry.isInterrupted = false
    entry.isUntold = false
    return { isInterrupted, isUntold }
  }

  /** Returns true if it is not known what has happened since the last step. */
  isUnwatched(partition: number): boolean {
    return this.#of(partition).isUnwatched
  }

  /** Notes that it is known what has happened since the last step. */
  noteWatched(partition: number): void {
    this.#of(partition).isUnwatched = false
  }

  /** Returns the milliseconds until the state of the panel shows what became of the last step; 0 if it does. */
  delayOf(record: BypassRecord): number {
    const { partition, at } = record
    const { isInterrupted, leftAt } = this.#of(partition)
    const sinceStep = isInterrupted ? 0 : ageOf(at, momentOf(this.#clock))
    const sinceLeft = leftAt === undefined ? 0 : this.#clock.monotonic() - leftAt
    const age = Math.max(sinceStep, sinceLeft)
    return settlementDelay(record, { age, isInterrupted, isSeenArmed: this.#wasArmed(partition) })
  }

  /** Notes a failure. Returns true if it is the first one of the partition since its last success. */
  noteFailure(partition: number, error: KeyholderError): boolean {
    const entry = this.#of(partition)
    entry.failures += 1
    entry.isGivenUp = isLasting(error)
    return entry.failures === 1
  }

  /** Notes that a partition was settled, or that it is worth a new attempt. */
  noteSuccess(partition: number): void {
    const entry = this.#of(partition)
    entry.failures = 0
    entry.isGivenUp = false
  }

  /** Returns true if there are no more attempts for a partition. */
  isGivenUp(partition: number): boolean {
    return this.#of(partition).isGivenUp
  }

  /** Milliseconds until the next attempt; undefined if there is nothing to be tried again. */
  get pause(): number | undefined {
    const repeated = [...this.#entries.values()].filter((one) => one.failures > 0 && !one.isGivenUp)
    const own = repeated.map(({ failures }) => pauses[Math.min(failures, pauses.length) - 1] as number)
    return own.length === 0 ? undefined : Math.min(...own)
  }

  /** Notes that a partition, or all of them, were armed. */
  noteArmed(partition: number): void {
    this.#of(partition).wasArmed = true
  }

  /** Notes the states of the partitions. Returns true if one is disarmed that was not at the last look. */
  noteStates({ partitions }: StateView): boolean {
    const isNew = partitions.some(({ id, value }) => value === 'DISARM' && this.#states.get(id) !== value)
    this.#states = new Map(partitions.map(({ id, value }) => [id, value]))
    for (const { id, value } of partitions) if (value !== 'DISARM' && value !== 'UNKNOWN') this.noteArmed(id)
    return isNew
  }

  /** Forgets the states, because nobody looks at them any more. */
  forgetStates(): void {
    this.#states = unknown
  }

  /** Returns true if a partition, or all of them, were seen armed after the last step. */
  #wasArmed(partition: number): boolean {
    const wasArmed = (id: number) => this.#entries.get(id)?.wasArmed === true
    if (wasArmed(partition) || wasArmed(wholePanel)) return true
    return this.#states.size > 0 && [...this.#states.keys()].every(wasArmed)
  }

  #of(partition: number): Entry {
    const entry = this.#entries.get(partition) ?? {
      isInterrupted: false,
      isUntold: false,
      leftAt: undefined,
      isUnwatched: false,
      wasArmed: false,
      failures: 0,
      isGivenUp: false,
    }
    this.#entries.set(partition, entry)
    return entry
  }
}
