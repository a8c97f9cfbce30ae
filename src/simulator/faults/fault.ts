import type { Accounts } from '../http/accounts.ts'
import type { Answer } from '../http/answer.ts'
import type { Processes } from '../http/processes.ts'
import type { Wire } from '../http/wire.ts'

/** One way in which a service, or the way to it, fails: it makes another answer, or sends it in another way, or both. */
export interface Fault {
  /** What it is called, in plain words: `cut after 100 bytes`. */
  readonly name: string
  /**
   * Makes another answer out of the truthful one, or out of what an earlier fault made of that.
   *
   * What the request asked for is done only when `truth` is called, so a refusal that never calls it refuses indeed.
   */
  answer?(truth: () => Answer, call: Call): Answer
  /** Puts the answer onto the wire in its own way. Nothing of it may last longer than `wire` does. */
  send?(answer: () => Answer, wire: Wire): void
}

/** The request that a fault meets. */
export interface Call {
  /** `version`, `auth`, `panel/login`, `status`, `events`, ...; empty where the service has no such operation. */
  readonly operation: string
  /** Without query. */
  readonly path: string
  /** The server's side of signing in. */
  readonly accounts: Accounts
  /** The commands on their way to the panels. */
  readonly processes: Processes
}

/** Where a fault is met. */
export interface Where {
  /** The one operation; all requests when absent, also those beside the service. */
  readonly operation?: string
  /** For how many of those requests; until it is ended when absent. */
  readonly times?: number
}
