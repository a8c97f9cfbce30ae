import { type Failure, failureOf } from '../account/failure.ts'
import type { Clock } from '../clock.ts'
import type { ErrorCode, KeyholderError } from '../service/error.ts'

/** What a panel's troubles are told to; neither may throw. */
export interface TroubleReports {
  /** Something fails that did not fail before. */
  loss(error: KeyholderError): void
  /** All that failed is well again. */
  recovery(): void
}

/**
 * Says once that something went wrong and once that all is well again, however many polls fail in between.
 *
 * Another kind of failure is news and is said; the same one is not, since a panel that is out of reach for a night would
 * otherwise fill the log and every Catch node.
 */
export class Trouble {
  readonly #clock: Clock
  readonly #reports: TroubleReports
  readonly #failing = new Map<string, ErrorCode>()
  #said = new Set<ErrorCode>()
  #latest: Failure | undefined

  constructor(clock: Clock, reports: TroubleReports) {
    this.#clock = clock
    this.#reports = reports
  }

  /** The latest failure, also when all is well again. */
  get latest(): Failure | undefined {
    return this.#latest
  }

  /** Whether `what` fails now. */
  isFailing(what: string): boolean {
    return this.#failing.has(what)
  }

  /** Notes that `what` fails. */
  fails(what: string, error: KeyholderError): void {
    const kind = kindOf(error)
    this.#latest = failureOf(error, this.#clock)
    this.#failing.set(what, kind)
    if (this.#said.has(kind)) return
    this.#said.add(kind)
    this.#reports.loss(error)
  }

  /** Notes that `what` is well. */
  isWell(what: string): void {
    if (!this.#failing.has(what)) return
    this.#drop(what)
    if (this.#failing.size === 0) this.#reports.recovery()
  }

  /** Forgets `what` and its parts: nobody asks for it any more, so there is neither loss nor recovery. */
  forget(what: string): void {
    for (const name of [...this.#failing.keys()]) {
      if (name === what || name.startsWith(`${what}/`)) this.#drop(name)
    }
  }

  /** What nothing fails with any more is news when it comes back, though something else may still be failing. */
  #drop(what: string): void {
    this.#failing.delete(what)
    this.#said = new Set(this.#failing.values())
  }
}

/** The faces of one outage: connections fail, then nobody answers, then a gateway says so, or shows a web page. */
const outage: readonly ErrorCode[] = ['NETWORK', 'TIMEOUT', 'SERVER_ERROR', 'BAD_RESPONSE']

function kindOf({ code }: KeyholderError): ErrorCode {
  return outage.includes(code) ? 'NETWORK' : code
}
