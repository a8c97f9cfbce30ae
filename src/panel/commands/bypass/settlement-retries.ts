import { minute } from '../../../duration.ts'
import type { ErrorCode, KeyholderError } from '../../../service/error.ts'

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

/** The failures of the settlements, by partition, and when to try again. */
export class SettlementRetries {
  readonly #failures = new Map<number, { count: number; isLasting: boolean }>()

  /** Notes a failure. Returns true if it is the first one of the partition since its last success. */
  noteFailure(partition: number, error: KeyholderError): boolean {
    const count = (this.#failures.get(partition)?.count ?? 0) + 1
    this.#failures.set(partition, { count, isLasting: isLasting(error) })
    return count === 1
  }

  /** Notes that a partition was settled, or that it is worth a new attempt. */
  noteSuccess(partition: number): void {
    this.#failures.delete(partition)
  }

  /** Returns true if there are no more attempts for a partition. */
  isGivenUp(partition: number): boolean {
    return this.#failures.get(partition)?.isLasting === true
  }

  /** Milliseconds until the next attempt; undefined if there is nothing to be tried again. */
  get pause(): number | undefined {
    const repeated = [...this.#failures.values()].filter((one) => !one.isLasting)
    const own = repeated.map(({ count }) => pauses[Math.min(count, pauses.length) - 1] as number)
    return own.length === 0 ? undefined : Math.min(...own)
  }
}
