import type { Failure } from '../account/requests/request-history.ts'
import type { KeyholderError } from '../service/error.ts'

/** A server's description of itself. */
export interface ServerInfo {
  /** Another one after each start of the server, and after a failover. */
  runId: string
  version: string
  /** Name and version of the program, for display. */
  product: string
  /** True if the server appends each write to a file, so that it knows them after a restart. */
  isAppendOnly: boolean
  /** True if the server takes writes only while it has replicas, so that two sides of a split network never both write. */
  needsReplicas: boolean
}

/** The state of a cluster as one instance sees it, for display. */
export interface ClusterStatus {
  /** `away` from the first failed attempt to connect, or from the loss of the connection, until it is there again. */
  readonly state: 'connecting' | 'connected' | 'away'
  /** The reason of `away`. */
  readonly error: KeyholderError | undefined
  /** The latest such reason, kept after a recovery; undefined if there was none. */
  readonly latestFailure: Failure | undefined
  /** The time when `away` began (milliseconds of the monotonic clock). */
  readonly awaySince: number | undefined
  /** The end of a time in which no request is sent (milliseconds of the monotonic clock); undefined without one. */
  readonly quietUntil: number | undefined
  /** The name of this instance, and those of all live ones, sorted. */
  readonly instance: string
  readonly instances: readonly string[]
  /** The leases of panels that this instance wants, holds, and has passed on because its polls failed. */
  readonly leases: { wanted: number; held: number; passed: number }
  /** True while another live instance has the same name. */
  readonly hasNamesake: boolean
  /** Sentences about settings that differ from those of other instances. */
  readonly warnings: readonly string[]
  /** The server's description of itself; undefined before the first connection. */
  readonly server: ServerInfo | undefined
}
