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
import { showsState } from '../command-result.ts'
import { type Situation, targets } from '../current-state.ts'

/** Zones that are bypassed for one arming; more open ones are refused, so that the file stays small. */
export const maxBypassed = 128

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

/** The next step for a record. */
export type Settlement =
  /** The panel is armed as commanded: the bypasses stay. */
  | 'armed'
  /** The panel is armed in another way, so that no bypass can be removed now. */
  | 'wait'
  | 'take back'
  /** The panel was disarmed, and the bypasses stay by the choice of the flow. */
  | 'forget'

/** Returns what is to be done about a record in this situation. */
export function settlementOf({ partition, state, phase, restore }: BypassRecord, now: Situation): Settlement {
  const states = targets(now, partition).map((one) => one.state)
  if (phase === 'armed') {
    if (states.some((one) => one !== 'DISARM')) return 'armed'
    return restore ? 'take back' : 'forget'
  }
  if (phase === 'arming' && showsState({ partition, state }, now)) return 'armed'
  return states.some((one) => one !== 'DISARM' && one !== 'UNKNOWN') ? 'wait' : 'take back'
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
