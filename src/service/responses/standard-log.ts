import { type Check, entry, list } from './check.ts'
import { integerOrNull, textOrEmpty } from './fallbacks.ts'

/** An entry of the panel's own log (interface specification 2.11), newest first in what was shown. */
export interface LogEntry {
  /** The `code_vis` of the matching event type (6.1), so not unique among entries. */
  id: number | null
  /** Source, such as the control panel or a numbered user. */
  location: string
  description: string
  /** Number of the partition as text, or empty. */
  partition: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  time: string
}

const logEntry: Check<LogEntry> = entry((wire, tally) => ({
  id: integerOrNull(wire.id, tally),
  location: textOrEmpty(wire.location, tally),
  description: textOrEmpty(wire.description, tally),
  partition: textOrEmpty(wire.partition, tally),
  time: textOrEmpty(wire.time, tally),
}))

/** The answer to GET /standard_log (interface specification 4.7). */
export const standardLog: Check<LogEntry[]> = list(logEntry)
