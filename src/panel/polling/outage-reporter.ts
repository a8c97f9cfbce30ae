import { type Failure, failureOf } from '../../account/requests/request-history.ts'
import type { Clock } from '../../clock.ts'
import { hour } from '../../duration.ts'
import { KeyholderError } from '../../service/error.ts'
import { type ErrorCode, errorCodeRows } from '../../service/error-codes.ts'

/** The receiver of a panel's outage reports; the functions must not throw. */
export interface OutageReports {
  /** Reports a new kind of failure. */
  outage(error: KeyholderError): void
  /** Reports that everything that failed works again. */
  recovery(): void
}

/**
 * Reports an outage once and its end once, however many polls fail in between.
 *
 * Another kind of failure is reported, the same kind is not: otherwise a panel that cannot be reached for a
 * night would fill the log and every Catch node. For the same reason, after three outages within an hour a
 * further one is reported only if it lasts for a second failure.
 */
export class OutageReporter {
  readonly #clock: Clock
  readonly #reports: OutageReports
  readonly #failing = new Map<string, ErrorCode>()
  #reported = new Set<ErrorCode>()
  /** True between the report of an outage and that of its end. */
  #isOutage = false
  /** The ends of the last three outages, reported or not: milliseconds of the monotonic clock. */
  #ends: number[] = []
  /** The latest failure, kept after a recovery. */
  latest: Failure | undefined

  constructor(clock: Clock, reports: OutageReports) {
    this.#clock = clock
    this.#reports = reports
  }

  /** Returns true if `what` fails now. */
  isFailing(what: string): boolean {
    return this.#failing.has(what)
  }

  /** Notes that `what` fails. */
  noteFailure(what: string, error: KeyholderError): void {
    const kind = kindOf(error)
    this.latest = failureOf(error, this.#clock)
    // Reported for the whole cluster, and only if it lasts.
    if (error.code === 'SHARED_STATE_AWAY') return
    const isRepeated = [...this.#failing.values()].includes(kind)
    this.#failing.set(what, kind)
    if (this.#reported.has(kind) || (this.#isFlapping && !isRepeated)) return
    this.#reported.add(kind)
    this.#isOutage = true
    this.#reports.outage(withOutlook(error))
  }

  /** Reports an error that is no outage: it ends only by a change of the settings or of the panel. */
  reportOnce(error: KeyholderError): void {
    this.latest = failureOf(error, this.#clock)
    this.#reports.outage(error)
  }

  /** Notes that `what` works. */
  noteRecovery(what: string): void {
    if (!this.#failing.has(what)) return
    this.#drop(what)
    if (this.#failing.size > 0) return
    this.#ends = [...this.#ends, this.#clock.monotonic()].slice(-maxReports)
    if (this.#isOutage) this.#reports.recovery()
    this.#isOutage = false
  }

  /**
   * Forgets `what` and its parts. They are no longer polled, so neither an outage nor a recovery is reported.
   */
  forget(what: string): void {
    for (const name of [...this.#failing.keys()]) {
      if (name === what || name.startsWith(`${what}/`)) this.#drop(name)
    }
    if (this.#failing.size === 0) this.#isOutage = false
  }

  get #isFlapping(): boolean {
    const [first] = this.#ends
    return this.#ends.length === maxReports && this.#clock.monotonic() - (first ?? 0) < hour
  }

  /**
   * Drops `what`. A kind of failure that nothing has any more is reported again if it returns, even if
   * something else still fails.
   */
  #drop(what: string): void {
    this.#failing.delete(what)
    const failing = new Set(this.#failing.values())
    this.#reported = new Set([...this.#reported].filter((kind) => failing.has(kind)))
  }
}

/** Adds that polling continues. Only this report may say so: a command or a check is not repeated. */
export function withOutlook(error: KeyholderError): KeyholderError {
  const { code, message, status, reason } = error
  if (errorCodeRows[code].outage === 'lasting') return error
  return new KeyholderError(code, `${message} The nodes continue by themselves.`, { status, reason })
}

/** Outages within an hour after which a single failure is no longer reported. */
const maxReports = 3

/** Returns the code by which an outage is reported: one for all failures of the connection. */
function kindOf({ code }: KeyholderError): ErrorCode {
  return errorCodeRows[code].outage === 'connection' ? 'NETWORK' : code
}
