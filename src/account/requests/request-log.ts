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

/** One HTTP attempt, as a person who looks for a fault needs it. It holds no path, token or text of the service. */
export interface PastRequest {
  /** The start: ISO 8601 in UTC. */
  at: string
  method: 'GET' | 'POST'
  /** The name of the operation. */
  operation: string
  /** The HTTP status; null without an answer. */
  status: number | null
  /** The error code; null for a success. */
  code: string | null
  /** Milliseconds from the start to the end. */
  tookMs: number
}

/** The same as it is kept: most times are never read, so they are not formatted before. */
type KeptRequest = Omit<PastRequest, 'at'> & {
  /** Milliseconds since 1970. */
  at: number
}

/** The attempts that a diagnostics file shows: those of some minutes. */
const maxRequests = 100

/** The latest HTTP attempts of a sign-in, in memory only. */
export class RequestHistory {
  readonly #requests: KeptRequest[] = []

  /** The latest attempts, oldest first. */
  get latest(): readonly PastRequest[] {
    return this.#requests.map((request) => ({ ...request, at: new Date(request.at).toISOString() }))
  }

  add(request: KeptRequest): void {
    this.#requests.push(request)
    if (this.#requests.length > maxRequests) this.#requests.shift()
  }
}
