/**
 * A log of an account's requests, for a person who looks for a fault. A missing function costs nothing,
 * because no line is built for it.
 *
 * Lines name operations, not paths, because a path may contain a token. They contain no token, password,
 * code, serial or text of the service.
 */
export interface RequestLog {
  /** Receives one line for each HTTP attempt. */
  debug?(line: string): void
  /** Receives lines about requests that wait, are repeated or are not sent. */
  trace?(line: string): void
}

/** Returns a log that never throws: an answer must reach its caller even if the log does not work. */
export function safeLog({ debug, trace }: RequestLog): RequestLog {
  return { ...(debug && { debug: safely(debug) }), ...(trace && { trace: safely(trace) }) }
}

function safely(log: (line: string) => void): (line: string) => void {
  return (line) => {
    try {
      log(line)
    } catch {
      // Only a line of the log is lost.
    }
  }
}
