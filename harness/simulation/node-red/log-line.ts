/** A line of Node-RED's log. */
export interface LogLine {
  /** One of `logLevels`. */
  level: number
  msg: unknown
  /** The id, type, name and tab of the node that has written it. */
  id?: string
  type?: string
  name?: string
  z?: string
  path?: string
  /** Milliseconds since 1970 on the wall clock. */
  timestamp?: number
}

/** The levels of the lines of a log. */
export const logLevels = {
  FATAL: 10,
  ERROR: 20,
  WARN: 30,
  INFO: 40,
  DEBUG: 50,
  TRACE: 60,
  AUDIT: 98,
  METRIC: 99,
} as const
