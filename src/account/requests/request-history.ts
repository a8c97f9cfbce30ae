import type { Clock } from '../../clock.ts'
import type { Reply } from '../../service/classify-error.ts'
import {
  asKeyholderError,
  type ErrorCode,
  type KeyholderError,
  unreachableCodes,
  unsupportedCodes,
} from '../../service/error.ts'
import type { TraceRecorder } from './trace-recorder.ts'

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
  /** The recordings of what the service answers, by the serial number of the panel; those that have ended stay until they are discarded. */
  readonly traces = new Map<string, TraceRecorder>()
  readonly #requests: KeptRequest[] = []

  /** The latest attempts, oldest first. */
  get latest(): readonly PastRequest[] {
    return this.#requests.map((request) => ({ ...request, at: new Date(request.at).toISOString() }))
  }

  /**
   * Notes an attempt, also for the recordings that run.
   * @param reply undefined if no answer came
   * @param panel the serial number of its panel, if it has one
   */
  add(request: KeptRequest, reply?: Reply, panel?: string): void {
    this.#requests.push(request)
    if (this.#requests.length > maxRequests) this.#requests.shift()
    for (const trace of this.traces.values()) trace.note(request, reply, panel)
  }
}

/** Counts the outcomes of an account's requests, for display. */
export class RequestStats {
  /** The number of successful sign-ins. */
  signIns = 0
  /** The number of attempts that the service answered, with any result. */
  replies = 0
  /** The number of consecutive attempts without any answer. An error of the service is an answer. */
  unanswered = 0
  /** True if the latest request failed. */
  isFailing = false
  /** The latest failure. It stays when later requests succeed. */
  latestFailure: Failure | undefined
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a successful sign-in. */
  noteSignIn(): void {
    this.signIns += 1
  }

  /** Notes that the service answered an attempt, with any result. */
  noteReply(): void {
    this.replies += 1
    this.unanswered = 0
  }

  /** Counts an attempt that failed because no answer came. */
  noteUnreached({ code }: KeyholderError): void {
    if (unreachableCodes.includes(code)) this.unanswered += 1
  }

  /**
   * Waits for a request and counts its outcome.
   * @throws the error of the request
   */
  async count<T>(request: Promise<T>): Promise<T> {
    try {
      const answer = await request
      this.isFailing = false
      return answer
    } catch (thrown) {
      this.#noteFailure(thrown)
      throw thrown
    }
  }

  /** Resets the values that are out of date after the last owner has left. */
  reset(): void {
    this.unanswered = 0
    this.isFailing = false
  }

  #noteFailure(thrown: unknown): void {
    const error = asKeyholderError(thrown)
    if (error.code === 'CLOSED') return
    if (unsupportedCodes.includes(error.code)) {
      this.isFailing = false
      return
    }
    this.isFailing = true
    this.latestFailure = failureOf(error, this.#clock)
  }
}

/**
 * The error code and the time of a failure.
 *
 * It has no message, because a message may name the host, a serial or a panel, and the readers of this record
 * must not see these.
 */
export interface Failure {
  readonly code: ErrorCode
  /** Milliseconds since 1970, for display. */
  readonly failedAt: number
  /** Milliseconds of the monotonic clock, for the order of failures. */
  readonly at: number
}

/** Creates a failure record with the current time. */
export function failureOf({ code }: KeyholderError, clock: Clock): Failure {
  return { code, failedAt: clock.wall(), at: clock.monotonic() }
}

/** Returns the latest of several failures; undefined if there is none. */
export function latestFailure(...failures: readonly (Failure | undefined)[]): Failure | undefined {
  return failures.reduce((one, other) => (other && (!one || other.at >= one.at) ? other : one), undefined)
}
