import { integerOrNull, textOrEmpty } from '../optional-fields.ts'
import { type Check, fastRecord, list } from '../schema.ts'

/**
 * An entry of the panel's own log (interface specification 2.11); the known examples have the newest entry
 * first.
 */
export interface LogEntry {
  /** The `code_vis` of the matching event type (6.1), so several entries can have the same id. */
  id: number | null
  /** Source, such as the control panel or a numbered user. */
  location: string
  description: string
  /** Number of the partition as text, or empty. */
  partition: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  time: string
}

const logEntry: Check<LogEntry> = fastRecord((wire, tally) => ({
  id: integerOrNull(wire.id, tally),
  location: textOrEmpty(wire.location, tally),
  description: textOrEmpty(wire.description, tally),
  partition: textOrEmpty(wire.partition, tally),
  time: textOrEmpty(wire.time, tally),
}))

/** The answer to GET /standard_log (interface specification 4.7). */
export const standardLog: Check<LogEntry[]> = list(logEntry)
