import type { Accounts } from '../http/auth/accounts.ts'
import type { HttpResponse } from '../http/http-response.ts'
import type { Processes } from '../http/processes.ts'
import type { ResponseWriter } from '../http/response-writer.ts'

/** A fault of the service or of the network: it changes the response, the way it is sent, or both. */
export interface Fault {
  /** Plain name of the fault: `cut after 100 bytes`. */
  readonly name: string
  /**
   * Returns a changed response, made from the original one or from the result of an earlier fault.
   *
   * The request is executed only if `getOriginal` is called.
   */
  answer?(getOriginal: () => HttpResponse, context: RequestContext): HttpResponse
  /** Sends the response in its own way. Everything that it starts must end with `writer`. */
  send?(getResponse: () => HttpResponse, writer: ResponseWriter): void
}

/** The request that a fault applies to. */
export interface RequestContext {
  /**
   * `version`, `auth`, `panel/login`, `status`, `events`, ...; empty if the service has no such operation.
   */
  readonly operation: string
  /** Without query. */
  readonly path: string
  /** Sign-ins of the server. */
  readonly accounts: Accounts
  /** The commands in progress. */
  readonly processes: Processes
}

/** The scope of a fault. */
export interface FaultScope {
  /** The only operation; default: all requests, including those for unknown paths. */
  readonly operation?: string
  /** Number of requests; default: unlimited, until the fault is ended. */
  readonly times?: number
}
