import type { Moment } from '../../../clock.ts'
import {
  type Check,
  flag,
  integer,
  invalid,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
} from '../../../service/schema.ts'

/** Zones that are bypassed for one arming; more open ones are refused, so that the file stays small. */
export const maxBypassed = 128

/** Size in bytes beyond which a file holds no such records and is not read. */
export const maxFileBytes = 256 * 1024

/** The last step of an arming that was begun; it is recorded before the step. */
const phases = ['bypassing', 'arming', 'armed', 'restoring'] as const

/** The zones that a command has bypassed in order to arm, as the next process must know them. */
export interface BypassRecord {
  /** The partition of the command; there is one record for each. */
  readonly partition: number
  /** The state of the command. */
  readonly state: string
  readonly phase: (typeof phases)[number]
  /** True if the bypasses are taken back after the next disarm. */
  readonly restore: boolean
  /** The zones that may be bypassed by the command. */
  readonly zones: readonly number[]
  /** The time of the step. */
  readonly at: Moment
}

/** The version of the format. */
const format = 1

const phase: Check<BypassRecord['phase']> = (value) => phases.find((one) => one === value) ?? invalid

const file = record({
  format: integer,
  serial: text,
  armings: list(
    record({
      partition: integer,
      state: text,
      phase,
      restore: flag,
      zones: list(integer, maxBypassed),
      at: record({ wall: integer, monotonic: integer, boot: withDefault(text, undefined) }),
    }),
  ),
})

/** Returns the text of a file with these records. */
export function recordsText(serial: string, armings: readonly BypassRecord[]): string {
  return `${JSON.stringify({ format, serial, armings })}\n`
}

/** Returns the records in the text of a file; undefined if it is damaged or about another panel. */
export function recordsIn(content: string, serial: string): BypassRecord[] | undefined {
  const parsed = parse(file, parseJson(content))
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  if (parsed.value.serial !== serial) return undefined
  return parsed.value.armings
}
